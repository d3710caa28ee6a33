// Slack by an app's token: https://docs.slack.dev/reference/methods/chat.postMessage
// The first message of an incident is a thread's head; what follows goes into the thread, and the end edits the head.

import Evidence
import Foundation
import Monitoring

struct SlackBotFormat: ChannelFormat {
    private struct Place: Encodable {
        let channel: String
    }

    private struct Thread: Encodable {
        let thread_ts: String
        let reply_broadcast: Bool
    }

    func body(_ alert: Alert, plain: Bool, reference: String?) throws -> Data {
        let isEnd = alert.isOver
        let message = try SlackFormat.message(alert, blocks: !plain && !(isEnd && reference != nil))
        // The plainest form hangs on no thread: a thread that is gone may be what was refused.
        guard !plain, let reference, let (_, ts) = Self.parts(reference) else { return message }
        // An end needs no attention; readers of the channel see the head change.
        return try JSONText.adding(Thread(thread_ts: ts, reply_broadcast: !isEnd), to: message)
    }

    func wire(_ body: Data, channel: Channel) throws -> Data {
        try JSONText.adding(Place(channel: channel.destination ?? ""), to: body)
    }

    func address(messageKey: String, channel: Channel) -> String { channel.url("/chat.postMessage") }

    func headers(messageKey: String, timestamp: Date, body: Data, channel: Channel) -> [HeaderField] {
        [HeaderField(name: "content-type", value: "application/json; charset=utf-8")] + channel.bearer
    }

    func judge(_ answer: TransportAnswer, now: Date) -> Outcome { SlackFormat().judge(answer, now: now) }

    func reference(in answer: TransportAnswer) -> String? {
        struct Reply: Decodable {
            let channel: String
            let ts: String
        }
        return JSONText.decoded(Reply.self, answer).map { "\($0.channel) \($0.ts)" }
    }

    func followUp(_ alert: Alert, reference: String?, channel: Channel) throws -> FollowUp? {
        struct Head: Encodable {
            let channel: String
            let ts: String
        }
        guard alert.isOver, let reference, let (place, ts) = Self.parts(reference) else { return nil }
        let message = try SlackFormat.message(alert, blocks: true)
        return FollowUp(
            url: channel.url("/chat.update"), body: try JSONText.adding(Head(channel: place, ts: ts), to: message))
    }

    private static func parts(_ reference: String) -> (channel: String, ts: String)? {
        let parts = reference.split(separator: " ").map(String.init)
        return parts.count == 2 ? (parts[0], parts[1]) : nil
    }
}
