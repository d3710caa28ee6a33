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

    @Option(
        name: [.customLong("by"), .customLong("author")],
        help: ArgumentHelp("Who acknowledges it (default: user@host).", valueName: "name"))
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
        let target = AcknowledgeTarget(incident, .open)
        let changed = try await remote.ask(
            { try await $0.acknowledge(target, acknowledgement) }, or: store, .beside
        ) { store in
            let at = try await store.steady(at: acknowledgement.at)
            let stored = Acknowledgement(by: acknowledgement.by, reason: acknowledgement.reason, at: at)
            return try await target.change(in: store) { try await $0.acknowledge(named: $1, stored) }
        }
        Console.print(
            "incident \(changed.id) acknowledged by \(acknowledgement.by.displayable): \(changed.about)")
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
        let target = AcknowledgeTarget(incident, .acknowledged)
        let changed = try await remote.ask({ try await $0.unacknowledge(target) }, or: store, .beside) { store in
            try await target.change(in: store) { try await $0.unacknowledge(named: $1) }
        }
        Console.print("incident \(changed.id) is no longer acknowledged: \(changed.about)")
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

    /// An open incident of the domain.
    struct Candidate {
        let id: String
        /// As a person is shown it, to choose.
        let line: String
        let acknowledgedBy: String?
    }

    /// An incident that was changed, in a word.
    typealias Changed = (id: String, about: String)

    /// - Throws: `CommandFailure` where there is none, or several could be meant.
    func change(
        in store: Store, _ change: (Store, String) async throws -> AcknowledgeAnswer
    ) async throws -> Changed {
        let id = try await id { domain, limit in
            try await store.incidents(IncidentQuery(domain: domain, state: .open, limit: limit)).map {
                Candidate(
                    id: $0.incident.id, line: $0.incident.reference, acknowledgedBy: $0.acknowledgement?.by)
            }
        }
        let answer = try await change(store, id)
        guard case .done(let incident) = answer else { throw CommandFailure(.usage, answer.refusal ?? "") }
        return (incident.id, "\(incident.kind.rawValue) of \(incident.subjectName)")
    }

    /// The incident's id, or its beginning.
    /// `open`: the open incidents of a domain, so many at most.
    /// - Throws: `CommandFailure` where a domain has none that can be meant, or several.
    func id(among open: (Domain, _ limit: Int) async throws -> [Candidate]) async throws -> String {
        // An id has no dot.
        guard text.contains("."), let domain = try? Domain(text) else { return text }
        let open = try await open(domain, Self.mostListed)
        let meant = choice == .open ? open : open.filter { $0.acknowledgedBy != nil }
        if meant.count == 1, let only = meant.first { return only.id }
        guard meant.isEmpty else {
            let lines = meant.map { candidate in
                "\n  \(candidate.line)"
                    + (candidate.acknowledgedBy.map { ", acknowledged by \($0.displayable)" } ?? "")
            }
            throw CommandFailure(
                .usage, "\(domain) has \(meant.count) \(choice) incidents; name one of them:" + lines.joined())
        }
        throw CommandFailure(
            .usage,
            open.isEmpty ? "\(domain) has no open incident" : "no open incident of \(domain) is acknowledged")
    }
}

/// Who types the command.
enum Operator {
    /// `user@host`.
    static var name: String { "\(NSUserName())@\(ProcessInfo.processInfo.hostName)" }
}
