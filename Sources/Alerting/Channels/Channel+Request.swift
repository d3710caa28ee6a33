// The one way in which a message becomes a request.

import Evidence
import Foundation

extension Channel {
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
