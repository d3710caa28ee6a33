import Alerting
import ArgumentParser
import Curl
import Daemon
import Evidence
import MonitorConfiguration

/// `aasa-monitor alert`: whether messages arrive, and to whom they would go, before one has to.
struct AlertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alert", abstract: "Examine the channels that alerts go to.",
        subcommands: [Test.self, AlertRoutesCommand.self])

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "test", abstract: "Send a marked test message and print what the receiver answered.",
            discussion: """
                The message is sent like every alert: the same form, network, headers and signature. It is sent once, without \
                the store, so a running daemon is not disturbed.

                Exit codes: 0 every message was delivered, 1 at least one was not, 64 a channel is not configured, \
                78 configuration.
                """)

        @OptionGroup var configuration: ConfigurationOptions

        @Argument(help: ArgumentHelp("The channels to test (default: all).", valueName: "channel"))
        var names: [String] = []

        func run() async throws {
            let path = try configuration.resolvedPath()
            let file = try ConfigurationOptions.load(path)
            if let caFile = file.network.caFile { try CertificateFile.check(caFile, option: "network.ca_file") }
            try await RunCommand.explaining {
                let test = try AlertTest(file, userAgent: Version.userAgent)
                let channels = try chosen(test.channels, path)
                var failed = 0
                try await test.withSender { send in
                    try await OrderedWork.run(channels, maximumConcurrent: channels.count) { channel in
                        (channel, try await send(channel))
                    } each: { channel, report in
                        if report.outcome != .delivered { failed += 1 }
                        Console.print(TestReportText.text(report, channel: channel))
                    }
                }
                if failed > 0 { throw CommandFailure(.found, "") }
            }
        }

        /// The named channels, each once, in the order of the command line.
        private func chosen(_ channels: [Channel], _ path: String) throws -> [Channel] {
            guard !channels.isEmpty else {
                throw CommandFailure(
                    .configuration, "\(path): there are no channels; give at least one under 'alerts.channels'")
            }
            guard !names.isEmpty else { return channels }
            var seen: Set<String> = []
            return try names.filter { seen.insert($0).inserted }.map { name in
                if let channel = channels.first(where: { $0.name == name }) { return channel }
                let known = channels.map(\.name)
                let shown = name.displayable.shortened(to: 64)
                let hint = Spelling.suggestion(for: name, among: known)
                throw CommandFailure(
                    .usage,
                    "no channel is named '\(shown)'"
                        + (hint.isEmpty ? "; configured: \(known.joined(separator: ", "))" : hint))
            }
        }
    }
}
