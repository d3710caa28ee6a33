// The evidence as text: one line if all servers agree, otherwise a table.

import Evidence
import Facts
import Foundation
import Report

struct EvidenceText {
    let report: CheckReport
    let style: TextStyle

    private static let indentation = 11

    private var observation: Observation { report.observation }
    private var full: FullCheck? { observation.full }
    /// What the plain request to the origin got; the others are compared with it.
    private var plain: ServedCell { ServedCell(observation.origin, in: report.readings) }

    /// The same before any redirect was followed, like the probes of single addresses and with other user agents.
    private var firstHop: ServedCell { observation.origin.redirects.first.map(ServedCell.init(hop:)) ?? plain }

    var lines: [String] {
        var lines = heading("origin", observation.origin.url)
        lines += facts(of: observation.origin) + chain + addresses + agents + rootCopy + namedPlaces + vantages
        lines += heading("cdn", report.cdnURL)
        switch observation.cdn {
        case .asked(let retrieval): lines += facts(of: retrieval) + edges
        case .notAsked(.originHasNoFile):
            lines += note("not asked: \(whyUnasked), and Apple would cache the failure; --ask-cdn asks anyway")
        case .notAsked(.mode):
            lines += note("not asked: devices in \(observation.mode.rawValue) mode read the origin")
        }
        return lines + pages
    }

    /// The request by name decides whether the CDN is asked. This text must not contradict the table above it.
    private var whyUnasked: String {
        if observation.origin.failure?.hasNoAddress == true { return "the name does not resolve" }
        let having = (full?.addresses ?? []).filter { report.readings.file(of: $0.retrieval) != nil }
        guard let first = having.first else { return "the origin has no file yet" }
        return "the request by name got no file, though \(first.address.address) has one"
    }

    /// One line: what the origin gave, who gets something else, and how many of Apple's edges have its file.
    var brief: String {
        let origin = observation.origin
        var facts = ["origin \(Self.brief(plain, origin))"]
        if let answer = origin.answer { facts.append(answer.body.decodedBytes.of("byte")) }
        if let end = origin.connection?.tls?.chain.first?.notAfter {
            let left = end.timeIntervalSince(report.now)
            facts.append(left > 0 ? "certificate \(left.inWords)" : "certificate expired")
        }
        let cells = (full?.addresses ?? []).map { ServedCell($0.retrieval, in: report.readings) }
        let others = cells.count { !$0.isLike(firstHop) }
        // A redirect that is not followed to its end is one hop by name, but an answer at each address.
        let isAlike = cells.first.map { first in cells.allSatisfy { $0.isLike(first) } } ?? true
        if others > 0, !isAlike { facts.append("\(others) of \(cells.count) addresses differ") }
        let clients =
            (full?.agents ?? []).filter(differs).map { ($0.agent.shortName, $0.retrieval) }
            + (full?.vantages ?? []).filter { !ServedCell($0.retrieval, in: report.readings).isLike(plain) }
            .map { ("from \($0.name.inSentence)", $0.retrieval) }
        return
            ([facts.joined(separator: ", ")]
            + clients.map { "\($0) \(Self.brief(ServedCell($1, in: report.readings), $1))" }.uniqued + [copy])
            .joined(separator: " · ").displayable
    }

    private var copy: String {
        guard case .asked(let retrieval) = observation.cdn else { return "Apple not asked" }
        let codes = ([retrieval] + (full?.edges ?? []).map(\.retrieval)).compactMap {
            $0.answer.flatMap { CrawlerFailure($0)?.code }
        }
        let said = codes.isEmpty ? "" : " (\(codes.uniqued.listed(upTo: 2)))"
        guard let edges = report.verdict.comparison.edges, edges.asked > 0 else {
            return "Apple \(Self.brief(ServedCell(retrieval, in: report.readings), retrieval))\(said)"
        }
        // Without a file at the origin, edges cannot be in sync, and a copy is not wrong.
        if edges.inSync == 0, edges.unknown > 0 {
            return "Apple has a file on \(edges.unknown) of \(edges.asked.of("edge"))\(said)"
        }
        return "Apple \(edges.inSync) of \(edges.asked.of("edge"))\(said)"
    }

