// Matrix: https://spec.matrix.org/latest/client-server-api/#put_matrixclientv3roomsroomidsendeventtypetxnid

import Evidence
import Facts
import Foundation
import Monitoring

struct MatrixFormat: ChannelFormat {
    /// In bytes. An event has at most 65,536, and it contains the text twice.
    static let textLimit = 20_000

    func body(_ alert: Alert, plain: Bool, reference: String?) throws -> Data {
        let rendered = RenderedAlert(alert, isBrief: plain)
        let text = TextLayout(form: PlainMarkup(unit: .bytes), limit: Self.textLimit).text(rendered)
        let html = TextLayout(form: HTMLMarkup(unit: .bytes), limit: Self.textLimit).text(rendered)
        return try JSONText.encoded(
            Message(
                body: text, format: plain ? nil : "org.matrix.custom.html",
                formatted_body: plain ? nil : html.replacingOccurrences(of: "\n", with: "<br/>"),
                relation: reference.map { Message.Relation(event_id: $0) }))
    }

    private struct Message: Encodable {
        /// `m.notice` would notify nobody.
        var msgtype = "m.text"
        let body: String
        let format: String?
        let formatted_body: String?
        let relation: Relation?

        /// https://spec.matrix.org/latest/client-server-api/#threading
        struct Relation: Encodable {
            var rel_type = "m.thread"
            let event_id: String
        }

        private enum CodingKeys: String, CodingKey {
            case msgtype, body, format, formatted_body
            case relation = "m.relates_to"
        }
    }

    /// The message key is the transaction id, so the server accepts a repeated message only once.
    func address(messageKey: String, channel: Channel) -> String {
        let room = (channel.destination ?? "").percentEncoded
        return channel.url("/_matrix/client/v3/rooms/\(room)/send/m.room.message/\(messageKey)")
    }

    func request(
        body: Data, messageKey: String, timestamp: Date, userAgent: String, channel: Channel
    ) throws -> MessageRequest {
        MessageRequest(
            way: .http(method: "PUT"), url: address(messageKey: messageKey, channel: channel),
            headers: headers(messageKey: messageKey, timestamp: timestamp, body: body, channel: channel),
            userAgent: userAgent, body: body, timeout: timeout)
    }

    func isTaken(_ answer: TransportAnswer) -> Bool { reference(in: answer) != nil }

    func reference(in answer: TransportAnswer) -> String? { JSONText.text("event_id", answer) }
}
