// The chat of the demo: shows each message as it arrives, and knows which messages must come.

import Evidence
import Foundation
import Lab
import Monitoring

struct DemoChat {
    private let stage: DemoStage
    private let teller: DemoTeller
    /// The root of the status page.
    private let page: String
    private var shown = 0
    /// The messages that are still to come, as `STATE DOMAIN KIND`.
    private var missing: Set<String> = []

    init(_ stage: DemoStage, _ teller: DemoTeller, page: String) {
        self.stage = stage
        self.teller = teller
        self.page = page
    }

    /// A message that must come from now on, as `STATE DOMAIN KIND`.
    mutating func expect(_ wanted: String) { missing.insert(wanted) }

    /// Lets that much demo time pass, and shows the messages that arrive meanwhile.
    /// - Returns: false if one was not expected.
    mutating func passes(_ duration: Duration) async throws -> Bool {
        let end = stage.time.now() + duration / .seconds(1)
        while stage.time.now() < end {
            guard try await passes(until: end) else { return false }
        }
        return true
    }

    /// Lets time pass until all missing messages have arrived, and shows them.
    /// - Returns: false if one did not arrive in time, or an unexpected one arrived.
    mutating func passesUntilAllCame() async throws -> Bool {
        let end = stage.time.now() + DemoPace.patience / .seconds(1)
        while !missing.isEmpty {
            guard stage.time.now() < end else {
                Console.remark("these messages did not arrive: \(missing.sorted().joined(separator: "; "))")
                return false
            }
            guard try await passes(until: end) else { return false }
        }
        return true
    }

    /// Lets time pass until that instant or the next message, and shows those that have arrived.
    private mutating func passes(until end: Date) async throws -> Bool {
        try await stage.wait(until: end, shown: shown)
        for delivery in stage.chat.received.dropFirst(shown) {
            shown += 1
            guard let message = try? JSONDecoder().decode(ChatMessage.self, from: delivery.body) else {
                Console.remark("a message arrived that the chat cannot read")
                return false
            }
            teller.show(message)
            if let id = message.incident { teller.note("on the page: \(page)incidents/\(id)") }
            guard let match = missing.first(where: { Self.fits(message, $0) }) else {
                Console.remark("this message was not expected")
                return false
            }
            missing.remove(match)
        }
        return true
    }

    private static func fits(_ message: ChatMessage, _ wanted: String) -> Bool {
        let parts = wanted.split(separator: " ").map(String.init)
        let state = message.title.contains(", resolved") ? "RESOLVED" : "FIRING"
        return parts[0] == state && message.title.contains(parts[1])
            && message.message.split(separator: "\n").contains { $0.components(separatedBy: " · ").contains(parts[2]) }
    }
}

/// Prints the demo's text with the time of its clock, as in its alerts.
struct DemoTeller: Sendable {
    let style: TextStyle
    let time: AcceleratedTime

    private static let labelWidth = 13
    /// Before each text: the instant and the label.
    private static let indentation = 20 + labelWidth

    func title(_ text: String) { Console.print("\n" + style.bold(text)) }

    func note(_ text: String) { Console.print("  " + style.dim(text)) }

    func say(_ scene: String, _ text: String) {
        let lines = TextStyle(isColoured: false, width: max(40, style.width - Self.indentation))
            .wrapped(text, indentation: 0)
        let label = scene + String(repeating: " ", count: max(1, Self.labelWidth - scene.count))
        for (index, line) in lines.enumerated() {
            let start =
                index == 0 ? "  \(clock)  \(style.bold(label))" : String(repeating: " ", count: Self.indentation)
            Console.print(start + line)
        }
    }

    func show(_ message: ChatMessage) {
        Console.print("")
        Console.print("  \(clock)  ┌ mobile-alerts")
        let blank = String(repeating: " ", count: 20)
        for (index, line) in ([message.title] + message.message.split(separator: "\n").map(String.init)).enumerated() {
            for part in TextStyle(isColoured: false, width: 92).wrapped(line.displayable, indentation: 0) {
                Console.print("\(blank)│ \(index == 0 ? style.bold(part) : part)")
            }
        }
        Console.print("\(blank)└")
    }

    /// As alerts write instants, without the zone: `2026-11-21 07:00`.
    private var clock: String { String(time.now().formatted(.iso8601).prefix(16)).replacing("T", with: " ") }
}

/// A message as the chat of the demo shows it: exactly the text that ntfy would get.
struct ChatMessage: Decodable, Sendable {
    let title: String
    let message: String

    /// The id of its incident.
    var incident: String? { message.firstMatch(of: /\bincident ([0-9a-f]{32})\b/).map { String($0.1) } }
}
