// A running daemon, asked over its API.

import Curl
import Evidence
import Facts
import Foundation
import MonitorConfiguration
import Monitoring
import StatusServer
import Storage

/// The daemon understood what was asked, and says no: there is no such incident, or the request has a fault.
struct RemoteRefusal: Error {
    let status: Int
    let message: String
}

struct RemoteMonitor: Sendable {
    private let driver: CurlDriver
    /// Without a slash at its end.
    private let url: String
    private let token: String?
    private let tokenFile: String?

    /// An answer may be a list of thousands.
    private static let limits = TransferLimits(
        connectTimeout: .seconds(10), totalTimeout: .seconds(30), bodyBytes: 64 * 1024 * 1024)

    /// - Throws: `CommandFailure` where the token cannot be read.
    init(url: String, tokenFile: String?) throws {
        self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
        self.tokenFile = tokenFile
        do {
            token = try tokenFile.map { try SmallFile.secret(at: $0).trimmingCharacters(in: .whitespacesAndNewlines) }
        } catch {
            throw CommandFailure(.noInput, "--token-file: \(error)")
        }
        if token?.isEmpty == true { throw CommandFailure(.noInput, "--token-file: '\(tokenFile ?? "")' is empty") }
        if token?.contains(where: \.isNewline) == true {
            throw CommandFailure(.noInput, "--token-file: '\(tokenFile ?? "")' has several lines; a token is one")
        }
        do {
            driver = try CurlDriver(maximumConcurrent: 4)
        } catch {
            throw CommandFailure(.software, "the network cannot be used: \(error.failure.detail)")
        }
    }

    /// Asks what `work` asks, then closes the connections.
    func close<Value>(after work: () async throws -> Value) async throws -> Value {
        try await driver.shutdown(after: work)
    }

    /// What `work` asked for; nil where the daemon does not know it.
    private static func known<Value>(_ work: () async throws -> Value) async throws -> Value? {
        do {
            return try await work()
        } catch let refusal as RemoteRefusal where refusal.status == 404 {
            return nil
        }
    }

    /// `path`: after `/api/v1/`.
    /// - Throws: `RemoteRefusal`, `CommandFailure`.
    private func get(_ path: String, _ query: [(name: String, value: String?)] = []) async throws -> Data {
        try await ask("GET", path, query)
    }

    private func post(_ path: String, _ body: OrderedJSON) async throws -> Data {
        try await ask("POST", path, [], body: Data(body.text(isPretty: false).utf8))
    }

    private func delete(_ path: String) async throws -> Data { try await ask("DELETE", path, [], body: Data()) }

    /// What an answer says.
    /// - Throws: `CommandFailure` where it has another form.
    private func read<Value>(_ data: Data, _ decode: (Data) throws -> Value) throws -> Value {
        do {
            return try decode(data)
        } catch {
            throw CommandFailure(
                .software, "\(url) answers in a form that this version does not know; use the version that runs there")
        }
    }

    /// One segment of a path.
    private static func segment(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-._~")))
            ?? ""
    }

    private func ask(
        _ method: String, _ path: String, _ query: [(name: String, value: String?)], body: Data? = nil
    ) async throws -> Data {
        let wanted = query.compactMap { pair in pair.value.map { "\(pair.name)=\(Self.segment($0))" } }
        let address = "/api/v1/" + path + (wanted.isEmpty ? "" : "?" + wanted.joined(separator: "&"))
        var headers = [(name: "Accept", value: "application/json")]
        if method == "POST" { headers.append(("Content-Type", "application/json")) }
        if let token { headers.append(("Authorization", "Bearer \(token)")) }
        return try content(of: try await send(method, address, headers, body), at: address)
    }

    private func send(
        _ method: String, _ address: String, _ headers: [(name: String, value: String)], _ body: Data?
    ) async throws -> TransferResult {
        try await driver.perform(
            TransferRequest(
                url: url + address, method: method, body: body, headers: headers, userAgent: Version.userAgent,
                allowPlainHTTP: url.lowercased().hasPrefix("http://"), keepsConnection: true, limits: Self.limits))
    }

