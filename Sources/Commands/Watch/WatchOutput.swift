// The output of watches: a sentence for each event, in lines, objects or annotations, or a board that a terminal
// redraws.

import Evidence
import Foundation
import MonitorConfiguration
import Report
import Synchronization

struct WatchOutput: Sendable {
    let format: OutputFormat
    /// The domains that are watched, and how long earlier changes of each took.
    let subjects: [(domain: Domain, usual: UsualTime?)]
    var every: Duration = .seconds(30)
    var limit: Duration = .seconds(86_400)
    var style = TextStyle.standardOutput
    /// Lines of the terminal that a board is redrawn on; nil: each event is a line.
    var height: Int?
    var print: @Sendable (String) -> Void = { Console.print($0) }
    private let board = Board()

    private final class Board: Sendable {
        /// Lines on the screen, and the latest event of each domain.
        let state = Mutex((drawn: 0, latest: [Int: WatchEvent]()))
    }

    /// The events that become annotations; all others are lines of the log.
    private static let levels: [WatchEvent.Kind: WorkflowCommand.Level] = [
        .allUnreachable: .warning, .originUnreadable: .warning, .goalMoved: .warning, .inSync: .notice,
        .timeLimit: .error, .interrupted: .error, .nothingToWaitFor: .error,
    ]

    /// Shows what has just happened to one of the domains.
    func tell(_ event: WatchEvent, of index: Int) {
        if let height { return draw(event, index, height) }
        guard event.kind != .lookEnded else { return }
        let sentence = sentence(for: event, of: index)
        let line = "+\(event.elapsed.notation)  \(sentence)"
        if format != .jsonl, event.kind == .nothingToWaitFor { print(report(event, of: index)) }
        switch format {
        case .jsonl: print(object(event, sentence, of: index).text(isPretty: false))
        case .github:
            let level = Self.levels[event.kind], title = [("title", subjects[index].domain.name)]
            let line = event.kind == .started ? sentence : line
            print(level.map { WorkflowCommand(level: $0, properties: title, message: sentence).line } ?? line)
        default: if event.kind != .nothingToWaitFor { print(style.signs("\(event.at.rfc3339)  \(line)")) }
        }
    }

    /// Prints below a board what it has no room for, and which of several domains are not in sync.
    func finish(_ ends: [WatchEvent]) {
        guard format == .text else { return }
        for (index, end) in ends.enumerated() where height != nil && end.kind == .nothingToWaitFor {
            print("\n" + report(end, of: index) + "\n")
        }
        guard ends.count > 1 else { return }
        let missing = zip(subjects, ends).filter { $1.kind != .inSync }.map { subject, end in
            "\(subject.domain) (\(end.watch.goal == nil ? end.detail ?? "" : end.watch.tally))"
        }
        let names = missing.isEmpty ? "" : "; not in sync: \(missing.joined(separator: ", "))"
        print("\(ends.count - missing.count) of \(ends.count) domains in sync\(names)")
    }

    // MARK: - Words

