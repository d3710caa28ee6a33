// What the demo says, with the time that its clock tells.

import Evidence
import Foundation
import Monitoring

struct DemoTeller: Sendable {
    let style: TextStyle
    let time: AcceleratedTime
    let start: Date

    func title(_ text: String) { Console.print("\n" + style.bold(text)) }

    func note(_ text: String) { Console.print("  " + style.dim(text)) }

    func say(_ scene: String, _ text: String) {
        let lines = style.wrapped(text, indentation: 0)
        let label = (scene + String(repeating: " ", count: 12)).prefix(12)
        for (index, line) in lines.enumerated() {
            Console.print(
                "  \(index == 0 ? clock : "            ")  \(index == 0 ? style.bold(String(label)) : String(repeating: " ", count: 12))\(line)"
            )
        }
    }

    func show(_ message: ChatMessage) {
        Console.print("")
        Console.print("  \(clock)  ┌ #mobile-alerts")
        for (index, line) in ([message.headline] + message.lines).enumerated() {
            for part in TextStyle(isColoured: false, width: 92).wrapped(line.displayable, indentation: 0) {
                Console.print("                │ \(index == 0 ? style.bold(part) : part)")
            }
        }
        Console.print("                └")
    }

    /// The story's own time: `day 2, 03:20`.
    private var clock: String {
        let minutes = Int(time.now().timeIntervalSince(start) / 60)
        let (day, minute) = (minutes / 1440 + 1, minutes % 1440)
        return "day \(day), " + [minute / 60, minute % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}
