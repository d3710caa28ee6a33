// What each edge and each address of the origin answered in the last full check.

import Evidence
import Facts
import Foundation
import Monitoring
import Report
import Storage

/// The data of both tables.
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

    /// Whether it is what the origin served last.
    private func isLast(_ meaning: ContentHash) -> Bool {
        let versions = record.places[.origin]?.lazy.reversed().compactMap { interval -> Int64? in
            if case .version(let id) = interval.served { id } else { nil }
        }
        return versions?.first.map { record.versions[$0]?.meaning == meaning } ?? false
    }

    /// `v14`, if the file of a retrieval is a known version.
    func version(of retrieval: Retrieval) -> String? {
        guard let meaning = readings.file(of: retrieval)?.meaning,
            let id = record.versions.first(where: { $0.value.meaning == meaning })?.key
        else { return nil }
        return builder.name(.version(id))
    }

    /// What a place served, in a cell of a table.
    private func cell(_ retrieval: Retrieval) -> (text: String, mark: String, tone: String) {
        let (served, origin) = (readings.served(by: retrieval), readings.served(by: full.origin))
        let status = retrieval.answer?.status ?? 0
        let fault = DomainStatus.originFailing.mark
        switch served {
        case .file where served.isLike(origin):
            return (version(of: retrieval) ?? "the file", DomainStatus.inSync.mark, "ok")
        // While the origin serves no file, a copy of its last one counts as right. Any other copy is unknown.
        case .file(let meaning, _) where !origin.isFile:
            let isLast = isLast(meaning)
            return (
                version(of: retrieval) ?? "a file", (isLast ? DomainStatus.inSync : .unknown).mark,
                isLast ? "ok" : "soft"
            )
        case .file:
            return (version(of: retrieval).map { "\($0), old" } ?? "another file", DomainStatus.stale.mark, "fail")
        case .page, .noFile, .partial: return ("no such file", DomainStatus.missing.mark, "fail")
        case .redirect: return ("redirect (\(status))", fault, "fail")
        case .status where retrieval.answer?.isAboutFile == true:
            return ("no copy (\(status))", DomainStatus.missing.mark, "fail")
        case .status, .clientCertificate: return ("status \(status)", fault, "fail")
        case .failed: return ("no answer", DomainStatus.unknown.mark, "soft")
        }
    }

    var edges: HTML? {
        guard let results = full.full?.edges, !results.isEmpty else { return nil }
        let rows = results.prefix(32).map { result -> HTML in
            let (text, mark, tone) = cell(result.retrieval)
            let answer = result.retrieval.answer
            let since = record.places[.edge(result.address)]?.last.map {
                HTML.time(time.shown($0.at), time)
            }
            let age = answer?.age.map { Span.words(TimeInterval($0)) }
            let asksAgain = answer?.secondsUntilExpiry.map { "in \(Span.words(TimeInterval($0)))" }
            return """
                <tr role="row" class="\(tone)"><th role="rowheader" scope="row"><bdi>\(result.shortName ?? "")</bdi> \
                <span class="code"><bdi>\(result.address.onOneLine(upTo: 60))</bdi></span></th>\
                <td role="cell">\(HTML.mark(mark, tone)) \(text)</td>\
                <td role="cell" data-title="since">\(since)</td>\
                <td role="cell" data-title="age">\(age ?? "")</td>\
                <td role="cell" data-title="asks again">\(asksAgain ?? "")</td></tr>

                """
        }
        return """
            <section>\(HTML.heading("Apple’s edges", "asked \(time.age(full.checkedAt))"))
            \(HTML.table(["Edge", "Serves", "Since", "Age", "Asks again"], rows))</section>
            """
    }

    var origin: HTML {
        let results = full.full?.addresses ?? []
        func status(_ agent: AgentResult.Agent, _ address: String) -> String {
            let result = full.full?.agents.first { $0.agent == agent && ($0.address == address || $0.address == nil) }
            return result.map { $0.retrieval.answer.map { "\($0.status)" } ?? "no answer" } ?? "–"
        }
        var kinds: Set<String> = []
        let rows = results.prefix(32).map { result -> HTML in
            let (text, mark, tone) = cell(result.retrieval)
            let address = result.address.address
            let serves = text + (result.address.scope == .public ? "" : ", not public")
            let connect = result.retrieval.connection?.timings.connect.map { "\(Int($0.rounded())) ms" }
            kinds.insert(serves)
            return """
                <tr role="row" class="\(tone)">\
                <th role="rowheader" scope="row" class="code"><bdi>\(address.onOneLine(upTo: 60))</bdi></th>\
                <td role="cell">\(HTML.mark(mark, tone)) \(serves)</td>\
                <td role="cell" data-title="AASA-Bot">\(status(.crawler, address))</td>\
                <td role="cell" data-title="swcd">\(status(.device, address))</td>\
                <td role="cell" data-title="connect">\(connect ?? "")</td></tr>

                """
        }
        let note =
            results.isEmpty
            ? ""
            : results.count.of("address", "addresses") + (kinds.count == 1 && results.count > 1 ? ", all alike" : "")
        let table = HTML.table(["Address", "Serves", "AASA-Bot", "swcd", "Connect"], rows)
        return """
            <section>\(HTML.heading("Origin", note))
            \(table, if: !rows.isEmpty)
            <dl class="facts">\(facts)</dl></section>
            """
    }

    private var facts: [HTML] {
        var facts: [HTML] = []
        func add(_ name: String, _ text: String?) {
            if let text, !text.isEmpty { facts.append(HTML.fact(name, text.onOneLine(upTo: 400))) }
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
                add(
                    "Certificate",
                    left > 0 ? "expires in \(Int(left / 86400).of("day")), on \(when)" : "expired on \(when)")
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
            add(
                "From \(result.name.shortened(to: 40))",
                ServedCell(result.retrieval, in: readings).words(besides: ServedCell(origin, in: readings)))
        }
        return facts
    }

    /// Each file that edges serve, the most common one first, and the origin's.
    var sources: [TriedURL.Source] {
        let results = full.full?.edges ?? []
        let copies =
            full.mode.readsCDN
            ? results.isEmpty ? [full.cdn.retrieval].compactMap(\.self) : results.map(\.retrieval) : []
        func file(_ retrieval: Retrieval) -> ContentHash? {
            retrieval.answer.flatMap { $0.status == 200 ? $0.body.hash : nil }
        }
        let origin = file(full.origin)
        let groups = Dictionary(grouping: copies.filter { file($0) != nil }) { file($0) }
            .sorted { ($0.value.count, $0.key?.hex ?? "") > ($1.value.count, $1.key?.hex ?? "") }.prefix(3)
        func name(_ place: String, _ retrieval: Retrieval) -> String {
            place + (version(of: retrieval).map { " (\($0))" } ?? "")
        }
        var all = groups.compactMap { hash, copies -> TriedURL.Source? in
            guard let hash, let first = copies.first else { return nil }
            let place =
                (results.isEmpty ? "Apple’s copy" : copies.count.of("edge"))
                + (hash == origin ? ", origin" : "")
            return TriedURL.Source(
                name: name(place, first), isOrigin: hash == origin, isRead: true, content: full.contents[hash])
        }
        if !all.contains(where: \.isOrigin) {
            all.append(
                TriedURL.Source(
                    name: name("Origin", full.origin), isOrigin: true, isRead: !full.mode.readsCDN,
                    content: origin.flatMap { full.contents[$0] }))
        }
        return all
    }
}

