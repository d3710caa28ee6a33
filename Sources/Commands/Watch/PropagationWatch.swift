// Looks at a domain's edges again and again until each serves what the origin serves, and tells what is worth telling.

import Evidence
import Facts
import Foundation
import Monitoring
import Probing

/// What happens while somebody waits for the CDN.
struct WatchEvent: Sendable {
    let kind: Kind
    let at: Date
    /// As it stands after the event.
    let watch: PropagationWatch
    /// The address of the edge that it is about; nil where it is about all.
    var edge: String?
    /// The words of a failure.
    var detail: String?
    /// Why there is nothing to wait for.
    var findings: [FindingText] = []

    var elapsed: TimeInterval { max(0, at.timeIntervalSince(watch.begin)) }
    /// How its edge stands to the goal; nil where that is gone.
    var state: WatchedEdge.State? { watch.edges.first { $0.address == edge }.map { $0.state(watch.goal) } }

    /// Those that docs/reference/json.md describes, and the end of a look, which only a board shows.
    enum Kind: String, Sendable {
        case started, goalSet, goalMoved, originUnreadable, originReadable, lookEnded, allUnreachable
        case edgeSeen, edgePickedUp, edgeFellBack, edgeChanged, edgeUnreachable, edgeReachable, edgeAdded, edgeRemoved
        case inSync, timeLimit, interrupted, nothingToWaitFor
    }
}

/// What one edge was seen to serve.
struct WatchedEdge: Sendable {
    let address: String
    /// `usqas4 17.253.21.205`, as the page of a domain names it; the address alone where the edge says no more.
    fileprivate(set) var name: String
    let retrieval: Retrieval
    /// The meaning of what it serves; nil where that is no file.
    let meaning: ContentHash?
    /// When it was first seen with the goal; nil while it serves something else. Silence is no news of the file.
    fileprivate(set) var inSyncSince: Date?
    /// Looks since the first without any answer; nil once it has answered.
    fileprivate(set) var unanswered: Int? = 0

    /// How it stands to the goal, for JSON; what it does, behind its address; the network's or Apple's words on it.
    typealias State = (name: String, words: String, detail: String?)

    /// `contents`: the bodies that the look names by their hash.
    init(_ result: EdgeResult, _ contents: [ContentHash: Data]) {
        retrieval = result.retrieval
        // A proxy's address is no edge's.
        let isKnown = !result.address.isEmpty && retrieval.connection?.viaProxy != true
        address = isKnown ? result.address : "the CDN"
        name = isKnown ? [result.shortName, address].compactMap(\.self).joined(separator: " ") : address
        meaning = retrieval.answer?.body.hash.flatMap { contents[$0] }.flatMap { ContentReading($0).meaning }
    }

    func state(_ goal: ContentReading?) -> State {
        guard let answer = retrieval.answer else {
            let words = retrieval.failure?.detail.displayable.shortened(to: 160) ?? "no answer"
            return ("unreachable", "cannot be asked: \(words)", words)
        }
        guard retrieval.isAboutFile else {
            let words = answer.isAboutFile ? "the answer breaks off" : "status \(answer.status)"
            return ("unreachable", "says nothing about the file: \(words)", words)
        }
        guard answer.status == 200 else {
            let words = "status \(answer.status)" + (CrawlerFailure(answer).map { ", Apple says: \($0.words)" } ?? "")
            return ("missing", "has no copy: \(words)", words)
        }
        guard let meaning else { return ("no_file", "serves something that is no file", nil) }
        return meaning == goal?.meaning
            ? ("in_sync", "serves the new file", nil) : ("behind", "serves another file", nil)
    }
}

/// The memory of a watch: which edge serves what. Pure: instants come with what was seen.
struct PropagationWatch: Sendable {
    let begin: Date
    /// The file that every edge shall serve; nil before the origin was read.
    private(set) var goal: ContentReading?
    /// In the order of their addresses.
    private(set) var edges: [WatchedEdge] = []
    /// Looks at all edges that are over.
    private var looks = 0
    private(set) var isOriginReadable = true
    private var isSilenceTold = false
    /// Who was seen in the look that goes on, of whom; of none where the addresses are not known here.
    private var (seen, asked): (Set<String>, [String]) = ([], [])

    init(begin: Date) { self.begin = begin }

    /// How many edges there are: at the first look some have not answered yet.
    var count: Int { looks == 0 ? max(asked.count, edges.count) : edges.count }
    var inSyncCount: Int { edges.count(where: isInSync) }
    var tally: String { "\(inSyncCount) of \(count.of("edge")) in sync" }

    func isInSync(_ edge: WatchedEdge) -> Bool { edge.meaning != nil && edge.state(goal).name == "in_sync" }

