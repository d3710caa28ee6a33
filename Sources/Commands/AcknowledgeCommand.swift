import ArgumentParser
import Evidence
import Foundation
import Monitoring
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

    func run() async throws {
        let acknowledgement: Acknowledgement
        do {
            acknowledgement = try Acknowledgement(asked: by ?? Operator.name, reason: reason, at: Date())
        } catch {
            throw ValidationError(error.description)
        }
        let incidents = try await store.with(.beside) { store in
            try await AcknowledgeTarget(incident).change(in: store) {
                try await $0.acknowledge(prefix: $1, acknowledgement)
            }
        }
        for incident in incidents {
            Console.print(
                "incident \(incident.id) acknowledged by \(acknowledgement.by.displayable): \(incident.kind.rawValue)")
        }
    }
}

/// `aasa-monitor unack INCIDENT|DOMAIN`.
struct UnacknowledgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unack", abstract: "End an acknowledgement: reminders and escalation continue.")

    @Argument(help: AcknowledgeTarget.help, completion: DomainCompletion.kind) var incident: String

    @OptionGroup var store: StoreOptions

    func run() async throws {
        let incidents = try await store.with(.beside) { store in
            try await AcknowledgeTarget(incident).change(in: store) { try await $0.unacknowledge(prefix: $1) }
        }
        for incident in incidents {
            Console.print("incident \(incident.id) is no longer acknowledged: \(incident.kind.rawValue)")
        }
    }
}

/// What `ack` and `unack` are about: an incident by its id, or the confirmed incidents of a domain.
struct AcknowledgeTarget {
    static let help = ArgumentHelp(
        "The incident's id as messages and the status page show it, or its beginning; or a domain, for all of its "
            + "incidents.", valueName: "incident|domain")

    let text: String

    init(_ text: String) { self.text = text }

    /// - Returns: the incidents that were changed, at least one.
    /// - Throws: `CommandFailure` where there is none.
    func change(
        in store: Store, _ change: (Store, String) async throws -> AcknowledgeAnswer
    ) async throws -> [Incident] {
        var ids = [text]
        // An id has no dot.
        if text.contains("."), let domain = try? Domain(text) {
            ids = try await store.incidents(domain: domain, limit: 100)
                .filter { $0.state == .firing || $0.state == .recovering }.map(\.id)
            if ids.isEmpty { throw CommandFailure(.usage, "\(domain) has no confirmed incident that is not resolved") }
        }
        var changed: [Incident] = []
        var refusal = ""
        for id in ids {
            switch try await change(store, id) {
            case .done(let incident): changed.append(incident)
            case let answer: refusal = answer.refusal ?? ""
            }
        }
        guard !changed.isEmpty else { throw CommandFailure(.usage, refusal) }
        return changed
    }
}