    private func content(of result: TransferResult, at address: String) throws -> Data {
        if let failure = result.failure {
            if failure.kind == .timedOut, failure.phase >= .waiting {
                throw CommandFailure(
                    .software, "the daemon at \(url) takes the connection and does not answer within 30 s; see its log")
            }
            throw CommandFailure(
                .noInput,
                "no daemon answers at \(url): \(failure.detail.displayable); is 'aasa-monitor run' up, and is this its server.listen?"
            )
        }
        let status = result.status ?? 0
        let refusal = APIAnswer.refusal(result.body)
        // Every answer under /api/ has it.
        guard result.header("x-request-id") != nil, refusal != nil || (200...299).contains(status) else {
            throw CommandFailure(
                .noInput, "\(url) is no aasa-monitor: it answers \(address) with status \(status) in another form")
        }
        guard !result.isCapped else {
            throw CommandFailure(.software, "the answer of \(url) is larger than 64 MiB")
        }
        guard let refusal else { return result.body }
        switch status {
        case 401 where token == nil:
            throw CommandFailure(.usage, "the daemon at \(url) wants its token: name it with --token-file FILE")
        case 401:
            throw CommandFailure(
                .usage, "the daemon at \(url) refuses the token of '\(tokenFile ?? "")'; it is not its server.token")
        case 404 where refusal == "Not Found", 405:
            throw CommandFailure(
                .software, "the daemon at \(url) has no \(address.prefix { $0 != "?" }): it is of an older version")
        case 429, 500...:
            throw CommandFailure(.software, "the daemon at \(url) cannot answer now: \(refusal.displayable)")
        default: throw RemoteRefusal(status: status, message: refusal.displayable)
        }
    }
}

// What the commands ask of a daemon: the same as of its store.
extension RemoteMonitor {
    // MARK: - Acknowledgements

    func acknowledge(
        _ target: AcknowledgeTarget, _ acknowledgement: Acknowledgement
    ) async throws -> AcknowledgeTarget.Changed {
        let id = try await incident(meantBy: target)
        let body = OrderedJSON.object([
            ("by", .string(acknowledgement.by)), ("reason", .string(acknowledgement.reason)),
        ])
        return try changed(try await post("incidents/\(Self.segment(id))/ack", body))
    }

    func unacknowledge(_ target: AcknowledgeTarget) async throws -> AcknowledgeTarget.Changed {
        let id = try await incident(meantBy: target)
        return try changed(try await delete("incidents/\(Self.segment(id))/ack"))
    }

    private func changed(_ answer: Data) throws -> AcknowledgeTarget.Changed {
        let incident = try read(answer, APIAnswer.incident)
        return (incident.id, incident.about)
    }

    private func incident(meantBy target: AcknowledgeTarget) async throws -> String {
        guard Self.isID(target.text) else { throw CommandFailure(.usage, "no incident has this id") }
        return try await target.id { domain, limit in
            let data = try await get("incidents", [("domain", domain.name), ("state", "open"), ("limit", "\(limit)")])
            return try read(data, APIAnswer.incidents).map {
                AcknowledgeTarget.Candidate(
                    id: $0.id, line: "\($0.id.prefix(12))  \($0.about)", acknowledgedBy: $0.acknowledgedBy)
            }
        }
    }

    /// Nothing, `.` and `..` would name another resource.
    private static func isID(_ text: String) -> Bool { text.contains { $0 != "." } }

    // MARK: - Silences

