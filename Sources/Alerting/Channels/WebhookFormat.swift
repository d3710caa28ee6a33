// The generic webhook, in the form of Standard Webhooks. Its keys are a contract: docs of the alert body.

import Evidence
import Foundation

struct WebhookFormat: ChannelFormat {
    /// Standard Webhooks advises to stay under 20 KB.
    static let maximumBytes = 20_000

    func body(_ alert: Alert, plain: Bool, reference: String?) throws -> Data {
        if var digest = WebhookDigest(alert) {
            if plain { digest.room = min(digest.room, Alert.Digest.shown) }
            var data = try JSONText.encoded(digest)
            while data.count >= Self.maximumBytes, digest.room > 0 {
                digest.room = digest.room * 3 / 4
                data = try JSONText.encoded(digest)
            }
            return data
        }
        var payload = WebhookPayload(alert)
        if plain {
            payload.findings = []
            payload.changes = []
            payload.behaviour = []
        }
        // What costs most and says least goes first.
        let cuts: [(inout WebhookPayload) -> Void] = [
            { payload in for index in payload.findings.indices { payload.findings[index].evidence = [:] } },
            { $0.findings = Array($0.findings.prefix(10)) },
            { $0.changes = Array($0.changes.prefix(20)) },
            { payload in
                for index in payload.changes.indices {
                    payload.changes[index].summary = payload.changes[index].summary.cut(toBytes: 200)
                    payload.changes[index].pointer = payload.changes[index].pointer.cut(toBytes: 200)
                }
                for index in payload.findings.indices {
                    payload.findings[index].message = payload.findings[index].message.cut(toBytes: 300)
                    payload.findings[index].fix = payload.findings[index].fix.cut(toBytes: 300)
                }
            },
            { $0.summary = $0.summary.cut(toBytes: 500) },
            { payload in
                payload.diagnosis = payload.diagnosis.cut(toBytes: 1000)
                payload.parts.effect = payload.parts.effect.cut(toBytes: 500)
                payload.parts.cause = payload.parts.cause?.cut(toBytes: 500)
                payload.parts.action = payload.parts.action?.cut(toBytes: 500)
            },
            { $0.findings = [] },
            {
                $0.changes = []
                $0.behaviour = []
            },
            { $0.labels = [:] },
        ]
        var data = try JSONText.encoded(payload)
        for cut in cuts where data.count >= Self.maximumBytes {
            cut(&payload)
            data = try JSONText.encoded(payload)
        }
        return data
    }

    func headers(messageKey: String, timestamp: Date, body: Data, channel: Channel) -> [HeaderField] {
        let seconds = Int(timestamp.timeIntervalSince1970)
        var headers = [
            HeaderField(name: "content-type", value: "application/json"),
            HeaderField(name: "webhook-id", value: messageKey),
            HeaderField(name: "webhook-timestamp", value: "\(seconds)"),
        ]
        if !channel.signingKeys.isEmpty {
            headers.append(
                HeaderField(
                    name: "webhook-signature",
                    value: WebhookSignature.header(
                        id: messageKey, timestamp: seconds, body: body, keys: channel.signingKeys)))
        }
        return headers
    }

    func judge(_ answer: TransportAnswer, now: Date) -> Outcome { Classification.outcome(of: answer, now: now) }
}

extension String {
    /// The text cut on a character's boundary to at most so many bytes of UTF-8, with an ellipsis where something was cut.
    func cut(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var kept = ""
        var size = "…".utf8.count
        for character in self {
            size += character.utf8.count
            if size > limit { break }
            kept.append(character)
        }
        return kept + "…"
    }
}
