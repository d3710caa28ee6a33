// A message past the outbox: only for the news that the outbox itself cannot be written.

import Evidence
import Foundation
import Logging
import Monitoring

package struct DirectMessage: Sendable {
    private let transport: any MessageTransport
    private let userAgent: String
    private let wallClock: @Sendable () -> Date
    private let logger: Logger

    /// `userAgent` and `wallClock`: as in `Delivery.Settings`.
    package init(
        transport: any MessageTransport, userAgent: String, wallClock: @escaping @Sendable () -> Date = { Date() },
        logger: Logger
    ) {
        self.transport = transport
        self.userAgent = userAgent
        self.wallClock = wallClock
        self.logger = logger
    }

    /// How far a message came at one channel.
    private enum Arrival {
        case taken
        /// No clear answer came: it may have been read all the same.
        case unclear
        /// It was refused, or never left.
        case missed
    }

    /// Whom a message reached.
    package struct Reach: Equatable, Sendable {
        /// Those that took it.
        package var taken: Set<String>
        /// Those that may have it, though they did not say so.
        package var unclear: Set<String>

        package init(taken: Set<String> = [], unclear: Set<String> = []) {
            self.taken = taken
            self.unclear = unclear
        }
    }

    /// The channels that a message goes to.
    package static func recipients(of cause: FleetCause, _ routes: Routes) -> [Channel] {
        let names = routes.fleetChannels(of: cause)
        return routes.channels.filter { !$0.kind.isStateFeed && routes.isRouted($0.name, to: names) }
    }

    /// Sends an event of the fleet once to each of its channels, to all at the same time and without any row. It takes as
    /// long as the slowest of them, which is bounded by its format's time limit.
    package func tell(_ event: Event, of cause: FleetCause, _ routes: Routes) async -> Reach {
        let facts = AlertFacts(event: event, labels: [:], links: routes.links(for: nil))
        return await withTaskGroup(of: (String, Arrival).self) { group in
            for channel in Self.recipients(of: cause, routes) {
                let key = Routes.messageKey(for: event, channel: channel.name)
                group.addTask { (channel.name, await send(facts, key, channel)) }
            }
            var reach = Reach()
            for await (name, arrival) in group {
                switch arrival {
                case .taken: reach.taken.insert(name)
                case .unclear: reach.unclear.insert(name)
                case .missed: break
                }
            }
            return reach
        }
    }

    private func send(_ facts: AlertFacts, _ key: String, _ channel: Channel) async -> Arrival {
        guard let body = try? channel.format.body(facts, minimal: false),
            let request = try? channel.request(
                body: body, messageKey: key, timestamp: wallClock(), userAgent: userAgent)
        else { return .missed }
        // A process that ends hears no answer.
        guard let answer = try? await transport.post(request) else { return .unclear }
        let outcome = channel.format.judge(answer, now: wallClock())
        logger.log(
            level: outcome == .delivered ? .notice : .warning,
            "a message was sent past the store, which takes no writes",
            metadata: ["channel": "\(channel.name)", "outcome": "\(outcome.label)"])
        return arrival(answer, outcome)
    }

    /// As the outbox has it.
    private func arrival(_ answer: TransportAnswer, _ outcome: Outcome) -> Arrival {
        switch outcome {
        case .delivered: .taken
        case .transient: answer.mayHaveArrived ? .unclear : .missed
        case .throttled, .permanentMessage, .permanentChannel: .missed
        }
    }
}
