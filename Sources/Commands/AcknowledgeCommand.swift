import ArgumentParser
import Evidence
import Foundation
import Monitoring
import StatusServer
import Storage

/// `aasa-monitor ack INCIDENT|DOMAIN`.
struct AcknowledgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ack", abstract: "Acknowledge an incident: no reminders, no escalation.",
        discussion: """
            The end of the incident is still sent. An incident that becomes worse or comes back is no longer \
            acknowledged. A running daemon reacts within seconds; `unack` ends it.
            """)

    @Argument(help: AcknowledgeTarget.help, completion: DomainCompletion.kind) var incident: String

    @Option(help: ArgumentHelp("Who acknowledges it (default: user@host).", valueName: "name"))
    var by: String?

    @Option(help: ArgumentHelp("Shown on the status page and in messages.", valueName: "text"))
    var reason: String = ""

    @OptionGroup var store: StoreOptions
    @OptionGroup var remote: RemoteOptions

    func run() async throws {
        let acknowledgement: Acknowledgement
        do {
            acknowledgement = try Acknowledgement(asked: by ?? Operator.name, reason: reason, at: Date())
        } catch {
            throw ValidationError(error.description)
        }
        if let changed = try await remote.with(besides: store, { try await $0.acknowledge(incident, acknowledgement) })
        {
            return Console.print(
                "incident \(changed.id) acknowledged by \(acknowledgement.by.displayable): \(changed.about)")
        }
        let changed = try await store.with(.beside) { store in
            try await AcknowledgeTarget(incident, .open).change(in: store) {
                try await $0.acknowledge(prefix: $1, acknowledgement)
            }
        }
        Console.print(
            "incident \(changed.id) acknowledged by \(acknowledgement.by.displayable): "
                + "\(changed.kind.rawValue) of \(changed.subjectName)")
    }
}

/// `aasa-monitor unack INCIDENT|DOMAIN`.
struct UnacknowledgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unack", abstract: "End an acknowledgement: reminders and escalation continue.")

    @Argument(help: AcknowledgeTarget.help, completion: DomainCompletion.kind) var incident: String

    @OptionGroup var store: StoreOptions
    @OptionGroup var remote: RemoteOptions

    func run() async throws {
        if let changed = try await remote.with(besides: store, { try await $0.unacknowledge(incident) }) {
            return Console.print("incident \(changed.id) is no longer acknowledged: \(changed.about)")
        }
        let changed = try await store.with(.beside) { store in
            try await AcknowledgeTarget(incident, .acknowledged).change(in: store) {
                try await $0.unacknowledge(prefix: $1)
            }
        }
        Console.print(
            "incident \(changed.id) is no longer acknowledged: \(changed.kind.rawValue) of \(changed.subjectName)")
    }
}

/// What `ack` and `unack` are about: an incident by its id, or a domain that has one which can be meant.
struct AcknowledgeTarget {
    static let help = ArgumentHelp(
        "The incident's id as messages and the status page show it, or its beginning; or a domain that has one open "
            + "incident.", valueName: "incident|domain")

    /// Which incidents of a domain can be meant.
    enum Choice: String {
        case open, acknowledged
    }

    let text: String
    let choice: Choice

    /// More are not listed.
    private static let mostListed = 20

    init(_ text: String, _ choice: Choice) {
        self.text = text
        self.choice = choice
    }

    /// - Returns: the incident that was changed.
    /// - Throws: `CommandFailure` where there is none, or several could be meant.
    func change(
        in store: Store, _ change: (Store, String) async throws -> AcknowledgeAnswer
    ) async throws -> Incident {
        // An id has no dot.
        let domain = text.contains(".") ? try? Domain(text) : nil
        let id = if let domain { try await id(of: domain, store) } else { text }
        let answer = try await change(store, id)
        guard case .done(let incident) = answer else { throw CommandFailure(.usage, answer.refusal ?? "") }
        return incident
    }

    private func id(of domain: Domain, _ store: Store) async throws -> String {
        let query = IncidentQuery(domain: domain, state: .open, limit: Self.mostListed)
        let open = try await store.incidents(query).map(\.record)
        let meant = choice == .open ? open : open.filter { $0.acknowledgement != nil }
        if meant.count == 1, let only = meant.first { return only.incident.id }
        guard meant.isEmpty else {
            let lines = meant.map { record in
                "\n  \(record.incident.reference)"
                    + (record.acknowledgement.map { ", acknowledged by \($0.by.displayable)" } ?? "")
            }
            throw CommandFailure(
                .usage, "\(domain) has \(meant.count) \(choice) incidents; name one of them:" + lines.joined())
        }
        throw CommandFailure(
            .usage,
            open.isEmpty ? "\(domain) has no open incident" : "no open incident of \(domain) is acknowledged")
    }
}
