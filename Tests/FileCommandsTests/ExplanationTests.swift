import Evidence
import Foundation
import Testing

@testable import FileCommands

extension FileCommandsTests {
    @Suite struct ExplanationTests {
        @Test("every rule and every kind of alert is explained", arguments: Explanation.names)
        func all(_ name: String) throws {
            let text = try Explanation.text(of: name)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.first?.hasPrefix(name) == true, "\(text)")
            // The meaning is the second paragraph, in words and without Markdown.
            #expect(lines.count > 2 && lines[1].isEmpty && lines[2].contains(" "), "\(text)")
            #expect(!lines[2].contains("]("), "\(text)")
        }

        @Test("a name of a finding and an alert is explained as both, and each variant of an alert is explained")
        func both() throws {
            let text = try Explanation.text(of: "cdn.missing")
            #expect(text.contains("cdn.missing (error): a finding") && text.contains("cdn.missing: a kind of alert"))
            let degraded = try Explanation.text(of: "monitor.degraded")
            #expect(degraded.components(separatedBy: "who is notified: ").count == 4, "\(degraded)")
            #expect(text.contains("alert: cdn.missing") && text.contains("findings: cdn.missing, cdn.crawler-error"))
        }

        @Test("for a misspelt name, the nearest name is suggested")
        func misspelt() {
            let failure = #expect(throws: CommandFailure.self) { try Explanation.text(of: "origin.statsu") }
            #expect(failure?.exit == .usage && failure?.message.contains("did you mean 'origin.status'?") == true)
        }
    }
}
