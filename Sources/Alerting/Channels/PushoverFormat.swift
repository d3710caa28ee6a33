// Pushover: https://pushover.net/api

import Evidence
import Facts
import Foundation
import Monitoring

struct PushoverFormat: ChannelFormat {
    /// In characters of up to four bytes.
    static let messageLimit = 1024
    static let titleLimit = 250
    private static let urlLimit = 512

    func body(_ alert: Alert, plain: Bool, reference: String?) throws -> Data {
        let rendered = RenderedAlert(alert, isBrief: plain)
        let layout = TextLayout(form: PlainMarkup(unit: .scalars), limit: Self.messageLimit)
        let button = plain ? nil : rendered.buttons.first { $0.url.utf8.count <= Self.urlLimit }
        return try JSONText.encoded(
            Message(
                title: layout.form.cut(rendered.headline, to: Self.titleLimit),
                message: layout.text(rendered, withHeadline: false, buttons: button == nil ? 0 : 2),
                priority: alert.isTest ? 0 : alert.tone(over: 0, error: 1, warning: 0, note: -1),
                url: button?.url, url_title: button?.title))
    }

    private struct Message: Encodable {
        let title: String
        let message: String
        /// 1 ignores the user's quiet hours. Never 2, which repeats until somebody confirms: the monitor escalates itself.
        let priority: Int
        let url: String?
        let url_title: String?
    }

    func wire(_ body: Data, channel: Channel) throws -> Data {
        try JSONText.adding(["token": channel.token ?? "", "user": channel.destination ?? ""], to: body)
    }

    func address(messageKey: String, channel: Channel) -> String { channel.url("/1/messages.json") }

    private struct Reply: Decodable {
        let status: Int
        /// `invalid` if the user's key is wrong. `token` is the same for the application's key.
        let user: String?
        let token: String?
    }

    func isTaken(_ answer: TransportAnswer) -> Bool { JSONText.decoded(Reply.self, answer)?.status == 1 }

    func judge(_ answer: TransportAnswer, now: Date) -> Outcome {
        let reply = JSONText.decoded(Reply.self, answer)
        if answer.status == 400, reply?.user == "invalid" || reply?.token == "invalid" {
            return .permanentChannel(gone: false)
        }
        return classified(answer, now: now)
    }

    /// The Unix time at which the month's quota restarts.
    var resetHeader: String? { "x-limit-app-reset" }
}
