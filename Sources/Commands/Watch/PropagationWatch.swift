// Probes a domain's edges again and again until each serves what the origin serves, and reports what happens.

import Evidence
import Facts
import Foundation
import Monitoring
import Probing

/// What happens during a watch.
struct WatchEvent: Sendable {
    let kind: Kind
    let at: Date
    /// The watch after the event.
    let watch: PropagationWatch
    /// The address of the edge that it is about; nil if it is about all.
    var edge: String?
    /// The text of a failure.
    var detail: String?
    /// Why there is nothing to wait for.
    var findings: [FindingText] = []

    var elapsed: TimeInterval { max(0, at.timeIntervalSince(watch.begin)) }
    /// The state of its edge compared with the goal; nil if the edge is gone.
    var state: WatchedEdge.State? { watch.edges.first { $0.address == edge }.map { $0.state(watch.goal) } }

    /// The events in docs/reference/json.md, and the end of a round of probes, which only a board shows.
    enum Kind: String, Sendable {
        case started, goalSet, goalMoved, originUnreadable, originReadable, lookEnded, allUnreachable
        case edgeSeen, edgePickedUp, edgeFellBack, edgeChanged, edgeUnreachable, edgeReachable, edgeAdded, edgeRemoved
        case inSync, timeLimit, interrupted, nothingToWaitFor
    }
}

/// What one edge was seen to serve.
struct WatchedEdge: Sendable {
    let address: String
    /// `usqas4 17.253.21.205`, as the page of a domain names it; only the address if the edge says no name.
    fileprivate(set) var name: String
    let retrieval: Retrieval
    /// The meaning of what it serves; nil if that is not a file.
    let meaning: ContentHash?
    /// When it was first seen with the goal; nil while it serves something else. A probe without an answer changes
    /// nothing.
    fileprivate(set) var inSyncSince: Date?
    /// Probes so far, if none was answered; nil once it has answered.
    fileprivate(set) var unanswered: Int? = 0

    /// Its state compared with the goal, for JSON; the text after its address; the error of the network or of Apple.
    typealias State = (name: String, words: String, detail: String?)

    /// `contents`: the bodies that the result names by their hash.
    init(_ result: EdgeResult, _ contents: [ContentHash: Data]) {
        retrieval = result.retrieval
        // A proxy's address is not the address of an edge.
        let isKnown = !result.address.isEmpty && retrieval.connection?.viaProxy != true
        address = isKnown ? result.address : "the CDN"
        name = isKnown ? [result.shortName, address].compactMap(\.self).joined(separator: " ") : address
        meaning = retrieval.answer?.body.hash.flatMap { contents[$0] }.flatMap { ContentReading($0).meaning }
    }

    func state(_ goal: ContentReading?) -> State {
        guard let answer = retrieval.answer else {
            let words = retrieval.failure?.detail.displayable.shortened(to: 160) ?? "no answer"
            return ("unreachable", "cannot be reached: \(words)", words)
        }
        guard retrieval.isAboutFile else {
            let words = answer.isAboutFile ? "the answer is incomplete" : "status \(answer.status)"
            return ("unreachable", "says nothing about the file: \(words)", words)
        }
        guard answer.status == 200 else {
            let words = "status \(answer.status)" + (CrawlerFailure(answer).map { ", Apple says: \($0.words)" } ?? "")
            return ("missing", "has no copy: \(words)", words)
        }
        guard let meaning else { return ("no_file", "serves something that is not a file", nil) }
        return meaning == goal?.meaning
            ? ("in_sync", "serves the new file", nil) : ("behind", "serves another file", nil)
    }
}

/// The state of a watch: which edge serves what. Pure: callers pass the time.
struct PropagationWatch: Sendable {
    let begin: Date
    /// The file that every edge must serve; nil before the origin was read.
    private(set) var goal: ContentReading?
    /// In the order of their addresses.
    private(set) var edges: [WatchedEdge] = []
    /// Finished rounds of probes of all edges.
    private var looks = 0
    private(set) var isOriginReadable = true
    private var isSilenceTold = false
    /// The edges seen in the current round, and the edges asked; empty if the addresses are not known here.
    private var (seen, asked): (Set<String>, [String]) = ([], [])

    init(begin: Date) { self.begin = begin }