    /// `length`: nil where it ends at an instant. A length counts by the daemon's clock.
    /// - Returns: the silence, and how many watched domains it is about.
    func add(_ request: Silence, lasting length: Duration?) async throws -> (Silence, watched: Int) {
        let scope = request.scope
        var members: [(String, OrderedJSON)] = [
            ("domains", .array(scope.domains.map { .string($0.description) })),
            ("labels", .object(scope.labels.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })),
            length.map { ("for", .string("\(Int($0.inSeconds * 1000))ms")) }
                ?? ("until", .string(request.endsAt.rfc3339)), ("author", .string(request.author)),
            ("reason", .string(request.reason)),
        ]
        if let kinds = scope.kinds { members.append(("kinds", .array(kinds.map { .string($0.rawValue) }))) }
        let answer = try await post("silences", .object(members))
        return (try read(answer, APIAnswer.silence), try read(answer, APIAnswer.watchedDomains))
    }

    func silences() async throws -> [Silence] { try read(try await get("silences"), APIAnswer.silences) }

    /// nil where there is none with this id.
    func endSilence(id: String) async throws -> Silence? {
        guard Self.isID(id) else { return nil }
        return try await Self.known {
            try read(try await delete("silences/\(Self.segment(id))"), APIAnswer.silence)
        }
    }

    // MARK: - What it knows

    /// `domains`: none: all. `withDocuments`: also what the API says of each, by name.
    func status(
        of domains: [Domain], withDocuments: Bool, now: Date, counts: (OverviewRow) -> Bool,
        shows: (OverviewRow) -> Bool
    ) async throws -> StatusReading {
        var rows: [OverviewRow] = []
        var documents: [String: Data] = [:]
        if domains.isEmpty {
            rows = try await allRows(now: now)
        } else {
            for domain in domains {
                let document = try await document(of: domain)
                rows.append(try read(document) { try APIAnswer.domain($0, now: now) })
                documents[domain.name] = document
            }
        }
        let overview = try await self.overview(rows: rows.filter(counts), now: now).showing(shows)
        let life = try await life()
        guard withDocuments else { return StatusReading(life: life, overview: overview, documents: []) }
        for row in overview.rows where documents[row.name] == nil {
            documents[row.name] = try await document(of: Domain(row.name))
        }
        let names = overview.rows.map(\.name).sorted()
        return StatusReading(life: life, overview: overview, documents: names.compactMap { documents[$0] })
    }

    /// It answers, so it runs; whether it checks, `/readyz` says, as it does to supervisors.
    func life() async throws -> MonitorLife {
        let result = try await send("GET", "/readyz", [], nil)
        let words = String(decoding: result.body, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard result.status == 503, words.hasPrefix("not ready: ") else { return .checking }
        return .notReady(String(words.dropFirst("not ready: ".count)).displayable.shortened(to: 200))
    }

    private func allRows(now: Date) async throws -> [OverviewRow] {
        var rows: [OverviewRow] = []
        var cursor: String?
        repeat {
            let data = try await get("domains", [("limit", "500"), ("cursor", cursor)])
            let page = try read(data) { try APIAnswer.domains($0, now: now) }
            rows += page.rows
            cursor = page.next
        } while cursor != nil
        return rows
    }

    private func overview(rows: [OverviewRow], now: Date) async throws -> Overview {
        var global: [GlobalLine] = []
        for kind in IncidentKind.allCases where kind.isGlobal {
            let data = try await get("incidents", [("kind", kind.rawValue), ("state", "open"), ("limit", "500")])
            global += try read(data) { try APIAnswer.global($0, now: now) }
        }
        let pending = try read(try await get("deliveries", [("limit", "1")]), APIAnswer.deliveries).pending
        return Overview(rows: rows, global: global, pending: pending, time: PageTime(now: now))
    }

    /// `/api/v1/domains/{domain}`, as it comes.
    private func document(of domain: Domain) async throws -> Data {
        guard let document = try await Self.known({ try await get("domains/\(domain.name)") }) else {
            throw CommandFailure(.usage, "\(domain) is not watched here")
        }
        return document
    }

    func incidents(_ query: IncidentQuery, cursor: String?) async throws -> IncidentPage {
        let data = try await get(
            "incidents",
            [
                ("domain", query.domain?.name), ("kind", query.kind?.rawValue), ("state", query.state?.rawValue),
                ("limit", "\(query.limit)"), ("cursor", cursor),
            ])
        return try read(data) { try IncidentPage(json: $0) }
    }

    func incident(named name: String) async throws -> IncidentDocument {
        guard Self.isID(name) else { throw CommandFailure(.usage, "'\(name.displayable)' is no id of an incident") }
        return try read(try await get("incidents/\(Self.segment(name))")) { try IncidentDocument(json: $0) }
    }

    /// - Throws: `CommandFailure` for a domain that is not watched.
    func check(_ domain: Domain) async throws { _ = try await document(of: domain) }

    /// nil for an unknown domain.
    func history(of domain: Domain, limit: Int, now: Date) async throws -> DomainHistory? {
        try await Self.known {
            let document = try await get("domains/\(domain.name)/history", [("limit", "\(limit)")])
            return try read(document) { try DomainHistory(document: $0, now: now) }
        }
    }

    func deliveries(
        channel: String?, incident: String?, domain: Domain?, limit: Int
    ) async throws -> (deliveries: [DeliveryRecord], pending: [PendingCount]) {
        let data = try await get(
            "deliveries",
            [
                ("channel", channel), ("incident", incident), ("domain", domain?.name),
                ("limit", "\(min(limit, 500))"),
            ])
        return try read(data, APIAnswer.deliveries)
    }

    func message(named id: String) async throws -> MessageDocument {
        try read(try await get("deliveries/\(Self.segment(id))"), APIAnswer.message)
    }

    /// Has a channel tried now; nil where none has this name.
    func retry(channel: String) async throws -> RetryDocument? {
        guard Self.isID(channel) else { return nil }
        return try await Self.known {
            try read(try await post("channels/\(Self.segment(channel))/retry", .object([])), APIAnswer.retry)
        }
    }
}
