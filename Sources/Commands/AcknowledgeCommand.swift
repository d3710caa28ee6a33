import ArgumentParser
import Evidence
import Foundation
import Monitoring
import Report
import StatusServer
import Storage

/// `aasa-monitor ack INCIDENT|DOMAIN`.
struct AcknowledgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ack", abstract: "Acknowledge an incident: no reminders, no escalation.",
        discussion: """
            RESOLVED is still sent. An incident that gets worse or comes back is no longer acknowledged. \
            A running daemon reacts within seconds; `unack` ends the acknowledgement.
            """)

    @Argument(help: AcknowledgeTarget.help, completion: .domains) var incident: String

    @Option(
        name: [.customLong("by"), .customLong("author")],
        help: ArgumentHelp("Who acknowledges it (default: user@host).", valueName: "name"))
    var by: String?

    @Option(help: ArgumentHelp("Shown on the status page and in messages.", valueName: "text"))
    var reason: String = ""

    @OptionGroup var store: StoreOptions
    @OptionGroup var remote: RemoteOptions

    func run() async throws {
        let by = by ?? ProcessInfo.processInfo.operatorName
        do {
            _ = try Acknowledgement(asked: by, reason: reason, at: Date())
        } catch {
            throw ValidationError(error.description)
        }
        let target = AcknowledgeTarget(incident, .open)
        let done = try await remote.ask(store, .beside) { api in
            var done: [AcknowledgementReport] = []
            for id in try await target.ids(api) {
                done.append(try await api.acknowledge(id, by: by, reason: reason))
            }
            return done
        }
        for done in done {
            Console.print("incident \(done.id) acknowledged by \((done.by ?? by).displayable): \(done.about)")
        }
    }
}

/// `aasa-monitor unack INCIDENT|DOMAIN`.
struct UnacknowledgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unack", abstract: "End an acknowledgement: reminders and escalation continue.")

    @Argument(help: AcknowledgeTarget.help, completion: .domains) var incident: String

    @OptionGroup var store: StoreOptions
    @OptionGroup var remote: RemoteOptions

    func run() async throws {
        let target = AcknowledgeTarget(incident, .acknowledged)
        let done = try await remote.ask(store, .beside) { api in
            var done: [AcknowledgementReport] = []
            for id in try await target.ids(api) { done.append(try await api.unacknowledge(id)) }
            return done
        }
        for done in done { Console.print("incident \(done.id) is no longer acknowledged: \(done.about)") }
    }
}

/// The target of `ack` and `unack`: an incident by its id, or a domain's incident with those that it inhibits. Whoever
/// fixes a firewall that blocks the crawler also fixes the copy that is missing because of it.
struct AcknowledgeTarget {
    static let help = ArgumentHelp(
        "The incident's id from a message or the status page, or the beginning of it; or a domain: its open "
            + "incident, and those that it inhibits.", valueName: "incident|domain")

    /// Which incidents of a domain qualify.
    enum Choice: String {
        case open, acknowledged
    }

    let text: String
    let choice: Choice

    /// How many incidents an error message lists.
    private static let mostListed = 20

    init(_ text: String, _ choice: Choice) {
        self.text = text
        self.choice = choice
    }

    /// The id or prefix as given; or the ids of a domain's incidents, the inhibiting one first.
    /// - Throws: `CommandFailure` if the domain has no such incident, or several that nothing inhibits.
    func ids(_ api: any MonitorAPI) async throws -> [String] {
        // An id has no dot.
        guard text.contains("."), let domain = try? Domain(text) else { return [text] }
        let open = try await api.incidents(IncidentQuery(domain: domain, state: .open, limit: Self.mostListed))
            .incidents
        let meant = choice == .open ? open : open.filter { $0.acknowledged != nil }
        let causes = meant.filter { $0.inhibitedBy == nil }
        if !meant.isEmpty, meant.count == 1 || causes.count <= 1 {
            return (causes + meant.filter { $0.inhibitedBy != nil }).map(\.id)
        }
        guard meant.isEmpty else {
            let lines = meant.map { incident in
                "\n  \(incident.id) \(incident.about), \(incident.state.rawValue) since \(incident.since.rfc3339)"
                    + (incident.acknowledged.map { ", acknowledged by \($0.by.displayable)" } ?? "")
            }
            throw CommandFailure(
                .usage, "\(domain) has \(meant.count) \(choice) incidents; name one of them:" + lines.joined())
        }
        throw CommandFailure(
            .usage,
            open.isEmpty ? "\(domain) has no open incident" : "no open incident of \(domain) is acknowledged")
    }
}

extension ProcessInfo {
    /// The user who runs the command: `user@host`.
    var operatorName: String { "\(NSUserName())@\(hostName)" }
}
