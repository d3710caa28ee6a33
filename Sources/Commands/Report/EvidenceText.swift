// What was seen, for people: a line where all is alike, a table where it is not.

import Evidence
import Facts
import Foundation

struct EvidenceText {
    let report: CheckReport
    let style: TextStyle

    private static let indentation = 11

    private var observation: Observation { report.observation }
    private var full: FullLook? { observation.full }
    /// What the plain request to the origin got; the others are compared with it.
    private var plain: Serving { Serving(observation.origin, in: report.readings) }

    /// The same before any redirect was followed, as the looks at single addresses and under other names are.
    private var firstHop: Serving { observation.origin.redirects.first.map(Serving.init(hop:)) ?? plain }

    var lines: [String] {
        var lines = heading("origin", observation.origin.url)
        lines += facts(of: observation.origin) + chain + addresses + agents + rootCopy + vantages
        lines += heading("cdn", report.cdnURL)
        switch observation.cdn {
        case .asked(let retrieval): lines += facts(of: retrieval) + edges
        case .notAsked(.originHasNoFile):
            lines += note("not asked: \(whyUnasked), and Apple would remember the failure; --ask-cdn asks anyway")
        case .notAsked(.mode):
            lines += note("not asked: devices in \(observation.mode.rawValue) mode read the origin")
        }
        return lines + pages
    }

    /// The request by name decides whether the CDN is asked; what is said here must not belie the table above it.
    private var whyUnasked: String {
        if observation.origin.failure?.hasNoAddress == true { return "the name does not resolve" }
        let having = (full?.addresses ?? []).filter { report.readings.file(of: $0.retrieval) != nil }
        guard let first = having.first else { return "the origin has no file yet" }
        return "the request by name got no file, though \(first.address.address) has one"
    }

    // MARK: - Lines

    private func heading(_ name: String, _ text: String) -> [String] {
        let label = name + String(repeating: " ", count: Self.indentation - 2 - name.count)
        return ["  " + style.dim(label) + text.displayable]
    }

    private func note(_ text: String) -> [String] {
        style.wrapped(text.displayable, indentation: Self.indentation, hanging: 2)
    }

    /// Facts in a row, broken between two of them and not inside one.
    private func note(facts: [String]) -> [String] {
        note(facts.map { $0.replacing(" ", with: "\u{A0}") }.joined(separator: ", "))
            .map { $0.replacing("\u{A0}", with: " ") }
    }

    /// A row for each of several servers: which it is, and what it gave.
    private func table(_ rows: [(name: String, facts: [String])]) -> [String] {
        TextTable(rows: rows.map { [$0.name, $0.facts.filter { !$0.isEmpty }.joined(separator: ", ").displayable] })
            .lines(indentation: Self.indentation + 2, style: style)
    }

    /// The facts of one retrieval in two lines or so.
    private func facts(of retrieval: Retrieval) -> [String] {
        var lines = redirects(of: retrieval)
        switch retrieval.outcome {
        case .failed(let failure): lines += note("no answer: \(failure.detail.displayable.shortened(to: 200))")
        case .answered(let answer):
            var facts = ["status \(answer.status)"]
            if let type = answer.header("content-type") { facts.append(type.displayable.shortened(to: 80)) }
            facts.append("\(answer.body.decodedBytes.grouped) bytes")
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
        guard let looks = full?.addresses, looks.count > 1 else { return [] }
        let servings = looks.map { Serving($0.retrieval, in: report.readings) }
        if let first = servings.first, servings.allSatisfy({ $0 == first }) {
            return note("\(looks.count) addresses, \(first.wordsForAll)")
        }
        let rows = zip(looks, servings).map { look, serving in
            (
                look.address.address,
                [
                    serving.words(besides: plain), look.address.scope == .public ? "" : Self.words(look.address.scope),
                    look.retrieval.connection?.timings.connect.map { "connected in \(($0 / 1000).inWords)" } ?? "",
                ]
            )
        }
        return note("\(looks.count) addresses, not all alike:") + table(rows)
    }

    private static func words(_ scope: AddressScope) -> String {
        scope.rawValue.replacing("_", with: " ")
    }

    /// Apple's own clients, where they got something else than this program at the same address.
    private var agents: [String] {
        (full?.agents ?? []).flatMap { look -> [String] in
            let serving = Serving(look.retrieval, in: report.readings)
            let address = look.address ?? look.retrieval.connection?.address
            let same = full?.addresses.first { address != nil && $0.address.address == address }
            let expected = same.map { Serving($0.retrieval, in: report.readings) } ?? firstHop
            guard serving != expected else { return [] }
            let who =
                switch look.agent {
                case .crawler: "as Apple's crawler (AASA-Bot)"
                case .device: "as a device (CFNetwork)"
                }
            let place = (full?.addresses.count ?? 0) > 1 ? look.address.map { " at \($0)" } ?? "" : ""
            return note("\(who)\(place): \(serving.words(besides: plain))")
        }
    }

    /// The copy at the root, where it is another file.
    private var rootCopy: [String] {
        guard let copy = full?.rootCopy, report.readings.file(of: copy) != nil else { return [] }
        let serving = Serving(copy, in: report.readings)
        return serving == plain ? [] : note("at /apple-app-site-association: \(serving.words(besides: plain))")
    }

    private var vantages: [String] {
        (full?.vantages ?? []).flatMap { look in
            let serving = Serving(look.retrieval, in: report.readings)
            return note("from \(look.name): \(serving == plain ? "the same" : serving.words(besides: plain))")
        }
    }

    // MARK: - The CDN

    private var edges: [String] {
        guard let looks = full?.edges, looks.count > 1 else { return [] }
        let servings = looks.map { Serving($0.retrieval, in: report.readings) }
        if let first = servings.first, servings.allSatisfy({ $0 == first }) {
            return note("\(looks.count) edges, \(first.wordsForAll)")
        }
        let rows = zip(looks, servings).map { look, serving in
            let answer = look.retrieval.answer
            let age = answer?.age.map { age in "age \(age) s" + (answer?.maxAge.map { " of \($0) s" } ?? "") }
            return (
                look.address,
                [serving.words(besides: plain), age ?? "", answer.flatMap(Self.place).map { "from \($0)" } ?? ""]
            )
        }
        return note("\(looks.count) edges, not all alike:") + table(rows)
    }

    /// Where an edge stands, by the last hop of its `Via`, such as `usqas4-vp-vst-001`; else by its network's name.
    private static func place(_ answer: Answer) -> String? {
        let hop = answer.header("via")?.split(separator: ",").last?.split(separator: " ").dropFirst().first
        let text = hop.map { String($0.prefix { $0 != "." }) } ?? answer.header("cdn-server")
        return text?.displayable.shortened(to: 24)
    }

    // MARK: - The pages behind the links

    private var pages: [String] {
        let looks = full?.pages ?? []
        return looks.flatMap { look -> [String] in
            let lines = heading("page", look.url.shortened(to: 200)) + redirects(of: look.retrieval)
            if look.appStore != nil { return lines + note("leads to the App Store") }
            switch look.retrieval.outcome {
            case .failed(let failure): return lines + note("no answer: \(failure.detail.shortened(to: 200))")
            case .answered(let answer):
                let type = answer.header("content-type").map { [$0.shortened(to: 80)] } ?? []
                return lines + note(facts: ["status \(answer.status)"] + type)
            }
        }
    }
}

/// What one of several servers gave, reduced to what matters to a reader of the file: to be compared with what the others
/// gave, and said in a few words.
struct Serving: Hashable {
    private enum Kind: Hashable {
        case file(meaning: ContentHash, bytes: ContentHash)
        /// Status 200 with something that is no file.
        case noFile(type: String, ContentHash?)
        case redirect(status: Int, target: String)
        case status(Int, reason: String)
        case cutShort
        case silence(Failure.Kind)
    }

