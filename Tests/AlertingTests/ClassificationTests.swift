import Evidence
import Facts
import Foundation
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("Classification")
    struct ClassificationTests {
        @Test(
            "each status has one outcome",
            arguments: [
                (200, Outcome.delivered), (202, .delivered), (204, .delivered),
                (301, .permanentChannel(gone: false)), (302, .permanentChannel(gone: false)),
                (307, .permanentChannel(gone: false)), (400, .permanentMessage), (413, .permanentMessage),
                (422, .permanentMessage), (401, .permanentChannel(gone: false)), (403, .permanentChannel(gone: false)),
                (404, .permanentChannel(gone: false)), (410, .permanentChannel(gone: true)), (408, .transient),
                (425, .transient), (429, .throttled(after: nil)), (500, .transient), (502, .transient),
                (503, .transient), (504, .transient), (nil, .transient),
            ] as [(Int?, Outcome)])
        func status(status: Int?, outcome: Outcome) {
            let answer = TransportAnswer(
                status: status, fault: status == nil ? TransportFault(kind: .network, detail: "reset") : nil)
            #expect(WebhookFormat().judge(answer, now: noon) == outcome)
            // Slack gives its errors in the body, see below.
            if outcome != .delivered { #expect(SlackFormat().judge(answer, now: noon) == outcome) }
        }

        @Test(
            "Retry-After is read as seconds, as a date or from the body, and limited to 1 s to 1 h",
            arguments: [
                ("7", "", 7), ("0", "", 1), ("86400", "", 3600), ("99999999999999999999999999", "", 3600),
                ("Sat, 21 Nov 2026 07:00:30 GMT", "", 30), ("Sat, 21 Nov 2026 06:00:00 GMT", "", 1),
                ("-5", "", nil), ("soon", "", nil), ("", "", nil), (nil, "", nil), ("nan", "", nil), ("1e9", "", nil),
                (nil, #"{"retry_after": 12.5}"#, 12.5), ("3", #"{"retry_after": 12}"#, 12),
                ("30", #"{"retry_after": 1}"#, 30), (nil, #"{"retry_after": -1}"#, nil),
            ] as [(String?, String, Double?)])
        func retryAfter(header: String?, body: String, seconds: Double?) {
            let answer = TransportAnswer(
                status: 429, headers: header.map { [HeaderField(name: "retry-after", value: $0)] } ?? [],
                body: Data(body.utf8))
            #expect(WebhookFormat().judge(answer, now: noon) == .throttled(after: seconds.map { .seconds($0) }))
        }

        @Test("503 with Retry-After means throttled")
        func busy() {
            let answer = TransportAnswer(status: 503, headers: [HeaderField(name: "Retry-After", value: "9")])
            #expect(WebhookFormat().judge(answer, now: noon) == .throttled(after: .seconds(9)))
        }

        @Test(
            "Slack's outcome follows from its body",
            arguments: [
                (200, "ok", Outcome.delivered), (200, "ok\n", .delivered),
                (200, "", .permanentChannel(gone: false)), (200, "OK, signed in", .permanentChannel(gone: false)),
                (200, "invalid_payload", .permanentMessage),
                (200, #"{"ok":false,"error":"no_text"}"#, .permanentMessage),
                (200, #"{"ok":false}"#, .transient), (200, #"{"ok":true}"#, .delivered),
                (400, "invalid_token", .permanentChannel(gone: false)), (400, "no_text", .permanentMessage),
                (403, "action_prohibited", .permanentChannel(gone: false)), (403, "invalid_payload", .permanentMessage),
                (404, "no_service", .permanentChannel(gone: false)),
                (404, "channel_not_found", .permanentChannel(gone: false)),
                (410, "channel_is_archived", .permanentChannel(gone: true)),
                (500, "rollup_error", .throttled(after: nil)),
            ])
        func slack(status: Int, body: String, outcome: Outcome) {
            #expect(SlackFormat().judge(TransportAnswer(status: status, body: Data(body.utf8)), now: noon) == outcome)
        }

        @Test("retry delays grow to 15 minutes and stay there, each varied by a fifth")
        func schedule() {
            let waits = (1...9).map { RetrySchedule.delay(afterAttempts: $0, jitter: 0) }
            #expect(waits == [5, 15, 45, 120, 300, 600, 900, 900, 900].map { .seconds($0) })
            #expect(RetrySchedule.delay(afterAttempts: 1, jitter: 1) == .seconds(6))
            #expect(RetrySchedule.delay(afterAttempts: 1, jitter: -1) == .seconds(4))
            #expect(RetrySchedule.delay(afterAttempts: 1, jitter: -50) == .seconds(4))
        }
    }
}
