// The looks of a watch: at the origin for the goal, at every edge for how far it has come.

import Evidence
import Facts
import Foundation
import Probing
import Report

struct WatchProbe: Sendable {
    let probe: DomainProbe
    let domain: Domain

    /// What there is to wait for.
    enum Goal: Sendable {
        case file(WatchGoal)
        /// The origin has no file, or none that can be read; the report says why.
        case nothing(NothingToWaitFor)
    }

    /// `left`: no request takes longer.
    func goal(at now: Date, within left: Duration) async throws -> Goal {
        let (retrieval, readings) = try await fetch(at: now, within: left)
        if case .file(let goal) = Self.fetched(of: retrieval, readings) { return .file(goal) }
        let verdict = Verdict(of: readings, checks: CheckSettings(certificateWarning: .zero), now: now)
        return .nothing(
            NothingToWaitFor(
                domain: domain, at: now, isMissing: readings.absence != nil,
                findings: verdict.findings.filter { $0.severity == .error }))
    }

    func origin(within left: Duration) async throws -> OriginAnswer {
        let (retrieval, readings) = try await fetch(at: Date(), within: left)
        return Self.fetched(of: retrieval, readings)
    }

    /// So long all edges are waited for together. One that takes longer is asked again by itself.
    private static let edgeTimeout: Duration = .seconds(2)

    /// Asks every edge but the slow ones, and tells each as it answers.
    func edges(
        but slow: Set<String>, within left: Duration, tell: @escaping @Sendable (EdgeResults) -> Void
    ) async throws {
        try await probe.edges(of: domain, but: slow, timeout: left, edgeTimeout: Self.edgeTimeout) { news in
            switch news {
            case .asking(let addresses): tell(.asking(addresses))
            case .seen(let result, _) where result.retrieval.failure?.kind == .timedOut && !result.isHidden:
                tell(.slow(result.address))
            case .seen(let result, let contents): tell(.seen(EdgeAnswer(result, contents: contents)))
            }
        }
    }

    /// Gives one edge all the time of a request.
    func edge(_ address: String, within left: Duration) async throws -> EdgeAnswer {
        let (result, contents) = try await probe.edge(address, of: domain, timeout: left)
        return EdgeAnswer(result, contents: contents)
    }

    private func fetch(at now: Date, within left: Duration) async throws -> (Retrieval, Readings) {
        let (retrieval, body) = try await probe.original(of: domain, timeout: left)
        var contents: [ContentHash: Data] = [:]
        if let hash = retrieval.answer?.body.hash { contents[hash] = body }
        let observation = Observation(
            domain: domain, checkedAt: now, origin: retrieval, cdn: .notAsked(.originHasNoFile), contents: contents)
        return (retrieval, Readings(observation))
    }

    private static func fetched(of retrieval: Retrieval, _ readings: Readings) -> OriginAnswer {
        if let file = readings.originFile, file.namesService, let meaning = file.meaning {
            return .file(WatchGoal(meaning: meaning, content: file.hash, bytes: file.byteCount))
        }
        switch retrieval.outcome {
        case .failed(let failure): return .broken(failure.detail.displayable.shortened(to: 160))
        case .answered(let answer):
            return .broken(answer.status == 200 ? "its answer is no file" : "status \(answer.status)")
        }
    }
}

/// A step of a look at all edges.
enum EdgeResults: Sendable {
    /// What is asked now; none where the addresses are not known here.
    case asking([String])
    case seen(EdgeAnswer)
    /// That edge takes longer than the others are made to wait.
    case slow(String)
}

/// Why a watch ended before it began.
struct NothingToWaitFor: Sendable {
    let domain: Domain
    let at: Date
    /// Whether the origin says that there is no such file.
    let isMissing: Bool
    let findings: [Finding]

    /// Why, and what to do.
    var message: String {
        isMissing
            ? "the origin has no file, so there is nothing to wait for; deploy it first"
            : "the origin serves no file that can be read, so there is nothing to wait for; repair that first"
    }

    /// For a line beside others.
    var brief: String { isMissing ? "the origin has no file" : "the origin's file cannot be read" }

    func text(style: TextStyle) -> String {
        var lines = ["\(style.bold(domain.name))  \(style.verdict(.failing))"]
        lines += style.wrapped(message, indentation: 2)
        for finding in findings.map({ $0.text(at: at) }) { lines += [""] + CheckReport.text(of: finding, style: style) }
        return lines.joined(separator: "\n")
    }

    var json: OrderedJSON {
        .object([
            ("schema", .string("aasa-monitor/watch/v1")), ("event", .string("nothing_to_wait_for")),
            ("domain", .string(domain.name)), ("at", .string(at.rfc3339)), ("message", .string(message)),
            ("findings", .report(findings.map { $0.text(at: at) })),
        ])
    }
}

/// What one edge was seen to serve, reduced to what waiting needs.
struct EdgeAnswer: Equatable, Sendable {
    let address: String
    let content: Content
    /// Seconds in the edge's cache, and how many it may stay there.
    var age: Int?
    var maxAge: Int?
    /// Whether the edge answered anything at all, be it that it is in trouble.
    var isAnswer = true

    enum Content: Equatable, Sendable {
        /// A file, by its meaning.
        case file(ContentHash)
        /// Status 200 with something that is no file.
        case noFile
        /// The edge says that it has no copy; in Apple's own words where there are any.
        case missing(String)
        /// The edge said nothing about the file.
        case silent(String)
    }
}

extension EdgeResult {
    /// A proxy's address is no edge's.
    var isHidden: Bool { address.isEmpty || retrieval.connection?.viaProxy == true }
}

extension EdgeAnswer {
    /// `contents`: the bodies that the look names by their hash.
    init(_ result: EdgeResult, contents: [ContentHash: Data]) {
        self.init(
            address: result.isHidden ? "the CDN" : result.address,
            content: Self.content(of: result.retrieval, contents: contents), age: result.retrieval.answer?.age,
            maxAge: result.retrieval.answer?.maxAge, isAnswer: result.retrieval.answer != nil)
    }

    private static func content(of retrieval: Retrieval, contents: [ContentHash: Data]) -> Content {
        guard let answer = retrieval.answer else {
            return .silent(retrieval.failure?.detail.displayable.shortened(to: 160) ?? "no answer")
        }
        guard answer.isAboutFile else { return .silent("status \(answer.status)") }
        guard answer.status == 200 else {
            let words = CrawlerFailure(answer).map { ", Apple says: \($0.words)" } ?? ""
            return .missing("status \(answer.status)\(words)")
        }
        guard answer.body.end == .complete, let body = answer.body.hash.flatMap({ contents[$0] }) else {
            return .silent("the answer breaks off")
        }
        return ContentReading(body).meaning.map(Content.file) ?? .noFile
    }
}
