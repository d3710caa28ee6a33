// A running daemon, asked over its API.

import Curl
import Evidence
import Facts
import Foundation
import MonitorConfiguration
import Monitoring
import Report
import StatusServer
import Storage

struct RemoteMonitor: MonitorAPI {
    private let driver: CurlDriver
    /// Without a trailing slash.
    private let url: String
    private let token: String?
    private let tokenFile: String?

    /// An answer may be a list of thousands.
    private static let limits = TransferLimits(
        connectTimeout: .seconds(10), totalTimeout: .seconds(30), bodyBytes: 64 * 1024 * 1024)

    /// - Throws: `CommandFailure` if the token cannot be read.
    init(url: String, tokenFile: String?, caFile: String?) throws {
        self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
        self.tokenFile = tokenFile
        do {
            token = try tokenFile.map { try SmallFile.secret(at: $0).trimmingCharacters(in: .whitespacesAndNewlines) }
        } catch {
            throw CommandFailure(.noInput, "--token-file: \(error)")
        }
        if token?.isEmpty == true { throw CommandFailure(.noInput, "--token-file: '\(tokenFile ?? "")' is empty") }
        if token?.contains(where: \.isNewline) == true {
            throw CommandFailure(.noInput, "--token-file: '\(tokenFile ?? "")' has several lines; a token is one line")
        }
        do {
            driver = try CurlDriver(network: Curl.NetworkSettings(caFile: caFile), maximumConcurrent: 4)
        } catch {
            throw CommandFailure(.software, "the network cannot be used: \(error.failure.detail)")
        }
    }

    /// Runs `work`, then closes the connections.
    func close<Value>(after work: () async throws -> Value) async throws -> Value {
        try await driver.shutdown(after: work)
    }

    /// `path`: after `/api/v1/`.
    /// - Throws: `APIRefusal`, `CommandFailure`.
    private func ask<Value: Decodable>(
        _ method: String, _ path: String, _ query: [(name: String, value: String?)] = [], body: Data? = nil
    ) async throws -> Value {
        let wanted = query.compactMap { pair in pair.value.map { "\(pair.name)=\(Self.segment($0))" } }
        let address = "/api/v1/" + path + (wanted.isEmpty ? "" : "?" + wanted.joined(separator: "&"))
        var headers = [(name: "Accept", value: "application/json")]
        if method == "POST" { headers.append(("Content-Type", "application/json")) }
        if let token { headers.append(("Authorization", "Bearer \(token)")) }
        let content = try content(of: try await send(method, address, headers, body), at: address)
        do {
            return try ReportJSON.decoder.decode(Value.self, from: content)
        } catch {
            throw CommandFailure(
                .software, "this version cannot read the answer of \(url); use the same version as the daemon")
        }
    }

    /// The name of a resource as a segment of a path. An empty name, `.` and `..` would lead to another resource.
    /// - Throws: `APIRefusal` as for an unknown name.
    private static func named(_ text: String, or refusal: String) throws -> String {
        guard text.contains(where: { $0 != "." }) else { throw APIRefusal(.notFound, refusal) }
        return segment(text)
    }

    private static func segment(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-._~")))
            ?? ""
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
                    .software, "the daemon at \(url) accepts connections but does not answer within 30 s; see its log")
            }
            if failure.kind == .certificate {
                throw CommandFailure(
                    .noInput,
                    "the certificate of \(url) is not trusted: \(failure.detail.displayable); give the certificate of its CA "
                        + "with --cacert FILE")
            }
            throw CommandFailure(
                .noInput,
                "no daemon answers at \(url): \(failure.detail.displayable); is 'aasa-monitor run' running, and is this its server.listen?"
            )
        }
        let status = result.status ?? 0
        let refusal = (try? ReportJSON.decoder.decode(APIErrorDocument.self, from: result.body))?.error.message
        // Every answer under /api/ has it.
        guard result.header("x-request-id") != nil, refusal != nil || (200...299).contains(status) else {
            throw CommandFailure(
                .noInput,
                "\(url) is not an aasa-monitor daemon: it answers \(address) with status \(status) in another format")
        }
        guard !result.isCapped else {
            throw CommandFailure(.software, "the answer of \(url) is larger than 64 MiB")
        }
        guard let refusal else { return result.body }
        switch status {
        case 401 where token == nil:
            throw CommandFailure(.usage, "the daemon at \(url) requires a token: give it with --token-file FILE")
        case 401:
            throw CommandFailure(
                .usage, "the daemon at \(url) refuses the token in '\(tokenFile ?? "")': it is not the server.token")
        case 404 where refusal == "Not Found", 405:
            throw CommandFailure(
                .software, "the daemon at \(url) has no \(address.prefix { $0 != "?" }): it is an older version")
        case 429, 500...:
            throw CommandFailure(.software, "the daemon at \(url) cannot answer now: \(refusal.displayable)")
        default: throw APIRefusal(APIRefusal.Reason(rawValue: status) ?? .badRequest, refusal.displayable)
        }
    }
}

