// The memory of a watch: which edge serves what, and what is worth telling about a new look. Pure: instants come with
// what was seen.

import Evidence
import Foundation

struct PropagationWatch: Sendable {
    let begin: Date
    private(set) var goal: WatchGoal
    /// In the order of their addresses.
    private(set) var edges: [Edge] = []
    /// Looks at all edges that are over.
    private(set) var results = 0
    /// How many edges there are: at the first look some have not answered yet.
    private(set) var count = 0
    /// What was in sync then had picked the file up before anybody watched.
    private(set) var firstCheckAt: Date?
    private(set) var lastCheckAt: Date?
    /// Whether the origin could be read when it was last asked.
    private(set) var isOriginReadable = true
    private var isSilenceTold = false
    /// Who was seen in the look that goes on.
    private var seen: Set<String> = []
    /// Who is to be seen in it; none where the addresses are not known here.
    private var listed: [String] = []

    struct Edge: Equatable, Sendable {
        var fetched: EdgeAnswer
        /// When it was first seen with the goal; nil while it serves something else.
        var inSyncSince: Date?
        /// Whether it served the goal before it fell silent: its return is then no news of the file.
        var wasInSync = false
        /// Whether it ever answered anything.
        var hasAnswered = false
        /// How often it was asked.
        var results = 0
    }

    /// The origin is read again at every so many looks at the edges.
    static let checksPerOrigin = 10
    /// An edge that gave no answer at all in this many looks, from the first on, is not one that this machine can ask.
    static let looksForAnAnswer = 3

    init(goal: WatchGoal, begin: Date) {
        self.goal = goal
        self.begin = begin
    }

    var inSyncCount: Int { edges.count { standing(of: $0) == .inSync } }

    /// Edges that never answered this machine. Of a network that it does not reach, such as IPv6 without a way out, they
    /// say nothing about the file, and are not waited for.
    var unasked: [Edge] { edges.filter { !$0.hasAnswered && $0.results >= Self.looksForAnAnswer } }

    /// Edges that have not answered yet, well or ill: their first look still goes on.
    var unheard: [String] {
        let heard = Set(edges.map(\.fetched.address))
        // Behind a proxy all edges are one.
        guard heard.isSubset(of: listed) else { return [] }
        return listed.filter { !heard.contains($0) }.sorted { $0.isBefore($1) }
    }

    /// Whether every edge that can be asked serves the goal; none where no edge can be asked.
    var isEveryEdgeInSync: Bool { inSyncCount > 0 && inSyncCount + unasked.count == max(count, edges.count) }

    /// Whether a newer deploy may have moved the goal: asked now and then, and before a success is reported.
    var wantsOrigin: Bool { isEveryEdgeInSync || results % Self.checksPerOrigin == 0 }

    /// Whether the watch has reached its end, provided that the origin was read after the last look.
    var isComplete: Bool { isEveryEdgeInSync && isOriginReadable }

    func standing(of edge: Edge) -> EdgeStatus { standing(of: edge.fetched) }

    func standing(of fetched: EdgeAnswer) -> EdgeStatus {
        switch fetched.content {
        case .file(let meaning): meaning == goal.meaning ? .inSync : .behind
        case .noFile: .noFile
        case .missing(let words): .missing(words)
        case .silent(let words): .unreachable(words, answered: fetched.isAnswer)
        }
    }

    // MARK: - What was seen

    /// A look at these edges begins; none where their addresses are not known here.
    mutating func onResult(at addresses: [String]) {
        seen = []
        listed = addresses
        if results == 0 { count = addresses.count }
    }

    /// Takes in the answer of one edge.
    mutating func on(_ fetched: EdgeAnswer, at now: Date) -> [WatchEvent] {
        // Several may hide behind one proxy's address, and the last answer stands for all.
        seen.insert(fetched.address)
        if firstCheckAt == nil { firstCheckAt = now }
        lastCheckAt = now
        let place = edges.firstIndex { !$0.fetched.address.isBefore(fetched.address) } ?? edges.endIndex
        let old = edges.indices.contains(place) && edges[place].fetched.address == fetched.address ? edges[place] : nil
        let edge = next(fetched, after: old, at: now)
        edges.replaceSubrange(place..<(old == nil ? place : place + 1), with: [edge])
        if results > 0 || edges.count > count { count = edges.count }
        let kind =
            if let old { news(from: old, to: edge) } else { results == 0 ? WatchEvent.Kind.edgeSeen : .edgeAdded }
        return kind.map { [event($0, edge, at: now)] } ?? []
    }

