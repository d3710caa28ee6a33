// A marked test message on the true path: the same form, address, headers, signature and judgement as every message. Only
// the outbox is left out, so that it can be sent beside a running daemon, which alone may write to the store.

import Evidence
import Foundation

package struct TestMessage: Sendable {
    private let transport: any MessageTransport
    private let userAgent: String
    private let wallClock: @Sendable () -> Date

    /// `userAgent` and `wallClock`: as in `Delivery.Settings`.
    package init(
        transport: any MessageTransport, userAgent: String, wallClock: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.transport = transport
        self.userAgent = userAgent
        self.wallClock = wallClock
    }

    /// Sends it once, and once more where the channel has moved.
    /// - Throws: `CancellationError`, or what keeps the message from being written.
    package func send(_ facts: AlertFacts, to channel: Channel) async throws -> TestReport {
        let format = channel.format
        let body = try format.body(facts, minimal: false)
        let key = "test-\(UUID().uuidString.lowercased())"
        let start = ContinuousClock.now
        var place = channel
        var answer = try await transport.post(request(body, key, place))
        if let destination = format.newDestination(in: answer) {
            place.destination = destination
            answer = try await transport.post(request(body, key, place))
        }
        let took = ContinuousClock.now - start
        let outcome = format.judge(answer, now: wallClock())
        var isLeftOpen = false
        if outcome == .delivered {
            isLeftOpen = try await !follow(facts, reference: format.reference(in: answer), channel: place)
        }
        return TestReport(
            channel: channel.name, outcome: outcome, status: answer.status,
            words: Delivery.words(answer, channel: place), took: took,
            movedTo: place.destination == channel.destination ? nil : place.destination, isLeftOpen: isLeftOpen)
    }

    private func request(_ body: Data, _ key: String, _ channel: Channel) throws -> MessageRequest {
        try channel.request(body: body, messageKey: key, timestamp: wallClock(), userAgent: userAgent)
    }

    /// Makes the call that ends a test where the receiver would keep it open, as a pager does.
    /// - Returns: whether nothing is left to be ended.
    private func follow(_ facts: AlertFacts, reference: String?, channel: Channel) async throws -> Bool {
        let format = channel.format
        guard let call = try format.followUp(facts, reference: reference, channel: channel) else { return true }
        let answer = try await transport.post(
            channel.request(call, timestamp: wallClock(), userAgent: userAgent))
        return format.judge(answer, now: wallClock()) == .delivered
    }
}

extension Channel {
    /// The one way in which a message becomes a request.
    func request(body: Data, messageKey: String, timestamp: Date, userAgent: String) throws -> MessageRequest {
        let wire = try format.wire(body, channel: self)
        return MessageRequest(
            url: format.address(messageKey: messageKey, channel: self),
            headers: format.headers(messageKey: messageKey, timestamp: timestamp, body: wire, channel: self),
            userAgent: userAgent, body: wire, timeout: format.timeout)
    }

    /// The same for a call that follows a message.
    func request(_ call: FollowUp, timestamp: Date, userAgent: String) -> MessageRequest {
        MessageRequest(
            method: call.method, url: call.url,
            headers: format.headers(messageKey: "", timestamp: timestamp, body: call.body, channel: self),
            userAgent: userAgent, body: call.body, timeout: format.timeout)
    }
}

/// How a test message fared.
package struct TestReport: Equatable, Sendable {
    package let channel: String
    package let outcome: Outcome
    /// nil where no answer came.
    package let status: Int?
    /// Words of the receiver or of the network, free of secrets, 300 characters at most.
    package let words: String?
    /// From the first byte sent to the answer.
    package let took: Duration
    /// Where the receiver says that the channel is now; nil where it is where the settings say.
    package let movedTo: String?
    /// The receiver took the test and not its end, so that somebody has to close it there.
    package let isLeftOpen: Bool
}
