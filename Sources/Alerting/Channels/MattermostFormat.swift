// Mattermost's incoming webhooks: https://developers.mattermost.com/integrate/webhooks/incoming/

import Evidence
import Foundation
import Monitoring

struct MattermostFormat: ChannelFormat {
    /// In code points. The server splits a longer text into several posts.
    static let textLimit = 16_383

    func body(_ alert: Alert, plain: Bool, reference: String?) throws -> Data {
        let layout = TextLayout(form: MarkdownMarkup(unit: .scalars), limit: plain ? 4000 : Self.textLimit)
        return try JSONText.encoded(["text": layout.text(RenderedAlert(alert, isBrief: plain))])
    }

    func isTaken(_ answer: TransportAnswer) -> Bool { answer.text == "ok" }

    func judge(_ answer: TransportAnswer, now: Date) -> Outcome {
        let word = JSONText.text("id", answer) ?? ""
        if answer.status == 400, Self.aboutChannel.contains(where: word.hasPrefix) {
            return .permanentChannel(gone: false)
        }
        return classified(answer, now: now)
    }

    var resetHeader: String? { "x-ratelimit-reset" }

    /// The webhook is unknown or disabled, or its channel was deleted or is not accessible.
    private static let aboutChannel = ["invalid", "disabled", "channel", "permissions", "user", "team"]
        .map { "web.incoming_webhook.\($0)" }
}
