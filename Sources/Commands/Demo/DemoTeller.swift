// What the demo says, dated by its clock as the alerts in it are.

import Evidence
import Foundation
import Monitoring

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
        Console.print("  \(clock)  ┌ #mobile-alerts")
        let blank = String(repeating: " ", count: 20)
        for (index, line) in ([message.headline] + message.lines).enumerated() {
            for part in TextStyle(isColoured: false, width: 92).wrapped(line.displayable, indentation: 0) {
                Console.print("\(blank)│ \(index == 0 ? style.bold(part) : part)")
            }
        }
        Console.print("\(blank)└")
    }

    /// As alerts write instants, without the zone: `2026-11-21 07:00`.
    private var clock: String { String(time.now().formatted(.iso8601).prefix(16)).replacing("T", with: " ") }
}