    /// The status alone, or why there is none.
    private static func brief(_ cell: ServedCell, _ retrieval: Retrieval) -> String {
        if let answer = retrieval.answer { return "\(answer.status)" }
        return cell.words().shortened(to: 60)
    }

    // MARK: - Lines

    private func heading(_ name: String, _ text: String) -> [String] {
        let label = name + String(repeating: " ", count: Self.indentation - 2 - name.count)
        return ["  " + style.dim(label) + text.displayable]
    }

    private func note(_ text: String) -> [String] {
        style.wrapped(text.displayable, indentation: Self.indentation, hanging: 2)
    }

    /// Facts in a row; lines break only between two facts.
    private func note(facts: [String]) -> [String] {
        note(facts.map { $0.replacing(" ", with: "\u{A0}") }.joined(separator: ", "))
            .map { $0.replacing("\u{A0}", with: " ") }
    }

    /// A row for each of several servers: which it is, and what it gave.
    private func table(_ rows: [(name: String, facts: [String])]) -> [String] {
        TextTable(rows: rows.map { [$0.name, $0.facts.filter { !$0.isEmpty }.joined(separator: ", ").displayable] })
            .lines(indentation: Self.indentation + 2, style: style)
    }

    /// The facts of one retrieval in about two lines.
    private func facts(of retrieval: Retrieval) -> [String] {
        var lines = redirects(of: retrieval)
        switch retrieval.outcome {
        case .failed(let failure): lines += note("no answer: \(failure.detail.displayable.shortened(to: 200))")
        case .answered(let answer):
            var facts = ["status \(answer.status)"]
            if let type = answer.header("content-type") { facts.append(type.displayable.shortened(to: 80)) }
            facts.append(answer.body.decodedBytes.of("byte"))
            if let hash = answer.body.hash { facts.append("sha256 \(hash.hex.prefix(12))…") }
            if let age = answer.age { facts.append("age \(age) s" + (answer.maxAge.map { " of \($0) s" } ?? "")) }
            lines += note(facts: facts)
        }
        if let connection = retrieval.connection {
            var facts: [String] = []
            if let address = connection.address { facts.append(address) }
            if let version = connection.httpVersion { facts.append("HTTP/\(version)") }
            if let version = connection.tls?.version { facts.append(version) }
            if let end = connection.tls?.chain.first?.notAfter { facts.append("certificate until \(end.rfc3339)") }
            facts.append("\((connection.timings.total / 1000).inWords)")
            lines += note(facts: facts)
        }
        return lines
    }

    private func redirects(of retrieval: Retrieval) -> [String] {
        retrieval.redirects.flatMap { note("\($0.status) to \(($0.location ?? "nowhere").shortened(to: 160))") }
    }

    /// The certificates as the server sent them, leaf first.
    private var chain: [String] {
        guard let tls = observation.origin.connection?.tls, let last = tls.chain.last else { return [] }
        var names = tls.chain.map { Self.shortName($0.subject) }
        if last.issuer != last.subject { names.append("(\(Self.shortName(last.issuer)))") }
        return note("chain: " + names.joined(separator: " ← ") + (tls.trusted ? "" : ", not verified"))
    }

    static func shortName(_ subject: String) -> String {
        CertificateFacts.name(in: subject).displayable.shortened(to: 80)
    }

    // MARK: - The origin

