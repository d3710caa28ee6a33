// docs/get-alerts.md and its translation, followed from the first command to a message, with a receiver instead of
// Slack.

import Foundation
import Lab
import Testing

extension EndToEndTests {
    @Suite struct GetAlertsTests {
        @Test(
            "the page's commands deliver a test message and print what the page shows",
            arguments: ["get-alerts.md", "ja/get-alerts.md"])
        func walk(_ page: String) async throws {
            try await Stage.withoutLab { stage in
                let receiver = try await LabReceiver.start()
                let file = URL(filePath: #filePath).appending(path: "../../../../docs/\(page)").standardized
                let text = try String(contentsOf: file, encoding: .utf8)
                var addresses = 0
                for (command, expected) in Self.commands(in: text) {
                    if command.hasPrefix("config check") {
                        try stage.write("slack.url", receiver.url("/services/T00/B00/xxx") + "\n")
                        addresses += 1
                    }
                    let run = try await stage.run(command.split(separator: " ").map(String.init))
                    #expect(run.end == .exit(0), "\(command): \(run.errors)")
                    #expect(Self.steady(run.output + run.errors) == Self.steady(expected), "\(command)")
                }
                #expect(addresses == 1 && receiver.messages.count == 1)
                await receiver.shutdown()
            }
        }

        /// The page's `aasa-monitor` commands with their output.
        private static func commands(in page: String) -> [(command: String, output: String)] {
            var found: [(command: String, output: String)] = []
            for block in page.components(separatedBy: "```console\n").dropFirst() {
                var isOurs = false
                for line in block.components(separatedBy: "```")[0].split(separator: "\n") {
                    if line.hasPrefix("$ ") || line.hasPrefix("# ") {
                        isOurs = line.hasPrefix("$ aasa-monitor ")
                        if isOurs { found.append((String(line.dropFirst("$ aasa-monitor ".count)), "")) }
                    } else if isOurs {
                        found[found.count - 1].output += line + "\n"
                    }
                }
            }
            return found
        }

        /// Without the host, its fingerprint and the duration of an answer.
        private static func steady(_ output: String) -> String {
            output.replacing(/\(slack, [^)]*\)/, with: "(slack)")
                .replacing(/\(status 200, [0-9.]+ m?s\)/, with: "(status 200)")
        }
    }
}
