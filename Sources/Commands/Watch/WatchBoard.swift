// Several domains on a terminal: a line for each, redrawn in place.

import Evidence
import Foundation
import Synchronization

/// What `WatchBlock` is for one domain.
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
            let elapsed = (watch.lastLookAt ?? watch.begin).timeIntervalSince(watch.begin).notation
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