    func sentence(for event: WatchEvent, of index: Int) -> String {
        let (domain, usual) = subjects[index]
        let (watch, detail) = (event.watch, event.detail ?? "")
        let edge = event.edge.map { address in watch.edges.first { $0.address == address }?.name ?? address } ?? ""
        let (serves, tally) = (event.state?.words ?? "", watch.tally)
        let file = watch.goal.map(words) ?? ""
        let text =
            switch event.kind {
            case .started:
                "\(domain): reading the origin's file, then asking every edge every \(every.notation), for at most "
                    + "\(limit.notation)"
            case .goalSet:
                "\(domain): waiting until every edge serves \(file)" + (usual.map { "; \($0.words)" } ?? "")
            case .edgeSeen: "\(edge) \(serves); \(tally)"
            case .edgePickedUp: "\(edge) serves the new file; \(tally)"
            case .edgeFellBack:
                "\(edge) \(serves) after it had the new one; this happens while a change spreads; \(tally)"
            case .edgeChanged: "\(edge) now \(serves), which is not the new file"
            case .edgeUnreachable: "\(edge) \(serves); it counts as not in sync"
            case .edgeReachable: "\(edge) answers again and \(serves); \(tally)"
            case .edgeAdded: "\(edge) is a new edge and \(serves); \(tally)"
            case .edgeRemoved: "\(edge) is no longer among the CDN's addresses; \(tally)"
            case .allUnreachable where detail.isEmpty:
                "no edge can be reached: check the network of this machine, --cdn-url and --proxy"
            case .allUnreachable:
                "edges answer, but none says anything about the file (\(detail)): a status of 500 or more means that "
                    + "Apple's CDN has a problem, so wait; for any other status check --cdn-url, --proxy and what "
                    + "answers instead of the CDN"
            case .lookEnded: ""
            case .goalMoved: "the origin serves a newer file: waiting for \(file); \(tally)"
            case .originUnreadable:
                "the origin can no longer be read: \(detail); still waiting for the file that it had"
            case .originReadable: "the origin can be read again"
            case .inSync:
                "\(domain): every edge \(detail.isEmpty ? "" : "that answers this machine ")serves the origin's file, "
                    + "after \(event.elapsed.notation)\(detail.isEmpty ? "" : "; \(tally), \(detail)"); "
                    + "devices that have the app ask again within 5 to 7 days"
            case .timeLimit: "\(domain): timed out: \(summary(event))"
            case .interrupted: "\(domain): stopped after \(event.elapsed.notation); \(summary(event))"
            case .nothingToWaitFor:
                // An annotation and an object have no report next to them.
                nothing(event) + (event.findings.first.map { ": \($0.message)" } ?? "")
            }
        let isNamed = subjects.count == 1 || text.hasPrefix("\(domain): ") || event.kind == .nothingToWaitFor
        return (isNamed ? text : "\(domain): \(text)").displayable
    }

    /// Which edges are behind; one line lists only a few.
    private func summary(_ event: WatchEvent) -> String {
        let watch = event.watch
        guard watch.goal != nil else { return event.detail ?? "" }
        let behind = watch.edges.filter { !watch.isInSync($0) }
        let words =
            watch.unheard.map { "\($0) has not answered yet" }
            + behind.map { "\($0.name) \($0.state(watch.goal).words.shortened(to: 120))" }
        let more = words.count > 8 ? ["and \(words.count - 8) more"] : []
        return watch.count == 0 ? "no edge was asked" : ([watch.share] + words.prefix(8) + more).joined(separator: "; ")
    }

    private func nothing(_ event: WatchEvent) -> String {
        "\(event.detail ?? ""), so there is nothing to wait for"
    }

    /// The full report of why there is nothing to wait for.
    private func report(_ event: WatchEvent, of index: Int) -> String {
        let start = style.heading(
            TextStyle.Sign(.failing), subjects[index].domain.name, "\(nothing(event).displayable.atStart).")
        let why = event.findings.enumerated().flatMap { index, finding in
            style.part(index == 0 ? "why" : "also", finding.message) + style.part("do", finding.fix)
        }
        let rules = event.findings.map(\.rule.rawValue).joined(separator: ", ")
        return style.signs((start + why + style.remark(rules)).joined(separator: "\n"))
    }

    private func object(_ event: WatchEvent, _ sentence: String, of index: Int) -> OrderedJSON {
        let goal = event.watch.goal.map { goal in
            OrderedJSON.object([
                ("sha256", .string(goal.hash.hex)), ("meaning", .optional(goal.meaning?.hex)),
                ("bytes", .integer(goal.byteCount)),
            ])
        }
        let members: [(String, OrderedJSON)] = [
            ("schema", .string("aasa-monitor/watch/v1")), ("event", .string(event.kind.rawValue.inSnakeCase)),
            ("domain", .string(subjects[index].domain.name)), ("at", .string(event.at.rfc3339)),
            ("elapsed_seconds", .number(event.elapsed)), ("edge", .optional(event.edge)),
            ("state", .optional(event.state?.name)), ("detail", .optional(event.detail ?? event.state?.detail)),
            ("goal", goal ?? .null), ("edges_in_sync", .integer(event.watch.inSyncCount)),
            ("edges", .integer(event.watch.count)), ("usual_seconds", .optional(subjects[index].usual?.median)),
            ("message", .string(sentence)),
        ]
        return .object(members + (event.kind == .nothingToWaitFor ? [("findings", .report(event.findings))] : []))
    }
}

