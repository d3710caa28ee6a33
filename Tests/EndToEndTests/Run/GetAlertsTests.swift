// docs/get-alerts.md and its translation, followed from the first command to a message, with a receiver instead of
// Slack.

import Foundation
import Lab
import Testing

extension EndToEndTests {
    @Suite struct GetAlertsTests {
        @Test(
            "the page's commands deliver a test message and print what the page shows",
            arguments: ["docs/get-alerts.md", "docs/ja/get-alerts.md"])
        func walk(_ page: String) async throws {
            try await Stage.withoutLab { stage in
                try stage.installCommands(edges: nil)
                let receiver = try await LabReceiver.start()
                var addresses = 0
                let commands = try DocumentedPage(page).commands.filter { $0.runsHere && !$0.output.isEmpty }
                for command in commands {
                    if command.line.hasPrefix("aasa-monitor config check") {
                        try stage.write("slack.url", receiver.url("/services/T00/B00/xxx") + "\n")
                        addresses += 1
                    }
                    let run = try await stage.shell(command.line)
                    #expect(run.code == 0, "\(command.line): \(run.text)")
                    #expect(
                        SteadyOutput(run.text, isWrapped: false).fits(.init(command.output, isWrapped: false)),
                        "\(command.line): \(run.text)")
                }
                #expect(addresses == 1 && receiver.messages.count == 1)
                await receiver.shutdown()
            }
        }
    }
}