    private let kind: Kind
    /// As libcurl says it; differs from one server to the next where the trouble is the same.
    private let detail: String

    init(_ retrieval: Retrieval, in readings: Readings) {
        detail = retrieval.failure?.detail.displayable.shortened(to: 120) ?? ""
        guard let answer = retrieval.answer else {
            kind = .silence(retrieval.failure?.kind ?? .malformedAnswer)
            return
        }
        // A redirect that was followed shows in what came of it.
        if (300..<400).contains(answer.status), let hop = retrieval.redirects.last {
            kind = .redirect(status: hop.status, target: hop.target ?? hop.location ?? "nowhere")
        } else if answer.status != 200 {
            kind = .status(answer.status, reason: CrawlerFailure(answer)?.words ?? "")
        } else if let file = readings.file(of: retrieval), let meaning = file.meaning {
            kind = .file(meaning: meaning, bytes: file.hash)
        } else if case .cutShort = answer.body.end {
            kind = .cutShort
        } else {
            kind = .noFile(type: answer.header("content-type") ?? "no Content-Type", answer.body.hash)
        }
    }

    init(hop: RedirectHop) {
        kind = .redirect(status: hop.status, target: hop.target ?? hop.location ?? "nowhere")
        detail = ""
    }

    /// Two looks are alike where a reader of the file would notice no difference.
    static func == (left: Serving, right: Serving) -> Bool {
        switch (left.kind, right.kind) {
        case (.file(let one, _), .file(let other, _)): one == other
        default: left.kind == right.kind
        }
    }

    func hash(into hasher: inout Hasher) {
        if case .file(let meaning, _) = kind { hasher.combine(meaning) } else { hasher.combine(kind) }
    }

    /// In the words of a table. `origin`: what the plain request got, to compare with.
    func words(besides origin: Serving? = nil) -> String {
        switch kind {
        case .file(let meaning, let bytes):
            guard case .file(let own, let ownBytes) = origin?.kind else { return "file \(bytes.hex.prefix(12))…" }
            if bytes == ownBytes { return "the origin's file" }
            return meaning == own
                ? "the origin's file, formatted differently" : "another file, \(bytes.hex.prefix(12))…"
        case .noFile(let type, _): return "no file, but \(type.displayable.shortened(to: 60))"
        case .redirect(let status, let target): return "\(status) to \(target.displayable.shortened(to: 120))"
        case .status(let status, let reason):
            return "status \(status)" + (reason.isEmpty ? "" : ", Apple says: \(reason.displayable.shortened(to: 120))")
        case .cutShort: return "the answer breaks off"
        case .silence: return "no answer: \(detail)"
        }
    }

    /// For several that are all alike.
    var wordsForAll: String {
        switch kind {
        case .file: "all serve the same"
        case .noFile, .cutShort: "all serve the same: \(words())"
        case .redirect(let status, let target): "all redirect: \(status) to \(target.displayable.shortened(to: 120))"
        case .status: "all answer with \(words())"
        case .silence: "none answers: \(detail)"
        }
    }
}
