import AASA
import Alerting
import ArgumentParser
import Curl
import Daemon
import Evidence
import MonitorConfiguration
import Monitoring

/// `aasa-monitor alert`: tests whether messages arrive, and shows who would get them.
struct AlertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alert", abstract: "Test the channels that get alerts, and show who is notified.",
        subcommands: [Test.self, AlertRoutesCommand.self])

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "test", abstract: "Send a marked test message and print what the receiver answered.",
            discussion: """
                The message is sent like every alert, with the same format, network, headers and signature. It is sent \
                once and without the store, so a running daemon is not affected. When root tests a configuration in \
                /etc/aasa-monitor, the command switches to user aasa-monitor, as the service does.

                Exit codes: 0 every message was delivered, 1 at least one was not, 64 a channel is not configured, \
                78 configuration.
                """)

        @OptionGroup var configuration: ConfigurationOptions

        @Argument(help: ArgumentHelp("The channels to test (default: all).", valueName: "channel"))
        var names: [String] = []

        func run() async throws {
            let path = try configuration.resolvedPath()
            try ServiceUser.become(for: path)
            let file = try ConfigurationOptions.load(path)
            try CertificateFile.check(of: file)
            try await RunCommand.explaining {
                let test = AlertTest(file, userAgent: Version.userAgent)
                let channels = try chosen(test.channels, path)
                var failed = 0
                try await test.withSender { send in
                    try await OrderedWork.run(channels, maximumConcurrent: channels.count) { channel in
                        (channel, try await send(channel))
                    } each: { channel, report in
                        if report.outcome != .delivered { failed += 1 }
                        Console.print(report.text(of: channel))
                    }
                }
                if failed > 0 { throw CommandFailure(.found, "") }
            }
        }

        /// The named channels, each once, in the order of the command line.
        private func chosen(_ channels: [Channel], _ path: String) throws -> [Channel] {
            guard !channels.isEmpty else {
                throw CommandFailure(
                    .configuration, "\(path): no channels are configured; add at least one under 'alerts.channels'")
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

/// What `alert test` prints about one channel. It shows no URL of the channel, and the report hides its secrets.
extension TestReport {
    func text(of channel: Channel) -> String {
        let status = status.map { "status \($0)" } ?? "no status"
        let took = (took / .seconds(1)).inWords
        var lines = ["\(channel.place): \(verdict) (\(status), \(took))"]
        if let words = words, !words.isEmpty {
            lines.append("  answer: \(words)")
        }
        if let advice = advice(channel.kind) { lines.append("  \(advice)") }
        if let place = movedTo {
            lines.append("  the channel has moved: change its settings to \(place.displayable.shortened(to: 100))")
        }
        if isLeftOpen {
            lines.append("  the test is still open there, because its end was not delivered: close it by hand")
        }
        return lines.joined(separator: "\n")
    }

    private var verdict: String {
        switch outcome {
        case .delivered: "delivered"
        case .throttled(let wait?): "not delivered: the receiver asks to wait \((wait / .seconds(1)).inWords)"
        case .throttled(nil): "not delivered: the receiver asks to wait"
        case .permanentMessage: "not delivered: the receiver refused the message"
        case .permanentChannel where status == nil: "not sent: aasa-monitor does not send to this address"
        case .permanentChannel(gone: true): "not delivered: the receiver says that the channel is gone"
        case .permanentChannel(gone: false): "not delivered: the receiver refused the channel"
        case .transient where status == nil: "not delivered: no answer"
        case .transient: "not delivered: the receiver failed"
        }
    }

    /// What to do, if the answer tells.
    private func advice(_ kind: ChannelKind) -> String? {
        switch outcome {
        case .delivered: nil
        case .throttled: "a real message would wait, and then be sent again automatically"
        case .transient: "a real message would be sent again automatically"
        case .permanentMessage: "a real message would be sent once more in its simplest form"
        case .permanentChannel where status.map { (300...399).contains($0) } ?? false:
            "aasa-monitor does not follow redirects: use the address that the redirect leads to"
        case .permanentChannel where kind == .email:
            "check the channel's url, username, password and addresses"
        case .permanentChannel: "check the channel's url, token and permissions"
        }
    }
}