    /// The look is over: each edge that there is has been seen.
    mutating func onRoundEnd(at now: Date) -> [WatchEvent] {
        results += 1
        let gone = edges.map(\.fetched.address).filter { !seen.contains($0) }
        edges.removeAll { gone.contains($0.fetched.address) }
        count = edges.count
        var events = gone.map { address in
            var removed = event(.edgeRemoved, at: now)
            removed.edge = address
            return removed
        }
        let isSilent =
            !edges.isEmpty && edges.allSatisfy { if case .silent = $0.fetched.content { true } else { false } }
        if isSilent, !isSilenceTold {
            var silence = event(.allUnreachable, at: now)
            silence.detail = answersBesideTheFile
            events.append(silence)
        }
        isSilenceTold = isSilent
        return events
    }

    /// What edges answer that say nothing about the file, as `2 edges: status 500`; nil where none answers anything.
    private var answersBesideTheFile: String? {
        var counts: [(words: String, count: Int)] = []
        for edge in edges where edge.fetched.isAnswer {
            guard case .silent(let words) = edge.fetched.content else { continue }
            if let index = counts.firstIndex(where: { $0.words == words }) {
                counts[index].count += 1
            } else {
                counts.append((words, 1))
            }
        }
        let told = counts.prefix(4).map { "\($0.count) \($0.count == 1 ? "edge" : "edges"): \($0.words)" }
        return told.isEmpty ? nil : told.joined(separator: ", ")
    }

    /// Takes in a look at the origin.
    mutating func onOrigin(_ fetched: OriginAnswer, at now: Date) -> [WatchEvent] {
        switch fetched {
        case .broken(let words):
            defer { isOriginReadable = false }
            guard isOriginReadable else { return [] }
            var event = event(.originUnreadable, at: now)
            event.detail = words
            return [event]
        case .file(let file):
            var events: [WatchEvent] = []
            if !isOriginReadable { events.append(event(.originReadable, at: now)) }
            isOriginReadable = true
            if file.meaning != goal.meaning {
                goal = file
                for index in edges.indices {
                    let isInSync = standing(of: edges[index]) == .inSync
                    edges[index].inSyncSince = isInSync ? now : nil
                    edges[index].wasInSync = isInSync
                }
                events.append(event(.goalMoved, at: now))
            }
            return events
        }
    }

    /// The first word about the goal.
    func opening(at now: Date) -> WatchEvent { event(.goalSet, at: now) }

    /// The last word.
    func end(_ kind: WatchEvent.Kind, at now: Date) -> WatchEvent {
        var event = event(kind, at: now)
        if kind == .inSync, !unasked.isEmpty {
            event.detail =
                "could not be asked: "
                + unasked.map { edge in
                    edge.fetched.address + (standing(of: edge).detail.map { " (\($0.shortened(to: 120)))" } ?? "")
                }.joined(separator: ", ")
        }
        if kind != .inSync, !unheard.isEmpty { event.detail = "no answer yet: \(unheard.joined(separator: ", "))" }
        return event
    }

    // MARK: - What is worth telling

    private func next(_ fetched: EdgeAnswer, after old: Edge?, at now: Date) -> Edge {
        var edge = Edge(fetched: fetched)
        edge.hasAnswered = fetched.isAnswer || old?.hasAnswered == true
        edge.results = (old?.results ?? 0) + 1
        switch standing(of: fetched) {
        case .inSync:
            edge.inSyncSince = old?.inSyncSince ?? now
            edge.wasInSync = true
        case .unreachable:
            edge.inSyncSince = old?.inSyncSince
            edge.wasInSync = old?.wasInSync ?? false
        case .behind, .noFile, .missing: break
        }
        return edge
    }

    private func news(from old: Edge, to new: Edge) -> WatchEvent.Kind? {
        switch (standing(of: old), standing(of: new)) {
        case (.unreachable, .unreachable): nil
        case (_, .unreachable): .edgeUnreachable
        case (.unreachable, .inSync): old.wasInSync ? .edgeReachable : .edgePickedUp
        case (.unreachable, _): old.wasInSync ? .edgeFellBack : .edgeReachable
        case (.inSync, .inSync): nil
        case (_, .inSync): .edgePickedUp
        case (.inSync, _): .edgeFellBack
        default: old.fetched.content == new.fetched.content ? nil : .edgeChanged
        }
    }

    private func event(_ kind: WatchEvent.Kind, _ edge: Edge? = nil, at now: Date) -> WatchEvent {
        WatchEvent(
            kind: kind, at: now, elapsed: max(0, now.timeIntervalSince(begin)), edge: edge?.fetched.address,
            standing: edge.map(standing(of:)), goal: goal, inSync: inSyncCount, edges: max(count, edges.count))
    }
}

/// What the origin serves, as far as a watch needs it.
enum OriginAnswer: Equatable, Sendable {
    case file(WatchGoal)
    /// Why there is no file to wait for.
    case broken(String)
}

extension String {
    /// Addresses in the order of their numbers.
    fileprivate func isBefore(_ other: String) -> Bool { compare(other, options: .numeric) == .orderedAscending }
}
