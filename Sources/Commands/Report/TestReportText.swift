// What `alert test` prints of one channel. The channel's own description hides its URL, the report's words its secrets.

import Alerting
import Evidence

enum TestReportText {
    static func text(_ report: TestReport, channel: Channel) -> String {
        let isCommand = channel.kind == .command
        let status = report.status.map { isCommand ? "exit code \($0)" : "status \($0)" } ?? "no status"
        let took = (report.took / .seconds(1)).inWords
        var lines = ["\(channel): \(verdict(report, channel.kind)) (\(status), \(took))"]
        if let words = report.words, !words.isEmpty {
            lines.append("  \(isCommand && report.status != nil ? "output" : "answer"): \(words)")
        }
        if let advice = advice(report, channel.kind) { lines.append("  \(advice)") }
        if let place = report.movedTo {
            lines.append("  the channel has moved: its settings should name \(place.displayable.shortened(to: 100))")
        }
        if report.isLeftOpen {
            lines.append("  the test is still open there, as its end was not taken: close it by hand")
        }
        return lines.joined(separator: "\n")
    }

    static func verdict(_ report: TestReport, _ kind: ChannelKind) -> String {
        switch report.outcome {
        case .delivered: "delivered"
        case .throttled(let wait?): "not delivered: it asks to wait for \((wait / .seconds(1)).inWords)"
        case .throttled(nil): "not delivered: it asks to wait"
        case .permanentMessage: "not delivered: it refused the message"
        case .permanentChannel where kind == .command: "not sent: the command cannot be started"
        case .permanentChannel where report.status == nil: "not sent: nothing is sent to such an address"
        case .permanentChannel(gone: true): "not delivered: it refused the channel, which is gone"
        case .permanentChannel(gone: false): "not delivered: it refused the channel"
        case .transient where kind == .command: "not delivered: the command failed"
        case .transient where report.status == nil: "not delivered: no answer"
        case .transient: "not delivered: it has trouble of its own"
        }
    }

    /// What to do, where the answer tells.
    private static func advice(_ report: TestReport, _ kind: ChannelKind) -> String? {
        switch report.outcome {
        case .delivered: nil
        case .throttled: "a real message would wait and be sent again by itself"
        case .transient: "a real message would be sent again by itself, for a day"
        case .permanentMessage: "a real message would be sent once more in its plainest form"
        case .permanentChannel where report.status.map { (300...399).contains($0) } ?? false:
            "redirects are not followed: give the address that it leads to"
        case .permanentChannel where kind == .command: "look at the command's path and permissions"
        case .permanentChannel where kind == .email:
            "look at the channel's url, username, password and addresses"
        case .permanentChannel: "look at the channel's url, token and rights"
        }
    }
}
