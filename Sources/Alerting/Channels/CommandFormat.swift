// A program of the operator's: it gets the webhook's document on its standard input, and answers by its exit code.

import Evidence
import Foundation

struct CommandFormat: ChannelFormat {
    /// What scripts find programs by. Nothing of the monitor's own environment is passed on: it may hold secrets.
    static let path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    /// `EX_DATAERR` of sysexits.h.
    static let refusal = 65

    func body(_ alert: Alert, plain: Bool, reference: String?) throws -> Data {
        try WebhookFormat().body(alert, plain: plain, reference: reference)
    }

    func request(
        body: Data, messageKey: String, timestamp: Date, userAgent: String, channel: Channel
    ) throws -> MessageRequest {
        MessageRequest(
            .program(
                ProgramCall(
                    words: channel.words, environment: ["PATH": Self.path, "AASA_MONITOR_MESSAGE_ID": messageKey])),
            url: "", headers: [], userAgent: userAgent, body: body, timeout: timeout)
    }

    /// Every failure but one is tried again: a script that fails for want of a network must not cost an alert.
    func judge(_ answer: TransportAnswer, now: Date) -> Outcome {
        switch answer.status {
        case 0: .delivered
        case Self.refusal: .permanentMessage
        case nil: Classification.outcome(of: answer, now: now)
        default: .transient
        }
    }

    var timeout: Duration { .seconds(30) }
}
