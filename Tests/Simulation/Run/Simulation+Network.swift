// The network as the product sees it.

import Alerting
import Evidence
import Facts
import Foundation
import Monitoring

extension Simulation: SimulatedNetwork {
    func result(site: Int, depth: Depth, now: Date) async throws -> Observation {
        let (observation, fetched) = try sites[site].result(depth, at: now, loss: isOffline ? loss : nil)
        fetches[site, default: []].append(fetched)
        return observation
    }

    func pass(_ duration: Duration) async throws {
        await pass(until: clock.passed + Int64(duration / .milliseconds(1)), life: process?.life)
        if violation != nil { throw CancellationError() }
    }

    func post(_ request: MessageRequest) async throws -> TransportAnswer {
        let host = URLComponents(string: request.url)?.host ?? ""
        let name = String(host.prefix { $0 != "." && $0 != "-" })
        guard let process, violation == nil, let receiver = receivers[name],
            let channel = setupOfLife.channel(name)
        else { throw CancellationError() }
        guard channel.host == host else {
            fail(Violation(rule: .destination, detail: "a former address of \(name) gets a message"))
            throw CancellationError()
        }
        takeIn()
        checkDue()
        var message: StoredMessage?
        var said: [(id: String, isEnd: Bool)] = []
        checking {
            guard let present else { return }
            if channel.isFeed {
                said = try audit.examineFeed(request.body, channel, present)
            } else {
                let found = try stored(request, channel)
                message = found
                let id = request.headers.first { $0.name == "webhook-id" }?.value
                try audit.examine(found, request.body, id: id, to: channel, present)
                if channel.isPager { try examinePagerKey(found, request.body) }
            }
        }
        guard violation == nil else { throw CancellationError() }
        let reaction = react(receiver, name)
        // The process may end before the request leaves, or after the answer has arrived.
        let fate = isQuiet || plan.isRecorded ? 1000 : machineDice.number(0...150)
        if fate == 0 {
            log.note(clock.passed, "\(name) is about to be sent \(message?.words ?? "alerts")")
            note(nil, message, said, name, request.body)
            crash()
            figures.count("machine: killed before a message left")
            throw CancellationError()
        }
        await pass(until: clock.passed + reaction.latency, life: process.life)
        figures.count("attempts")
        figures.count("attempts, receiver \(receiver.mood.rawValue)")
        let about =
            message.map { "\($0.reason.rawValue) \($0.key.prefix(8)) of \($0.words)" } ?? "\(said.count) alerts"
        log.note(
            clock.passed,
            "\(name) \(about): \(reaction.answer.status.map(String.init) ?? "no answer")"
                + (reaction.isAccepted ? ", accepted" : ""))
        // The channel moved during the request: what the former place knows does not matter any more.
        guard setupOfLife.channel(name)?.host == host else { return reaction.answer }
        note(reaction, message, said, name, request.body)
        if plan.isRecorded, reaction.isAccepted { record(message, said, name, request.body) }
        if fate == 1 {
            crash()
            figures.count("machine: killed between answer and commit")
        }
        return reaction.answer
    }

    /// In a recorded run the minute decides: one message more or less does not change any other answer.
    private func react(_ receiver: SimulatedReceiver, _ name: String) -> SimulatedReceiver.Reaction {
        guard plan.isRecorded else { return receiver.react(&receiverDice, wall: clock.wall) }
        let stream = name.utf8.reduce(5) { $0 &* 31 &+ UInt64($1) }
        var dice = Dice(seed: plan.seed &* 1_000_000 &+ UInt64(clock.passed / 60_000), stream: stream)
        return receiver.react(&dice, wall: clock.wall)
    }

    private func record(
        _ message: StoredMessage?, _ said: [(id: String, isEnd: Bool)], _ channel: String, _ body: Data
    ) {
        if let message {
            recording.note(clock.passed, "\(channel) \(message.reason.rawValue)", body)
        } else {
            let stated = said.map { "\($0.id) \(audit.ledger[$0.id]?.version ?? 0) \($0.isEnd)" }
            recording.note(clock.passed, channel, body, stating: stated.joined(separator: "\n"))
        }
    }

    /// The stored message with these bytes.
    private func stored(_ request: MessageRequest, _ channel: SimulatedChannel) throws -> StoredMessage {
        let messages = try reading?.messages(channel: channel.name) ?? []
        guard let message = messages.first(where: { BodyAudit.isSame(request.body, $0.body, channel.kind) }) else {
            throw Violation(
                rule: .committed,
                detail: "\(channel.name) gets a message that is not among its \(messages.count) stored ones")
        }
        return StoredMessage(
            key: message.key, reason: message.reason, body: request.body, members: message.members)
    }

    private func note(
        _ reaction: SimulatedReceiver.Reaction?, _ message: StoredMessage?, _ said: [(id: String, isEnd: Bool)],
        _ channel: String, _ body: Data
    ) {
        checking {
            guard let present else { return }
            if let reaction { audit.note(reaction, of: channel, at: clock.passed) }
            if let message {
                try audit.note(reaction, of: message, to: channel, body, present)
            } else {
                try audit.noteFeed(reaction, said, channel, present)
            }
        }
    }
}