    /// How many edges there are: in the first round some have not answered yet.
    var count: Int { looks == 0 ? max(asked.count, edges.count) : edges.count }
    var inSyncCount: Int { edges.count(where: isInSync) }
    var tally: String { "\(inSyncCount) of \(count.of("edge")) in sync" }
    /// The same for the end of a watch that did not succeed.
    var share: String {
        "\(inSyncCount) of \(count.of("edge")) \(inSyncCount == 1 || count == 1 ? "has" : "have") the new file"
    }

    func isInSync(_ edge: WatchedEdge) -> Bool { edge.meaning != nil && edge.state(goal).name == "in_sync" }

    /// Edges that gave no answer at all in their first three probes. The watch does not wait for them: this machine may
    /// be unable to reach them, for example without IPv6.
    private var unasked: [WatchedEdge] { edges.filter { $0.unanswered ?? 0 >= 3 } }

    /// Edges whose first probe is still running. Behind a proxy all edges are one.
    var unheard: [String] {
        let heard = edges.map(\.address)
        return heard.allSatisfy(asked.contains) ? asked.filter { !heard.contains($0) } : []
    }

    /// False if no edge can be reached.
    private var isEveryEdgeInSync: Bool { inSyncCount > 0 && inSyncCount + unasked.count == count }

    /// Whether to read the origin again, because a newer deploy may have moved the goal: in every tenth round, and
    /// before success is reported.
    var wantsOrigin: Bool { isEveryEdgeInSync || looks % 10 == 0 }

    /// Whether the watch has succeeded, provided that the origin was read after the last round.
    var isComplete: Bool { isEveryEdgeInSync && isOriginReadable }

    func event(_ kind: WatchEvent.Kind, at now: Date, edge: String? = nil, detail: String? = nil) -> WatchEvent {
        WatchEvent(kind: kind, at: now, watch: self, edge: edge, detail: detail)
    }

    /// Takes in a reading of the origin. If the first one finds no file, there is nothing to wait for.
    mutating func onOrigin(_ observation: Observation, at now: Date) -> [WatchEvent] {
        let (readings, wasReadable) = (Readings(observation), isOriginReadable)
        let file = readings.originFile.flatMap { $0.namesService && $0.meaning != nil ? $0 : nil }
        isOriginReadable = file != nil
        if let file {
            let news = wasReadable ? [] : [event(.originReadable, at: now)]
            guard file.meaning != goal?.meaning else { return news }
            let kind = goal == nil ? WatchEvent.Kind.goalSet : .goalMoved
            goal = file
            for index in edges.indices { edges[index].inSyncSince = isInSync(edges[index]) ? now : nil }
            return news + [event(kind, at: now)]
        }
        guard goal == nil else {
            let origin = observation.origin
            let status = origin.answer.map { $0.status == 200 ? "its answer is not a file" : "status \($0.status)" }
            let words = origin.failure?.detail.displayable.shortened(to: 160) ?? status
            return wasReadable ? [event(.originUnreadable, at: now, detail: words)] : []
        }
        let detail = readings.absence == nil ? "the origin serves no file that can be read" : "the origin has no file"
        var end = event(.nothingToWaitFor, at: now, detail: detail)
        let verdict = Verdict(of: readings, checks: CheckSettings(certificateWarning: .zero), now: now)
        end.findings = verdict.findings.filter { $0.severity == .error }.map { $0.text(at: now) }
        return [end]
    }

    /// Takes in a step of a round of probes.
    mutating func on(_ news: EdgeNews, at now: Date) -> [WatchEvent] {
        guard case .seen(let result, let contents) = news else {
            if case .asking(let addresses) = news { (seen, asked) = ([], addresses) }
            return []
        }
        var edge = WatchedEdge(result, contents)
        // Several edges may be behind one proxy's address; the last answer represents all.
        seen.insert(edge.address)
        let old = edges.firstIndex { $0.address == edge.address }.map { edges.remove(at: $0) }
        edge.unanswered = edge.retrieval.answer != nil ? nil : (old.map(\.unanswered) ?? 0).map { $0 + 1 }
        // An edge that gives no answer tells no name.
        if edge.retrieval.answer == nil, let old { edge.name = old.name }
        edge.inSyncSince = old?.inSyncSince
        if edge.retrieval.isAboutFile {
            // An edge that is in sync in the first round had the file before the watch began.
            edge.inSyncSince = isInSync(edge) ? edge.inSyncSince ?? (looks == 0 ? begin : now) : nil
        }
        edges.append(edge)
        edges.sort { $0.address.compare($1.address, options: .numeric) == .orderedAscending }
        let kind =
            if let old { change(from: old, to: edge) } else { looks == 0 ? WatchEvent.Kind.edgeSeen : .edgeAdded }
        return kind.map { [event($0, at: now, edge: edge.address)] } ?? []
    }

