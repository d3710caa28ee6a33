import Evidence
import Foundation

/// A sentence for each event of a watch.
struct WatchWording: Sendable {
    let domain: Domain
    let usual: UsualTime?
    /// Whether other domains are watched beside it: each sentence then names its own.
    var isOneOfSeveral = false

    func sentence(for event: WatchEvent, _ watch: PropagationWatch) -> String {
        let edge = (event.edge ?? "").displayable
        let standing = event.standing?.words ?? ""
        let text =
            switch event.kind {
            case .goalSet:
                "\(domain): waiting until every edge serves \(file(event.goal))" + (usual.map { "; \($0.words)" } ?? "")
            case .edgeSeen: "\(edge) \(standing); \(count(event))"
            case .edgePickedUp: "\(edge) serves the new file; \(count(event))"
            case .edgeFellBack:
                "\(edge) \(standing) after it had the new one, as happens while a change spreads; \(count(event))"
            case .edgeChanged: "\(edge) now \(standing), which is not the new file"
            case .edgeUnreachable: "\(edge) \(standing); it counts as not in sync"
            case .edgeReachable: "\(edge) answers again and \(standing); \(count(event))"
            case .edgeAdded: "\(edge) is a new edge and \(standing); \(count(event))"
            case .edgeRemoved: "\(edge) is no longer among the CDN's addresses; \(count(event))"
            case .allUnreachable:
                event.detail.map {
                    "edges answer, but none says anything about the file (\($0)): with a status of 500 or more Apple's CDN "
                        + "is in trouble itself, and there is nothing to do but to wait; with another, see what answers "
                        + "in its place, --cdn-url and --proxy"
                } ?? "no edge can be asked: see whether this machine reaches the network, and --cdn-url, --proxy"
            case .goalMoved: "the origin serves a newer file: waiting for \(file(event.goal)); \(count(event))"
            case .originUnreadable:
                "the origin cannot be read any more: \(event.detail ?? ""); still waiting for the file that it had"
            case .originReadable: "the origin can be read again"
            case .inSync:
                "\(domain): every edge \(event.detail == nil ? "" : "that answers this machine ")serves the origin's file, "
                    + "after \(event.elapsed.notation)\(event.detail.map { "; \(count(event)), \($0)" } ?? ""); "
                    + "devices that have the app ask again within 5 to 7 days"
            case .timeLimit: "\(domain): not in sync in time; \(summary(event, watch))"
            case .interrupted: "\(domain): stopped after \(event.elapsed.notation); \(summary(event, watch))"
            }
        let isNamed = !isOneOfSeveral || text.hasPrefix("\(domain): ")
        return (isNamed ? text : "\(domain): \(text)").displayable
    }

    func sentence(for start: WatchStart) -> String {
        "\(domain): reading the origin's file; then every edge is asked each \(start.every.notation), "
            + "for \(start.limit.notation) at most"
    }

    var silentOrigin: String { "\(domain): the origin gave no answer within --max-time" }

    func file(_ goal: WatchGoal) -> String {
        "the origin's file (sha256 \(goal.content.hex.prefix(12))…, \(goal.bytes.grouped) bytes)"
    }

    func count(_ event: WatchEvent) -> String { Self.count(event.inSync, of: event.edges) }

    static func count(_ inSync: Int, of edges: Int) -> String {
        "\(inSync) of \(edges) \(edges == 1 ? "edge" : "edges") in sync"
    }

    /// More than these in one line help nobody.
    private static let maximumNamed = 8

    private func summary(_ event: WatchEvent, _ watch: PropagationWatch) -> String {
        guard event.edges > 0 else { return "no edge was asked" }
        let behind = watch.edges.filter { watch.standing(of: $0) != .inSync }
        let words =
            watch.unheard.map { "\($0) has not answered yet" }
            + behind.map { "\($0.fetched.address) \(watch.standing(of: $0).words.shortened(to: 120))" }
        var named = Array(words.prefix(Self.maximumNamed))
        if words.count > named.count { named.append("and \(words.count - named.count) more") }
        return ([count(event)] + named).joined(separator: "; ")
    }
}

/// How long Apple's CDN took for earlier changes of the same domain.
struct UsualTime: Equatable, Sendable {
    /// In seconds.
    let median: TimeInterval
    let shortest: TimeInterval
    let longest: TimeInterval
    let changes: Int

    /// - Returns: nil where there is no earlier change.
    init?(_ seconds: [TimeInterval]) {
        let sorted = seconds.sorted()
        guard let shortest = sorted.first, let longest = sorted.last else { return nil }
        median = sorted.medianOfSorted
        self.shortest = shortest
        self.longest = longest
        changes = sorted.count
    }

    /// `usually 6 h here, between 2 h and 26 h (5 changes)`
    var words: String {
        let one = "usually \(median.inWords) here"
        if changes == 1 { return "the last change took \(median.inWords) here" }
        return "\(one), between \(shortest.inWords) and \(longest.inWords) (\(changes) changes)"
    }
}