/// What the last full check saw, verbatim.
struct EvidencePart: Equatable, Sendable {
    let id: String
    let title: String
    let note: String
    let text: String

    /// Bytes; the rest of a longer file is cut.
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

extension DomainView {
    /// A report for Apple about a wrong or missing copy: words and evidence in one text, ready to paste. nil unless
    /// Apple's CDN lags, differs or has no copy.
    var reportForApple: String? {
        guard let full else { return nil }
        let (time, domain) = (frame.time, watched.domain)
        let title: String
        switch record.status {
        // If Apple has a copy that opens nothing, the fault is not Apple's.
        case .missing where record.summary?.hasNoCopy == true:
            title = "Apple's CDN has no copy of the apple-app-site-association file of \(domain.name)"
        case .stale, .propagating:
            title = "Apple's CDN serves an old apple-app-site-association file of \(domain.name)"
        case .divergent:
            title = "Apple's CDN serves an apple-app-site-association file that \(domain.name) does not serve"
        default: return nil
        }
        let text = state?.verdict?.text(at: time.wall)
        var lines = [title, ""]
        if let effect = text?.effect { lines.append("What phones do: \(effect)") }
        if let cause = text?.cause { lines.append("Why: \(cause)") }
        if let changedAt = record.summary?.changedAt {
            lines.append("The file at the origin changed at \(time.shown(changedAt).rfc3339).")
        }
        lines.append("Seen at \(time.shown(full.checkedAt).rfc3339) by aasa-monitor \(frame.version).")
        for part in EvidencePart.retrievals(full) {
            lines += ["", part.title] + part.text.split(separator: "\n").map { "  \($0)" }
        }
        return lines.joined(separator: "\n")
    }
}
