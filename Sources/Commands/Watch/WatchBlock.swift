// A status block that a terminal redraws in place at each look.

import Evidence
import Foundation
import Synchronization

final class WatchBlock: WatchOutput {
    private let wording: WatchWording
    private let style: TextStyle
    /// Lines of the terminal; a block that is higher cannot be redrawn.
    private let height: Int
    private let write: @Sendable (String) -> Void
    private let state = Mutex(State())

    private struct State {
        /// Lines of the block that stands on the screen.
        var drawn = 0
        /// The latest news that the edges' lines do not show, oldest first.
        var news: [String] = []
    }

    private static let maximumNews = 4

    init(
        wording: WatchWording, style: TextStyle, height: Int,
        write: @escaping @Sendable (String) -> Void = { Console.write($0, to: STDOUT_FILENO) }
    ) {
        self.wording = wording
        self.style = style
        self.height = height
        self.write = write
    }

    func start(_ start: WatchStart) {
        draw { _ in [wording.sentence(for: start).shortened(to: max(20, style.width - 1))] }
    }

    func tell(_ events: [WatchEvent], _ watch: PropagationWatch) {
        draw { state in
            for event in events where Self.isNews(event.kind) {
                state.news.append("+\(event.elapsed.notation)  \(wording.sentence(for: event, watch))")
            }
            state.news.removeFirst(max(0, state.news.count - Self.maximumNews))
            let end = events.last.flatMap { Self.isEnd($0.kind) ? $0 : nil }
            return lines(watch, news: state.news, end: end)
        }
    }

    func tellSilentOrigin() { Console.remark(wording.silentOrigin) }

    private func draw(_ lines: (inout State) -> [String]) {
        state.withLock { state in
            let lines = lines(&state)
            // Up to the first line of the block, and clear from there on.
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

    private static func isEnd(_ kind: WatchEvent.Kind) -> Bool {
        [.inSync, .timeLimit, .interrupted].contains(kind)
    }

    private func lines(_ watch: PropagationWatch, news: [String], end: WatchEvent?) -> [String] {
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
        // A line that the terminal breaks in two would make the block higher than is known.
        lines = lines.map { $0.displayable.shortened(to: max(20, style.width - 1)) }
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

/// What `WatchBlock` is for one domain: several domains on a terminal, a line for each, redrawn in place.
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
        var rows: [Row]
    }

    private struct Row {
        var words = "reading the origin's file"
        var isInSync = false
    }

    init(
        domains: [Domain], style: TextStyle, height: Int,
        write: @escaping @Sendable (String) -> Void = { Console.write($0, to: STDOUT_FILENO) }
    ) {
        self.domains = domains
        self.style = style
        self.height = height
        self.write = write
        state = Mutex(State(rows: domains.map { _ in Row() }))
    }

    /// The output of the domain at this place of the list.
    func output(at index: Int) -> any WatchOutput { Line(board: self, index: index) }

    private func set(_ words: String, isInSync: Bool = false, at index: Int) {
        state.withLock { state in
            state.rows[index] = Row(words: words, isInSync: isInSync)
            let lines = lines(of: state.rows)
            // Up to the first line of the board, and clear from there on.
            let back = state.drawn > 0 ? "\u{1B}[\(state.drawn)F\u{1B}[J" : ""
            write(back + lines.joined(separator: "\n") + "\n")
            state.drawn = lines.count
        }
    }

    private func lines(of rows: [Row]) -> [String] {
        var entries = Array(zip(domains, rows))
        let room = max(3, height - 3)
        // Where not all fit, those that are waited for come first.
        if entries.count > room { entries = entries.filter { !$1.isInSync } + entries.filter { $1.isInSync } }
        let table = TextTable(rows: entries.prefix(room).map { [$0.name, $1.words] })
            .lines(indentation: 2, style: TextStyle(isColoured: false, width: .max))
        var lines = ["\(rows.count { $0.isInSync }) of \(rows.count) domains in sync"] + table
        if entries.count > room { lines.append("  and \(entries.count - room) more") }
        // A line that the terminal breaks in two would make the board higher than is known.
        return lines.map { $0.displayable.shortened(to: max(20, style.width - 1)) }
    }

    private struct Line: WatchOutput {
        let board: WatchBoard
        let index: Int

        func start(_ start: WatchStart) { board.set("reading the origin's file", at: index) }

        func tell(_ events: [WatchEvent], _ watch: PropagationWatch) {
            let elapsed = (watch.lastCheckAt ?? watch.begin).timeIntervalSince(watch.begin).notation
            let count = WatchWording.count(watch.inSyncCount, of: max(watch.count, watch.edges.count))
            let lostOrigin = watch.isOriginReadable ? "" : "; the origin cannot be read any more"
            switch events.last?.kind {
            case .inSync: board.set("in sync after \(elapsed)", isInSync: true, at: index)
            case .timeLimit: board.set("not in sync in time: \(count)", at: index)
            case .interrupted: board.set("stopped after \(elapsed): \(count)", at: index)
            default:
                board.set(
                    watch.edges.isEmpty ? "asking the edges" : "\(count) after \(elapsed)\(lostOrigin)", at: index)
            }
        }

        func tell(_ nothing: NothingToWaitFor) { board.set(nothing.brief, at: index) }

        func tellSilentOrigin() { board.set("the origin gave no answer in time", at: index) }
    }
}
