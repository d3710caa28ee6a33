import Evidence
import Foundation
import Testing

@testable import Monitoring

extension MonitoringSuite {
    @Suite("Operator's note")
    struct MessageNoteTests {
        private func incident(_ subject: Incident.Subject) -> Incident {
            let now = Date(timeIntervalSince1970: 0)
            return Incident(
                id: "a1", subject: subject, kind: .cdnStale, severity: .error, state: .firing, since: now,
                openedAt: now,
                firedAt: now, version: 1)
        }

        @Test(
            "placeholders are replaced with the incident's values",
            arguments: [
                ("Call 110", "Call 110"), ("{kind}", "cdn.stale"),
                (
                    "Runbook: https://wiki.test/{kind}?d={domain}&t={labels.team}#{severity}.",
                    "Runbook: https://wiki.test/cdn.stale?d=example.com&t=growth#error."
                ),
                ("no end {kind", "no end {kind"), ("} {kind} }", "} cdn.stale }"),
                ("{labels.unknown}", nil),
            ] as [(String, String?)])
        func text(_ template: String, _ expected: String?) throws {
            let text = try MessageNote(template)
                .text(of: incident(.domain(Domain("example.com"))), labels: ["team": "growth"])
            #expect(text == expected)
        }

        @Test("the line is omitted if the incident has no domain")
        func global() throws {
            #expect(try MessageNote("{domain}").text(of: incident(.global(.cdn)), labels: [:]) == nil)
            #expect(try MessageNote("{kind}").text(of: incident(.global(.cdn)), labels: [:]) == "cdn.stale")
        }

        @Test(
            "unknown placeholders, several lines and empty text are refused",
            arguments: [
                "{x}", "{}", "{labels.}", "{Kind}", "a\nb", "", "\u{202E}a", String(repeating: "a", count: 501),
            ])
        func refused(_ template: String) {
            #expect(throws: NoteFault.self) { try MessageNote(template) }
        }
    }
}
