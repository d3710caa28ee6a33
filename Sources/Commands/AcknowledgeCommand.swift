import ArgumentParser
import Evidence
import Foundation
import Monitoring
import Storage

/// `aasa-monitor ack INCIDENT`: takes an incident in hand.
struct AcknowledgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ack", abstract: "Take an incident in hand: nobody is reminded of it any more.",
        discussion: """
            The end of the incident is told all the same. Trouble that grows, or comes back after its end, is in nobody's \
            hand again. It goes through the store, and a running daemon heeds it within seconds.
            """)

    @Argument(
        help: ArgumentHelp(
            "The incident's id, as messages and the status page show it, or its beginning.", valueName: "incident"))
    var incident: String

    @Option(help: ArgumentHelp("Who has it in hand (default: user@host).", valueName: "name"))
    var by: String?

    @Option(help: ArgumentHelp("Shown to whoever asks.", valueName: "text"))
    var reason: String = ""

    @OptionGroup var store: StoreOptions

    func run() async throws {
        let order: Acknowledgement
        do {
            order = try Acknowledgement(
                asked: by ?? Operator.name, reason: reason, at: Date())
        } catch {
            throw ValidationError(error.description)
        }
        let answer = try await store.with(.beside) { try await $0.acknowledge(prefix: incident, order) }
        guard case .done(let incident) = answer else { throw CommandFailure(.usage, answer.refusal ?? "") }
        Console.print("incident \(incident.id) is in the hands of \(order.by.displayable): \(incident.kind.rawValue)")
    }
}
