// The forms in which a watch is shown: lines, objects, or a block that a terminal redraws.

import Evidence
import Foundation
import MonitorConfiguration

protocol WatchOutput: Sendable {
    /// Before anything is asked.
    func start(_ start: WatchStart)
    /// Tells what has just happened, at once; `events` may be empty after a look without news.
    func tell(_ events: [WatchEvent], _ watch: PropagationWatch)
    /// The watch of this domain ends before it began.
    func tell(_ nothing: NothingToWaitFor)
    /// The origin gave no answer within the time limit of the watch.
    func tellSilentOrigin()
}

extension WatchOutput {
    func tell(_ nothing: NothingToWaitFor) { Console.print(nothing.text(style: .standardOutput)) }
}

/// One line an event, with its instant, for logs.
struct WatchLines: WatchOutput {
    let wording: WatchWording
    var print: @Sendable (String) -> Void = { Console.print($0) }

    func tell(_ events: [WatchEvent], _ watch: PropagationWatch) {
        for event in events { print(event.at, event.elapsed, wording.sentence(for: event, watch)) }
    }

    func start(_ start: WatchStart) { print(start.at, 0, wording.sentence(for: start)) }

    func tellSilentOrigin() { Console.remark(wording.silentOrigin) }

    private func print(_ at: Date, _ elapsed: TimeInterval, _ sentence: String) {
        print("\(at.rfc3339)  +\(elapsed.notation)  \(sentence)")
    }
}

/// One JSON object an event, each with every key.
struct WatchObjects: WatchOutput {
    let wording: WatchWording
    var print: @Sendable (String) -> Void = { Console.print($0) }

    func tell(_ events: [WatchEvent], _ watch: PropagationWatch) {
        for event in events { print(object(event, watch).text(isPretty: false)) }
    }

    func start(_ start: WatchStart) {
        let object = object(event: "started", at: start.at, message: wording.sentence(for: start))
        print(object.text(isPretty: false))
    }

    func tell(_ nothing: NothingToWaitFor) { print(nothing.json.text(isPretty: false)) }

    func tellSilentOrigin() { Console.remark(wording.silentOrigin) }

    private func object(_ event: WatchEvent, _ watch: PropagationWatch) -> OrderedJSON {
        object(
            event: event.kind.rawValue, at: event.at, message: wording.sentence(for: event, watch),
            elapsed: event.elapsed, edge: event.edge, state: event.standing?.name,
            detail: event.detail ?? event.standing?.detail, goal: event.goal, inSync: event.inSync, edges: event.edges)
    }

    private func object(
        event: String, at: Date, message: String, elapsed: TimeInterval = 0, edge: String? = nil, state: String? = nil,
        detail: String? = nil, goal: WatchGoal? = nil, inSync: Int = 0, edges: Int = 0
    ) -> OrderedJSON {
        .object([
            ("schema", .string("aasa-monitor/watch/v1")),
            ("event", .string(event)),
            ("domain", .string(wording.domain.name)),
            ("at", .string(at.rfc3339)),
            ("elapsed_seconds", .number(elapsed)),
            ("edge", .optional(edge)),
            ("state", .optional(state)),
            ("detail", .optional(detail)),
            ("goal", goal.map(Self.object) ?? .null),
            ("edges_in_sync", .integer(inSync)),
            ("edges", .integer(edges)),
            ("usual_seconds", .optional(wording.usual?.median)),
            ("message", .string(message)),
        ])
    }

    private static func object(_ goal: WatchGoal) -> OrderedJSON {
        .object([
            ("sha256", .string(goal.content.hex)), ("meaning", .string(goal.meaning.hex)),
            ("bytes", .integer(goal.bytes)),
        ])
    }
}

extension TimeInterval {
    /// In the configuration's notation, to the second: `2m30s`.
    var notation: String { Duration.seconds(Int64(Swift.max(0, self))).notation }
}