// MARK: - The questions and orders

extension RemoteMonitor {
    /// A daemon that answers but is not ready says so only at /readyz.
    func status() async throws -> MonitorStatus {
        let status: MonitorStatus = try await ask("GET", "status")
        // That the daemon has stopped checking matters more than late checks.
        guard status.state == .checking else { return status }
        let result = try await send("GET", "/readyz", [], nil)
        let words = String(decoding: result.body, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard result.status == 503, words.hasPrefix("not ready: ") else { return status }
        return status.notReady(String(words.dropFirst("not ready: ".count)).displayable.shortened(to: 200))
    }

    /// The most that a daemon returns.
    private static let pageSize = 500

    func domains(_ filter: SummaryFilter, limit: Int) async throws -> DomainPage {
        var label = filter.label
        if let sign = label?.firstIndex(of: "=") { label?.replaceSubrange(sign...sign, with: ":") }
        return try await ask(
            "GET", "domains",
            [
                ("prefix", filter.prefix), ("label", label), ("state", filter.comparison?.rawValue),
                ("cursor", filter.after), ("limit", "\(min(limit, Self.pageSize))"),
            ])
    }

    func domain(_ domain: Domain) async throws -> DomainDetail { try await ask("GET", "domains/\(domain.name)") }

    func history(of domain: Domain, limit: Int) async throws -> HistoryReport {
        try await ask("GET", "domains/\(domain.name)/history", [("limit", "\(limit)")])
    }

    func incidents(_ query: IncidentQuery) async throws -> IncidentPage {
        try await ask(
            "GET", "incidents",
            [
                ("domain", query.domain?.name), ("kind", query.kind?.rawValue), ("state", query.state?.rawValue),
                ("limit", "\(min(query.limit, Self.pageSize))"), ("cursor", query.after?.text),
            ])
    }

    func incident(named name: String) async throws -> IncidentDetail {
        try await ask("GET", "incidents/" + Self.incident(name))
    }

    private static func incident(_ name: String) throws -> String {
        try named(name, or: "'\(name.displayable)' is not the id of an incident")
    }

    func deliveries(_ query: DeliveryQuery) async throws -> DeliveryPage {
        try await ask(
            "GET", "deliveries",
            [
                ("channel", query.channel), ("incident", query.incident), ("domain", query.domain?.name),
                ("limit", "\(min(query.limit, Self.pageSize))"), ("cursor", query.after?.text),
            ])
    }

    func message(named name: String) async throws -> MessageReport {
        try await ask("GET", "deliveries/\(Self.segment(name))")
    }

    func silences() async throws -> SilencePage { try await ask("GET", "silences") }

    func acknowledge(_ name: String, by: String, reason: String) async throws -> AcknowledgementReport {
        let order = AcknowledgeOrder(by: by, reason: reason)
        return try await ask(
            "POST", "incidents/\(Self.incident(name))/ack", body: try ReportJSON.encoder.encode(order))
    }

    func unacknowledge(_ name: String) async throws -> AcknowledgementReport {
        try await ask("DELETE", "incidents/\(Self.incident(name))/ack", body: Data())
    }

    func silence(_ order: SilenceOrder) async throws -> NewSilence {
        try await ask("POST", "silences", body: try ReportJSON.encoder.encode(order))
    }

    func endSilence(_ id: String) async throws -> SilenceReport {
        try await ask("DELETE", "silences/" + Self.named(id, or: "no silence has this id"), body: Data())
    }

    func retry(channel: String) async throws -> RetryReport {
        try await ask(
            "POST", "channels/\(Self.named(channel, or: "no channel has this name"))/retry", body: Data("{}".utf8))
    }
}
