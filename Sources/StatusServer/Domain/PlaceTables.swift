// What each edge and each address of the origin said at the last full check.

import Evidence
import Facts
import Foundation
import Monitoring
import Report
import Storage

struct EdgeTable: Equatable, Sendable {
    let rows: [Row]
    let asked: String

    struct Row: Equatable, Sendable {
        let name: String
        let address: String
        let serves: String
        let mark: String
        let tone: String
        let since: String
        let age: String
        let asksAgain: String
    }
}

struct OriginTable: Equatable, Sendable {
    let note: String
    let rows: [Row]
    let facts: [Fact]

    struct Row: Equatable, Sendable {
        let address: String
        let serves: String
        let mark: String
        let tone: String
        let crawler: String
        let device: String
        let connect: String
    }

    struct Fact: Equatable, Sendable {
        let name: String
        let text: String
    }
}

extension EdgeResult {
    /// `usqas4`, of Apple's own `Via`; nil where the edge gives no such name.
    var shortName: String? {
        guard let via = retrieval.answer?.header("via"), let host = via.split(separator: " ").dropFirst().first else {
            return nil
        }
        let name = host.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return name.isEmpty || name.count == host.count ? nil : String(name.prefix(16)).lowercased()
    }
}

extension CopyMatch {
    /// In a table's cell.
    /// `isLast`: it is the version that the origin served last.
    func short(version: String?, isLast: Bool) -> (text: String, mark: String, tone: String) {
        switch serves {
        case .file:
            (version ?? "a file", (isLast ? DomainStatus.inSync : .unknown).mark, isLast ? "ok" : "soft")
        case .originFile: (version ?? "the file", DomainStatus.inSync.mark, "ok")
        case .otherFile:
            ((version ?? "another file") + (version == nil ? "" : ", old"), DomainStatus.stale.mark, "fail")
        case .noFile: ("no such file", DomainStatus.missing.mark, "fail")
        case .missing: ("no copy (\(status ?? 0))", DomainStatus.missing.mark, "fail")
        case .redirect: ("redirect (\(status ?? 0))", DomainStatus.originFailing.mark, "fail")
        case .otherStatus: ("status \(status ?? 0)", DomainStatus.originFailing.mark, "fail")
        case .noAnswer: ("no answer", DomainStatus.unknown.mark, "soft")
        }
    }
}

/// What both tables are made of.
struct PlaceReader {
    let full: Observation
    let record: PropagationRecord
    let time: ReportTime
    private let readings: Readings
    private let builder: LaneBuilder

    init(_ full: Observation, _ scope: ChartScope) {
        self.full = full
        record = scope.record
        time = scope.time
        readings = Readings(full)
        builder = LaneBuilder(scope)
    }

    /// Whether it is what the origin serves, or served last while it serves no file.
    func isLast(_ retrieval: Retrieval) -> Bool {
        let versions = record.places[.origin]?.lazy.reversed().compactMap { interval -> Int64? in
            if case .version(let id) = interval.served { id } else { nil }
        }
        guard let last = versions?.first, let meaning = readings.file(of: retrieval)?.meaning else { return false }
        return record.versions[last]?.meaning == meaning
    }

    /// `v14`, where the file of a retrieval is known as one.
    func version(of retrieval: Retrieval) -> String? {
        guard let meaning = readings.file(of: retrieval)?.meaning,
            let id = record.versions.first(where: { $0.value.meaning == meaning })?.key
        else { return nil }
        return builder.name(.version(id))
    }

    var edges: EdgeTable? {
        guard let results = full.full?.edges, !results.isEmpty else { return nil }
        let rows = results.prefix(32).map { result in
            let observation = CopyMatch(result.retrieval, in: readings)
            let (text, mark, tone) = observation.short(
                version: version(of: result.retrieval), isLast: isLast(result.retrieval))
            let answer = result.retrieval.answer
            return EdgeTable.Row(
                name: result.shortName ?? "", address: result.address.onOneLine(upTo: 60), serves: text, mark: mark,
                tone: tone,
                since: record.places[.edge(result.address)]?.last.map { time.brief($0.at) } ?? "",
                age: answer?.age.map { Span.words(TimeInterval($0)) } ?? "",
                asksAgain: answer?.secondsUntilExpiry.map { "in \(Span.words(TimeInterval($0)))" } ?? "")
        }
        return EdgeTable(rows: rows, asked: "asked \(time.age(full.checkedAt))")
    }