    private func change(from old: WatchedEdge, to new: WatchedEdge) -> WatchEvent.Kind? {
        let wasSilent = !old.retrieval.isAboutFile
        if !new.retrieval.isAboutFile { return wasSilent ? nil : .edgeUnreachable }
        let isInSync = new.inSyncSince != nil
        if isInSync != (old.inSyncSince != nil) { return isInSync ? .edgePickedUp : .edgeFellBack }
        if wasSilent { return .edgeReachable }
        return old.meaning == new.meaning && old.state(goal) == new.state(goal) ? nil : .edgeChanged
    }

    /// Ends a round: each existing edge has been seen.
    mutating func onLookEnd(at now: Date) -> [WatchEvent] {
        looks += 1
        let gone = edges.map(\.address).filter { !seen.contains($0) }
        edges.removeAll { gone.contains($0.address) }
        var events = gone.map { event(.edgeRemoved, at: now, edge: $0) }
        let isSilent = !edges.isEmpty && edges.allSatisfy { !$0.retrieval.isAboutFile }
        if isSilent, !isSilenceTold {
            // What edges answer instead of the file, such as `status 500`.
            let answers = Set(edges.filter { $0.retrieval.answer != nil }.compactMap { $0.state(goal).detail })
            let detail = answers.isEmpty ? nil : answers.sorted().prefix(4).joined(separator: ", ")
            events.append(event(.allUnreachable, at: now, detail: detail))
        }
        isSilenceTold = isSilent
        return events + [event(.lookEnded, at: now)]
    }

    /// The last event, which names the edges that gave no answer.
    func end(_ kind: WatchEvent.Kind, at now: Date) -> WatchEvent {
        let words = unasked.map { $0.name + ($0.state(goal).detail.map { " (\($0.shortened(to: 120)))" } ?? "") }
        let (start, names) = kind == .inSync ? ("could not be reached: ", words) : ("no answer yet: ", unheard)
        let detail = names.isEmpty ? nil : start + names.joined(separator: ", ")
        return event(kind, at: now, detail: goal == nil ? "the origin has not answered yet" : detail)
    }
}

/// The watch of one domain. A signal cancels its task, and so does the time limit shortly after it has passed. An
/// interrupted probe says nothing about an edge.
struct WatchLoop: Sendable {
    let time: any MonitorClock
    let begin: Date
    let every: Duration
    let limit: Duration
    /// They throw `CancellationError` only.
    let origin: @Sendable () async throws -> Observation
    let edges: @Sendable (@escaping @Sendable (EdgeNews) -> Void) async throws -> Void
    let tell: @Sendable (WatchEvent) -> Void

    func run() async -> WatchEvent {
        var watch = PropagationWatch(begin: begin)
        tell(watch.event(.started, at: begin))
        let end: WatchEvent
        do {
            end = try await wait(&watch)
        } catch {
            end = watch.end(left > .zero ? .interrupted : .timeLimit, at: time.now())
        }
        // After an interruption before the origin was read, there is nothing to report.
        if end.kind != .interrupted || watch.goal != nil { tell(end) }
        return end
    }

    private func wait(_ watch: inout PropagationWatch) async throws -> WatchEvent {
        let first = watch.onOrigin(try await origin(), at: time.now())
        if let end = first.last, end.kind == .nothingToWaitFor { return end }
        first.forEach(tell)
        while true {
            try await look(&watch)
            if watch.wantsOrigin, left > .zero {
                watch.onOrigin(try await origin(), at: time.now()).forEach(tell)
                if watch.isComplete { return watch.end(.inSync, at: time.now()) }
            }
            if left > .zero { try await time.sleep(for: min(every, left)) }
            guard left > .zero else { return watch.end(.timeLimit, at: time.now()) }
        }
    }

    /// One round of probes; reports each edge when it answers.
    private func look(_ watch: inout PropagationWatch) async throws {
        let (steps, feed) = AsyncStream.makeStream(of: EdgeNews.self)
        async let look: Void = {
            defer { feed.finish() }
            try await edges { feed.yield($0) }
        }()
        for await step in steps { watch.on(step, at: time.now()).forEach(tell) }
        try await look
        watch.onLookEnd(at: time.now()).forEach(tell)
    }

    private var left: Duration { limit - .milliseconds(Int64(time.now().timeIntervalSince(begin) * 1000)) }
}