    private var addresses: [String] {
        guard let results = full?.addresses, results.count > 1 else { return [] }
        let cells = results.map { ServedCell($0.retrieval, in: report.readings) }
        if let first = cells.first, cells.allSatisfy({ $0.isLike(first) }) {
            return note("\(results.count) addresses, \(first.wordsForAll)")
        }
        let rows = zip(results, cells).map { result, cell in
            (
                result.address.address,
                [
                    cell.words(besides: plain), result.address.scope == .public ? "" : Self.words(result.address.scope),
                    result.retrieval.connection?.timings.connect.map { "connected in \(($0 / 1000).inWords)" } ?? "",
                ]
            )
        }
        return note("\(results.count) addresses, not all alike:") + table(rows)
    }

    private static func words(_ scope: AddressScope) -> String {
        scope.rawValue.replacing("_", with: " ")
    }

    /// Apple's clients that got something else than this program at the same address.
    private var agents: [String] {
        (full?.agents ?? []).flatMap { result -> [String] in
            let cell = ServedCell(result.retrieval, in: report.readings)
            guard differs(result) else { return [] }
            let who =
                switch result.agent {
                case .crawler: "as Apple's crawler (AASA-Bot)"
                case .device: "as a device (CFNetwork)"
                }
            let place = (full?.addresses.count ?? 0) > 1 ? result.address.map { " at \($0)" } ?? "" : ""
            return note("\(who)\(place): \(cell.words(besides: plain))")
        }
    }

    /// Whether it got something else than this program at the same address.
    private func differs(_ result: AgentResult) -> Bool {
        let address = result.address ?? result.retrieval.connection?.address
        let same = full?.addresses.first { address != nil && $0.address.address == address }
        let expected = same.map { ServedCell($0.retrieval, in: report.readings) } ?? firstHop
        return !ServedCell(result.retrieval, in: report.readings).isLike(expected)
    }

    /// The copy at the root, if it is another file.
    private var rootCopy: [String] {
        guard let copy = full?.rootCopy, report.readings.file(of: copy) != nil else { return [] }
        let cell = ServedCell(copy, in: report.readings)
        return cell.isLike(plain) ? [] : note("at /apple-app-site-association: \(cell.words(besides: plain))")
    }

    /// What is at the places where the user looked for the file.
    private var namedPlaces: [String] {
        (full?.namedPlaces ?? []).flatMap { place in
            note("at \(place.url.shortened(to: 160)): \(ServedCell(place, in: report.readings).words(besides: plain))")
        }
    }

    private var vantages: [String] {
        (full?.vantages ?? []).flatMap { result in
            let cell = ServedCell(result.retrieval, in: report.readings)
            return note("from \(result.name): \(cell.isLike(plain) ? "the same" : cell.words(besides: plain))")
        }
    }

    // MARK: - The CDN

    private var edges: [String] {
        guard let results = full?.edges, results.count > 1 else { return [] }
        let cells = results.map { ServedCell($0.retrieval, in: report.readings) }
        if let first = cells.first, cells.allSatisfy({ $0.isLike(first) }) {
            return note("\(results.count) edges, \(first.wordsForAll)")
        }
        let rows = zip(results, cells).map { result, cell in
            let answer = result.retrieval.answer
            let age = answer?.age.map { age in "age \(age) s" + (answer?.maxAge.map { " of \($0) s" } ?? "") }
            return (
                result.address,
                [cell.words(besides: plain), age ?? "", result.shortName.map { "from \($0.shortened(to: 24))" } ?? ""]
            )
        }
        return note("\(results.count) edges, not all alike:") + table(rows)
    }

    // MARK: - The pages behind the links

    private var pages: [String] {
        let results = full?.pages ?? []
        return results.flatMap { result -> [String] in
            let lines = heading("page", result.url.shortened(to: 200)) + redirects(of: result.retrieval)
            if result.appStore != nil { return lines + note("leads to the App Store") }
            switch result.retrieval.outcome {
            case .failed(let failure): return lines + note("no answer: \(failure.detail.shortened(to: 200))")
            case .answered(let answer):
                let type = answer.header("content-type").map { [$0.shortened(to: 80)] } ?? []
                return lines + note(facts: ["status \(answer.status)"] + type)
            }
        }
    }
}