    var origin: OriginTable {
        let results = full.full?.addresses ?? []
        func status(_ agent: AgentResult.Agent, _ address: String) -> String {
            let result = full.full?.agents.first { $0.agent == agent && ($0.address == address || $0.address == nil) }
            return result.map { $0.retrieval.answer.map { "\($0.status)" } ?? "no answer" } ?? "–"
        }
        let rows = results.prefix(32).map { result in
            let observation = CopyMatch(result.retrieval, in: readings)
            let (text, mark, tone) = observation.short(
                version: version(of: result.retrieval), isLast: isLast(result.retrieval))
            return OriginTable.Row(
                address: result.address.address.onOneLine(upTo: 60),
                serves: text + (result.address.scope == .public ? "" : ", not public"), mark: mark, tone: tone,
                crawler: status(.crawler, result.address.address), device: status(.device, result.address.address),
                connect: result.retrieval.connection?.timings.connect.map { "\(Int($0.rounded())) ms" } ?? "")
        }
        let kinds = Set(rows.map(\.serves))
        let note =
            results.isEmpty
            ? ""
            : results.count.of("address", "addresses") + (kinds.count == 1 && results.count > 1 ? ", all alike" : "")
        return OriginTable(note: note, rows: rows, facts: facts)
    }

    private var facts: [OriginTable.Fact] {
        var facts: [OriginTable.Fact] = []
        func add(_ name: String, _ text: String?) {
            if let text, !text.isEmpty { facts.append(.init(name: name, text: text.onOneLine(upTo: 400))) }
        }
        let origin = full.origin
        if let answer = origin.answer {
            let hops = origin.redirects.count
            add(
                "File",
                "\(answer.status), \(answer.header("content-type") ?? "no Content-Type"), \(answer.body.decodedBytes.grouped) bytes, "
                    + (hops == 0 ? "no redirect" : hops.of("redirect")))
        } else {
            add("File", "no answer: \(origin.failure?.detail ?? "unknown")")
        }
        for hop in origin.redirects.prefix(5) {
            add("Redirect", "\(hop.status) to \(hop.target ?? hop.location ?? "nowhere")")
        }
        add(
            "Version",
            [version(of: origin), origin.answer?.body.hash.map { "SHA-256 \($0.hex.prefix(12))…" }].compactMap(\.self)
                .joined(separator: " · "))
        if let tls = origin.connection?.tls {
            if let end = tls.chain.first?.notAfter {
                let left = end.timeIntervalSince(time.wall)
                let when = time.clock(end)
                add("Certificate", left > 0 ? "ends in \(Int(left / 86400).of("day")), on \(when)" : "ended on \(when)")
            }
            add("Chain", tls.chain.prefix(5).map(\.subject).joined(separator: " ← "))
            add(
                "TLS",
                [tls.version, origin.connection?.httpVersion.map { "HTTP/\($0)" }].compactMap(\.self).joined(
                    separator: ", "))
            if !tls.trusted { add("Refused", tls.detail ?? tls.problem?.rawValue) }
        }
        if let resolution = full.full?.resolution {
            let four = resolution.addresses.count { $0.family == 4 }
            let six = resolution.addresses.count - four
            add("DNS", resolution.addresses.isEmpty ? resolution.failure?.detail : "\(four) A, \(six) AAAA")
        }
        add("Response time", origin.connection.map { "\(Int($0.timings.total.rounded())) ms" })
        for result in full.full?.vantages ?? [] {
            add("From \(result.name.shortened(to: 40))", CopyMatch(result.retrieval, in: readings).words)
        }
        return facts
    }