// MARK: - The board

extension WatchOutput {
    /// Draws a line for each of several domains, or the edges of a single one.
    private func draw(_ event: WatchEvent, _ index: Int, _ height: Int) {
        board.state.withLock { state in
            state.latest[index] = event
            var rows: [(isDone: Bool, cells: [String])] = subjects.enumerated().map { index, subject in
                (state.latest[index]?.kind == .inSync, [subject.domain.name, progress(state.latest[index])])
            }
            var lines = ["\(rows.count(where: \.isDone)) of \(rows.count) domains in sync"]
            if subjects.count == 1 {
                lines = [rows[0].cells.joined(separator: "  ")]
                if let goal = event.watch.goal { lines.append("  waiting for \(words(for: goal))") }
                if let usual = subjects[0].usual { lines.append("  \(usual.words)") }
                rows = event.watch.edges.map { (event.watch.isInSync($0), [$0.name, words(for: $0, event.watch)]) }
            }
            // A board that is higher than the terminal cannot be redrawn: unfinished rows come first.
            let most = max(3, height - lines.count - 6)
            if rows.count > most { rows = rows.filter { !$0.isDone } + rows.filter(\.isDone) }
            let table = TextTable(rows: rows.prefix(most).map(\.cells))
            lines += table.lines(indentation: 2, style: TextStyle(isColoured: false, width: .max))
            if rows.count > most { lines.append("  and \(rows.count - most) more") }
            // A line that the terminal breaks in two cannot be redrawn either.
            let room = max(20, style.width - (style.isUnicode ? 1 : 3))
            lines = lines.map { style.signs(style.signs($0.displayable).shortened(to: room)) }
            if subjects.count == 1, [.inSync, .timeLimit, .interrupted].contains(event.kind) {
                lines += style.wrapped(sentence(for: event, of: index), indentation: 0, hanging: 2)
            }
            // Back to the first line of the board, and clear from there on.
            print((state.drawn > 0 ? "\u{1B}[\(state.drawn)F\u{1B}[J" : "") + lines.joined(separator: "\n"))
            state.drawn = lines.count
        }
    }

    /// How far a domain is.
    private func progress(_ event: WatchEvent?) -> String {
        guard let event, event.watch.goal != nil else { return event?.detail ?? "reading the origin's file" }
        let (tally, elapsed) = (event.watch.tally, event.elapsed.notation)
        return switch event.kind {
        case .inSync: "in sync after \(elapsed)"
        case .timeLimit: event.watch.count == 0 ? "timed out: no edge was asked" : "timed out: \(event.watch.share)"
        case .interrupted: "stopped after \(elapsed): \(tally)"
        case _ where !event.watch.isOriginReadable: "\(tally) after \(elapsed); the origin can no longer be read"
        default: event.watch.edges.isEmpty ? "asking the edges" : "\(tally) after \(elapsed)"
        }
    }

    private func words(for goal: ContentReading) -> String {
        "the origin's file (sha256 \(goal.hash.hex.prefix(12))…, \(goal.byteCount.grouped) bytes)"
    }

    private func words(for edge: WatchedEdge, _ watch: PropagationWatch) -> String {
        let took = watch.isInSync(edge) ? edge.inSyncSince?.timeIntervalSince(watch.begin) ?? 0 : 0
        let answer = edge.retrieval.answer
        let age = answer?.age.map { age in ", age \(age) s" + (answer?.maxAge.map { " of \($0) s" } ?? "") }
        return edge.state(watch.goal).words + (took > 0 ? ", picked up after \(took.notation)" : age ?? "")
    }
}