    /// Edges that gave no answer at all in their first three looks. Of a network that this machine does not reach, such as
    /// IPv6 without a way out, they say nothing about the file, and are not waited for.
    private var unasked: [WatchedEdge] { edges.filter { $0.unanswered ?? 0 >= 3 } }

    /// Edges whose first look still goes on. Behind a proxy all edges are one.
    var unheard: [String] {
        let heard = edges.map(\.address)
        return heard.allSatisfy(asked.contains) ? asked.filter { !heard.contains($0) } : []
    }

    /// Not where no edge can be asked.
    private var isEveryEdgeInSync: Bool { inSyncCount > 0 && inSyncCount + unasked.count == count }

    /// Whether a newer deploy may have moved the goal: asked at every tenth look, and before a success is reported.
    var wantsOrigin: Bool { isEveryEdgeInSync || looks % 10 == 0 }

    /// Whether the watch has reached its end, provided that the origin was read after the last look.
    var isComplete: Bool { isEveryEdgeInSync && isOriginReadable }

    func event(_ kind: WatchEvent.Kind, at now: Date, edge: String? = nil, detail: String? = nil) -> WatchEvent {
        WatchEvent(kind: kind, at: now, watch: self, edge: edge, detail: detail)
    }

    /// Takes in a look at the origin. Without a file at the first one there is nothing to wait for.
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
            let status = origin.answer.map { $0.status == 200 ? "its answer is no file" : "status \($0.status)" }
            let words = origin.failure?.detail.displayable.shortened(to: 160) ?? status
            return wasReadable ? [event(.originUnreadable, at: now, detail: words)] : []
        }
        let detail = readings.absence == nil ? "the origin serves no file that can be read" : "the origin has no file"
        var end = event(.nothingToWaitFor, at: now, detail: detail)
        let verdict = Verdict(of: readings, checks: CheckSettings(certificateWarning: .zero), now: now)
        end.findings = verdict.findings.filter { $0.severity == .error }.map { $0.text(at: now) }
        return [end]
    }

    /// Takes in a step of a look at the edges.
    mutating func on(_ news: EdgeNews, at now: Date) -> [WatchEvent] {
        guard case .seen(let result, let contents) = news else {
            if case .asking(let addresses) = news { (seen, asked) = ([], addresses) }
            return []
        }
        var edge = WatchedEdge(result, contents)
        // Several may hide behind one proxy's address, and the last answer stands for all.
        seen.insert(edge.address)
        let old = edges.firstIndex { $0.address == edge.address }.map { edges.remove(at: $0) }
        edge.unanswered = edge.retrieval.answer != nil ? nil : (old.map(\.unanswered) ?? 0).map { $0 + 1 }
        // An edge that gives no answer says no name.
        if edge.retrieval.answer == nil, let old { edge.name = old.name }
        edge.inSyncSince = old?.inSyncSince
        if edge.retrieval.isAboutFile {
            // What is in sync at the first look had picked the file up before anybody watched.
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

    /// The look is over: each edge that there is has been seen.
    mutating func onLookEnd(at now: Date) -> [WatchEvent] {
        looks += 1
        let gone = edges.map(\.address).filter { !seen.contains($0) }
        edges.removeAll { gone.contains($0.address) }
        var events = gone.map { event(.edgeRemoved, at: now, edge: $0) }
        let isSilent = !edges.isEmpty && edges.allSatisfy { !$0.retrieval.isAboutFile }
        if isSilent, !isSilenceTold {
            // What edges answer in place of the file, such as `status 500`.
            let answers = Set(edges.filter { $0.retrieval.answer != nil }.compactMap { $0.state(goal).detail })
            let detail = answers.isEmpty ? nil : answers.sorted().prefix(4).joined(separator: ", ")
            events.append(event(.allUnreachable, at: now, detail: detail))
        }
        isSilenceTold = isSilent
        return events + [event(.lookEnded, at: now)]
    }

    /// The last word, which names those that gave no answer.
    func end(_ kind: WatchEvent.Kind, at now: Date) -> WatchEvent {
        let words = unasked.map { $0.name + ($0.state(goal).detail.map { " (\($0.shortened(to: 120)))" } ?? "") }
        let (start, names) = kind == .inSync ? ("could not be asked: ", words) : ("no answer yet: ", unheard)
        let detail = names.isEmpty ? nil : start + names.joined(separator: ", ")
        return event(kind, at: now, detail: goal == nil ? "the origin has not answered yet" : detail)
    }
}

/// The watch of one domain. Its task is cancelled by a signal, and soon after the time limit: what a look did not see until
/// then says nothing about an edge.
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
        // Who interrupts it before the origin was read knows that nothing was seen.
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

    /// One look at every edge, each told as it answers.
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