    /// The origin's file, and each other one that edges serve.
    var sources: [TriedURL.Source] {
        var groups: [(hash: ContentHash, edges: Int)] = []
        let results = full.full?.edges ?? []
        let copies = results.isEmpty ? [full.cdn.retrieval].compactMap(\.self) : results.map(\.retrieval)
        for copy in copies {
            guard let hash = copy.answer?.body.hash, copy.answer?.status == 200 else { continue }
            if let place = groups.firstIndex(where: { $0.hash == hash }) {
                groups[place].edges += 1
            } else {
                groups.append((hash, 1))
            }
        }
        func data(_ hash: ContentHash) -> Data? { full.contents[hash] }
        let originHash = full.origin.answer.flatMap { $0.status == 200 ? $0.body.hash : nil }
        func name(_ retrieval: Retrieval?) -> String { retrieval.flatMap(version).map { ", \($0)" } ?? "" }
        let count = copies.count
        let apple = groups.sorted { $0.edges > $1.edges }.prefix(3).map { group in
            TriedURL.Source(
                name: "Apple’s copy" + name(copies.first { $0.answer?.body.hash == group.hash })
                    + ", at \(group.edges) of \(count.of("edge"))", isOrigin: group.hash == originHash,
                isRead: true, content: data(group.hash))
        }
        let origin = TriedURL.Source(
            name: "Origin’s file" + name(full.origin), isOrigin: true, isRead: !full.mode.readsCDN,
            content: originHash.flatMap(data))
        return (full.mode.readsCDN ? Array(apple) : []) + [origin]
    }
}

/// What one address, edge or vantage served at the last full look, compared with what the origin served by its name then.
struct CopyMatch: Equatable, Sendable {
    let serves: Serves
    let status: Int?
    let hash: ContentHash?
    /// Why there was no answer.
    let error: String?

    enum Serves: Sendable {
        /// In meaning.
        case originFile
        case otherFile
        /// A file, while the origin's own name gave none to compare it with.
        case file
        /// Status 200, and no such file.
        case noFile
        case missing
        case redirect
        /// An answer that says nothing of the file.
        case otherStatus
        case noAnswer
    }

    init(_ retrieval: Retrieval, in readings: Readings) {
        status = retrieval.answer?.status
        hash = retrieval.answer?.body.hash
        error = retrieval.failure.map { $0.detail.onOneLine(upTo: 300) }
        serves =
            switch retrieval.answer?.status {
            case nil: .noAnswer
            case 200: Self.file(retrieval, readings)
            case .some(300..<400): .redirect
            default: retrieval.answer?.isAboutFile == true ? .missing : .otherStatus
            }
    }

    private static func file(_ retrieval: Retrieval, _ readings: Readings) -> Serves {
        let origin = readings.observation.origin.answer?.body.hash
        if let hash = retrieval.answer?.body.hash, hash == origin {
            return readings.originFile == nil ? .noFile : .originFile
        }
        // A body that is no longer kept, or was too large, can only be told apart by its hash.
        guard let hash = retrieval.answer?.body.hash, readings.observation.contents[hash] != nil else {
            return .otherFile
        }
        guard let file = readings.file(of: retrieval) else { return .noFile }
        guard readings.originFile != nil else { return .file }
        return file.meaning == readings.originFile?.meaning ? .originFile : .otherFile
    }

    /// As the page has it.
    var words: String {
        let version = hash.map { " (SHA-256 \($0.hex.prefix(8))…)" } ?? ""
        return switch serves {
        case .originFile: "the origin's file\(version)"
        case .otherFile: "another file\(version)"
        case .file: "a file\(version)"
        case .noFile: "no such file\(version)"
        case .missing: "no copy (status \(status ?? 0))"
        case .redirect: "a redirect (status \(status ?? 0))"
        case .otherStatus: "status \(status ?? 0)"
        case .noAnswer: "no answer: \(error ?? "unknown")"
        }
    }
}

/// What the last full check saw, word by word, for those who want to look for themselves.
struct EvidencePart: Equatable, Sendable {
    let id: String
    let title: String
    let note: String
    let text: String

    /// What nobody reads to its end is cut.
    private static let maximumFile = 16_384
    private static let maximumParts = 24

    /// Each request with its answer, then the files.
    static func all(_ full: Observation) -> [EvidencePart] {
        var parts = retrievals(full)
        var shown: Set<ContentHash> = []
        for (title, retrieval) in [
            ("The origin’s file", full.origin as Retrieval?), ("Apple’s copy", full.cdn.retrieval),
        ] {
            guard let hash = retrieval?.answer?.body.hash, shown.insert(hash).inserted, let data = full.contents[hash]
            else {
                continue
            }
            let text = String(decoding: data.prefix(maximumFile), as: UTF8.self)
            parts.append(
                EvidencePart(
                    id: "e-\(parts.count)", title: title, note: "\(data.count.grouped) bytes, SHA-256 \(hash.hex)",
                    text: text.lines + (data.count > maximumFile ? "\n…" : "")))
        }
        return parts
    }

