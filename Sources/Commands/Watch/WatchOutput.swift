// How a watch is shown: a sentence for each event, in lines, objects or annotations, or on a board that a terminal redraws.

import Evidence
import Foundation
import MonitorConfiguration
import Report
import Synchronization

/// A sentence for each event of a watch.
struct WatchWording: Sendable {
    let domain: Domain
    let usual: UsualTime?
    /// Between two looks.
    var every: Duration = .seconds(30)
    /// For the whole watch.
    var limit: Duration = .seconds(86_400)
    /// Whether other domains are watched beside it: each sentence then names its own.
    var isOneOfSeveral = false

    /// `watch`: nil before the first look.
    func sentence(for event: WatchEvent, _ watch: PropagationWatch?) -> String {
        let edge = (event.edge ?? "").displayable
        let standing = event.standing?.words ?? ""
        let text =
            switch event.kind {
            case .started:
                "\(domain): reading the origin's file; then every edge is asked each \(every.notation), "
                    + "for \(limit.notation) at most"
            case .silentOrigin: "\(domain): the origin gave no answer within --max-time"
            case .nothingToWaitFor: nothing(event)
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
        let isNamed =
            !isOneOfSeveral || text.hasPrefix("\(domain): ") || event.kind == .nothingToWaitFor
        return (isNamed ? text : "\(domain): \(text)").displayable
    }

    /// Why there is nothing to wait for, and what to do.
    private func nothing(_ event: WatchEvent) -> String {
        event.isFileAbsent
            ? "the origin has no file, so there is nothing to wait for; deploy it first"
            : "the origin serves no file that can be read, so there is nothing to wait for; repair that first"
    }

    func file(_ goal: WatchGoal?) -> String {
        guard let goal else { return "the origin's file" }
        return "the origin's file (sha256 \(goal.content.hex.prefix(12))…, \(goal.bytes.grouped) bytes)"
    }

    func count(_ event: WatchEvent) -> String { Self.count(event.inSync, of: event.edges) }

    static func count(_ inSync: Int, of edges: Int) -> String {
        "\(inSync) of \(edges) \(edges == 1 ? "edge" : "edges") in sync"
    }

    /// More than these in one line help nobody.
    private static let maximumNamed = 8

    private func summary(_ event: WatchEvent, _ watch: PropagationWatch?) -> String {
        guard event.edges > 0, let watch else { return "no edge was asked" }
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

extension TimeInterval {
    /// In the configuration's notation, to the second: `2m30s`.
    var notation: String { Duration.seconds(Int64(Swift.max(0, self))).notation }
}

/// Where the events of one domain go.
struct WatchOutput: Sendable {
    let wording: WatchWording
    let format: WatchCommand.Format
    /// A place on a board in place of lines; nil where standard output is no terminal.
    var board: (board: WatchBoard, index: Int)?
    var print: @Sendable (String) -> Void = { Console.print($0) }

    /// Tells what has just happened, at once; `events` may be empty after a look without news. `watch`: nil before the first.
    func tell(_ events: [WatchEvent], _ watch: PropagationWatch?) {
        board?.board.tell(events, watch, wording, at: board?.index ?? 0)
        for event in events { tell(event, wording.sentence(for: event, watch)) }
    }

    private func tell(_ event: WatchEvent, _ sentence: String) {
        // Of several domains the board says all.
        if let board, !board.board.isOfOne { return }
        switch (format, event.kind) {
        case (.jsonl, .silentOrigin), (.text, .silentOrigin): Console.remark(sentence)
        case (.jsonl, _): print(object(event, sentence).text(isPretty: false))
        case (.text, .nothingToWaitFor): print(report(event))
        case (.text, _):
            if board == nil { print("\(event.at.rfc3339)  +\(event.elapsed.notation)  \(sentence)") }
        case (.github, _):
            if event.kind == .nothingToWaitFor { print(report(event)) }
            let start = event.kind == .started ? "" : "+\(event.elapsed.notation)  "
            print(
                Self.level(of: event.kind).map {
                    WorkflowCommand(level: $0, properties: [("title", wording.domain.name)], message: sentence).line
                } ?? start + sentence)
        }
    }

    /// Why there is nothing to wait for, whole.
    func report(_ event: WatchEvent, style: TextStyle = .standardOutput) -> String {
        var lines = ["\(style.bold(wording.domain.name))  \(style.verdict(.failing))"]
        lines += style.wrapped(wording.sentence(for: event, nil), indentation: 2)
        for finding in event.findings { lines += [""] + CheckReport.text(of: finding, style: style) }
        return lines.joined(separator: "\n")
    }

    /// nil: a line of the log.
    private static func level(of kind: WatchEvent.Kind) -> WorkflowCommand.Level? {
        switch kind {
        case .inSync: .notice
        case .timeLimit, .interrupted, .nothingToWaitFor, .silentOrigin: .error
        case .allUnreachable, .originUnreadable, .goalMoved: .warning
        default: nil
        }
    }

    private func object(_ event: WatchEvent, _ sentence: String) -> OrderedJSON {
        let members: [(String, OrderedJSON)] = [
            ("schema", .string("aasa-monitor/watch/v1")),
            ("event", .string(event.kind.rawValue)),
            ("domain", .string(wording.domain.name)),
            ("at", .string(event.at.rfc3339)),
            ("elapsed_seconds", .number(event.elapsed)),
            ("edge", .optional(event.edge)),
            ("state", .optional(event.standing?.name)),
            ("detail", .optional(event.detail ?? event.standing?.detail)),
            (
                "goal",
                event.goal.map { goal in
                    .object([
                        ("sha256", .string(goal.content.hex)), ("meaning", .string(goal.meaning.hex)),
                        ("bytes", .integer(goal.bytes)),
                    ])
                } ?? .null
            ),
            ("edges_in_sync", .integer(event.inSync)),
            ("edges", .integer(event.edges)),
            ("usual_seconds", .optional(wording.usual?.median)),
            ("message", .string(sentence)),
        ]
        return .object(members + (event.kind == .nothingToWaitFor ? [("findings", .report(event.findings))] : []))
    }
}

/// What a terminal redraws in place: of one domain a line an edge, of several a line each.
final class WatchBoard: Sendable {
    private let domains: [Domain]
    private let style: TextStyle
    /// Lines of the terminal; a board that is higher cannot be redrawn.
    private let height: Int
    private let write: @Sendable (String) -> Void
    private let state: Mutex<State>

    private struct State {
        /// Lines on the screen.
        var drawn = 0
        /// What there is to say of each domain.
        var blocks: [[String]]
        var inSync: Set<Int> = []
        /// The latest news that the edges' lines do not show, oldest first.
        var news: [String] = []
    }

    private static let maximumNews = 4

    init(
        domains: [Domain], style: TextStyle, height: Int,
        write: @escaping @Sendable (String) -> Void = { Console.write($0, to: STDOUT_FILENO) }
    ) {
        self.domains = domains
        self.style = style
        self.height = height
        self.write = write
        state = Mutex(State(blocks: domains.map { _ in ["reading the origin's file"] }))
    }

    var isOfOne: Bool { domains.count == 1 }

    /// A line that the terminal breaks in two would make the board higher than is known.
    private func fitting(_ line: String) -> String { line.displayable.shortened(to: max(20, style.width - 1)) }

    func tell(_ events: [WatchEvent], _ watch: PropagationWatch?, _ wording: WatchWording, at index: Int) {
        let last = events.last
        // What stands below the block of a single domain.
        if isOfOne, last?.kind == .nothingToWaitFor || last?.kind == .silentOrigin { return }
        state.withLock { state in
            for event in events where isOfOne && Self.isNews(event.kind) {
                state.news.append("+\(event.elapsed.notation)  \(wording.sentence(for: event, watch))")
            }
            state.news.removeFirst(max(0, state.news.count - Self.maximumNews))
            if last?.kind == .inSync { state.inSync.insert(index) }
            state.blocks[index] =
                if !isOfOne {
                    [words(last, watch)]
                } else if let watch {
                    block(watch, wording, news: state.news, end: last.flatMap { $0.kind.isEnd ? $0 : nil })
                } else {
                    last.map { [fitting(wording.sentence(for: $0, nil))] } ?? []
                }
            let lines = isOfOne ? state.blocks[0] : table(state)
            // Up to the first line of the board, and clear from there on.
            let back = state.drawn > 0 ? "\u{1B}[\(state.drawn)F\u{1B}[J" : ""
            write(back + lines.joined(separator: "\n") + "\n")
            state.drawn = lines.count
        }
    }

    private static func isNews(_ kind: WatchEvent.Kind) -> Bool {
        switch kind {
        case .edgeFellBack, .edgeRemoved, .allUnreachable, .goalMoved, .originUnreadable, .originReadable: true
        default: false
        }
    }

    // MARK: - Several domains

    private func table(_ state: State) -> [String] {
        var places = Array(domains.indices)
        let room = max(3, height - 3)
        // Where not all fit, those that are waited for come first.
        if places.count > room {
            places = places.filter { !state.inSync.contains($0) } + places.filter(state.inSync.contains)
        }
        let rows = places.prefix(room).map { [domains[$0].name, state.blocks[$0].first ?? ""] }
        var lines = ["\(state.inSync.count) of \(domains.count) domains in sync"]
        lines += TextTable(rows: rows).lines(indentation: 2, style: TextStyle(isColoured: false, width: .max))
        if places.count > room { lines.append("  and \(places.count - room) more") }
        return lines.map(fitting)
    }

    /// How far one of several is.
    private func words(_ event: WatchEvent?, _ watch: PropagationWatch?) -> String {
        guard let watch else {
            return switch event?.kind {
            case .nothingToWaitFor: event?.detail ?? ""
            case .silentOrigin: "the origin gave no answer in time"
            default: "reading the origin's file"
            }
        }
        let elapsed = (watch.lastCheckAt ?? watch.begin).timeIntervalSince(watch.begin).notation
        let count = WatchWording.count(watch.inSyncCount, of: max(watch.count, watch.edges.count))
        return switch event?.kind {
        case .inSync: "in sync after \(elapsed)"
        case .timeLimit: "not in sync in time: \(count)"
        case .interrupted: "stopped after \(elapsed): \(count)"
        default:
            watch.edges.isEmpty
                ? "asking the edges"
                : "\(count) after \(elapsed)"
                    + (watch.isOriginReadable ? "" : "; the origin cannot be read any more")
        }
    }

    // MARK: - One domain

    private func block(
        _ watch: PropagationWatch, _ wording: WatchWording, news: [String], end: WatchEvent?
    ) -> [String] {
        let total = max(watch.count, watch.edges.count)
        let count = WatchWording.count(watch.inSyncCount, of: total)
        let elapsed = (watch.lastCheckAt ?? watch.begin).timeIntervalSince(watch.begin)
        var lines = [
            "\(wording.domain)  \(count) after \(elapsed.notation)", "  waiting for \(wording.file(watch.goal))",
        ]
        if let usual = wording.usual { lines.append("  \(usual.words)") }
        // The heading, what is usual, the news and the end take their lines first.
        let room = max(3, height - lines.count - Self.maximumNews - 4)
        var edges = watch.edges
        // Where not all fit, those that are waited for come first.
        if edges.count > room {
            edges.removeAll { watch.standing(of: $0) == .inSync }
            edges += watch.edges.filter { watch.standing(of: $0) == .inSync }
        }
        let rows = edges.map { edge in [edge.fetched.address, words(for: edge, watch)] }
        lines += TextTable(rows: Array(rows.prefix(room))).lines(
            indentation: 2, style: TextStyle(isColoured: false, width: .max))
        if rows.count > room { lines.append("  and \(rows.count - room) more") }
        if total > rows.count { lines.append("  \(total - rows.count) more did not answer yet") }
        lines += news.map { "  \($0)" }
        lines = lines.map(fitting)
        if let end {
            lines += style.wrapped(wording.sentence(for: end, watch), indentation: 0, hanging: 2)
        }
        return lines
    }

    private func words(for edge: PropagationWatch.Edge, _ watch: PropagationWatch) -> String {
        let standing = watch.standing(of: edge)
        if standing == .inSync, let since = edge.inSyncSince {
            if since == watch.firstCheckAt { return "serves the new file" }
            return "serves the new file, picked up after \(since.timeIntervalSince(watch.begin).notation)"
        }
        let age = edge.fetched.age.map { age in
            ", age \(age) s" + (edge.fetched.maxAge.map { " of \($0) s" } ?? "")
        }
        return standing.words + (age ?? "")
    }
}