    static func retrievals(_ full: Observation) -> [EvidencePart] {
        var parts: [EvidencePart] = []
        func add(_ title: String, _ retrieval: Retrieval) {
            guard parts.count < maximumParts else { return }
            parts.append(part("e-\(parts.count)", title, retrieval))
        }
        add("Origin, by name", full.origin)
        for result in full.full?.agents ?? [] { add("Origin as \(result.agent.userAgent)", result.retrieval) }
        for result in full.full?.addresses ?? [] { add("Origin at \(result.address.address)", result.retrieval) }
        for result in full.full?.edges ?? [] {
            add("Edge \(result.shortName ?? "") \(result.address)", result.retrieval)
        }
        if full.full?.edges.isEmpty != false, let copy = full.cdn.retrieval { add("Apple’s CDN", copy) }
        for result in full.full?.vantages ?? [] { add("From \(result.name)", result.retrieval) }
        return parts
    }

    private static func part(_ id: String, _ title: String, _ retrieval: Retrieval) -> EvidencePart {
        var lines = ["GET \(retrieval.url)"]
        if let connection = retrieval.connection {
            lines.append(
                "connected to \(connection.address ?? "?"), HTTP/\(connection.httpVersion ?? "?"), \(connection.tls?.version ?? "no TLS"), "
                    + "\(Int(connection.timings.total.rounded())) ms")
        }
        for hop in retrieval.redirects {
            lines.append("\(hop.status) from \(hop.from) to \(hop.location ?? "nowhere")")
        }
        let note: String
        switch retrieval.outcome {
        case .answered(let answer):
            note = "\(answer.status), \(answer.body.decodedBytes.grouped) bytes"
            lines.append("status \(answer.status)")
            lines += answer.headers.map { "\($0.name): \($0.value)" }
            if let hash = answer.body.hash { lines.append("body: SHA-256 \(hash.hex)") }
        case .failed(let failure):
            note = failure.kind.rawValue.replacing("_", with: " ")
            lines.append("failed while \(failure.phase.rawValue): \(failure.detail)")
        }
        return EvidencePart(
            id: id, title: title.onOneLine(upTo: 120), note: note,
            text: lines.map { $0.onOneLine(upTo: 600) }.joined(separator: "\n"))
    }
}

extension String {
    /// Displayable, line by line.
    fileprivate var lines: String {
        split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
            String(line).replacing("\t", with: "  ").onOneLine(upTo: 600)
        }.joined(separator: "\n")
    }
}

/// What can be sent to Apple about a copy that does not follow: words and evidence in one text, ready to paste.
struct AppleReport: Equatable, Sendable {
    let text: String

    /// nil where Apple's CDN was not seen to lag or to lack a copy.
    init?(
        _ full: Observation?, status: DomainStatus, text diagnosis: DiagnosisText?, changedAt: Date?, version: String,
        domain: Domain, time: ReportTime
    ) {
        guard let full else { return nil }
        let title: String
        switch status {
        case .missing: title = "Apple's CDN has no copy of the apple-app-site-association file of \(domain.name)"
        case .stale, .propagating:
            title = "Apple's CDN serves an old apple-app-site-association file of \(domain.name)"
        case .divergent: title = "Apple's CDN serves another apple-app-site-association file than \(domain.name) does"
        default: return nil
        }
        var lines = [title, ""]
        if let effect = diagnosis?.effect { lines.append("What phones do: \(effect)") }
        if let cause = diagnosis?.cause { lines.append("Why: \(cause)") }
        if let changedAt { lines.append("The file at the origin changed at \(time.shown(changedAt).rfc3339).") }
        lines.append("Seen at \(time.shown(full.checkedAt).rfc3339) by aasa-monitor \(version).")
        for part in EvidencePart.retrievals(full) {
            lines += ["", part.title] + part.text.split(separator: "\n").map { "  \($0)" }
        }
        text = lines.joined(separator: "\n")
    }
}
