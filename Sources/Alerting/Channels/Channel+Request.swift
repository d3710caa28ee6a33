// The one way in which a message becomes a request.

import Evidence
import Foundation

extension Channel {
    func request(body: Data, messageKey: String, timestamp: Date, userAgent: String) throws -> MessageRequest {
        try format.request(
            body: body, messageKey: messageKey, timestamp: timestamp, userAgent: userAgent, channel: self)
    }

    /// The same for a call that follows a message.
    func request(_ call: FollowUp, timestamp: Date, userAgent: String) -> MessageRequest {
        MessageRequest(
            method: call.method, url: call.url,
            headers: format.headers(messageKey: "", timestamp: timestamp, body: call.body, channel: self),
            userAgent: userAgent, body: call.body, timeout: format.timeout)
    }
}

extension ChannelFormat {
    /// Over HTTP.
    func request(
        body: Data, messageKey: String, timestamp: Date, userAgent: String, channel: Channel
    ) throws -> MessageRequest {
        let wire = try wire(body, channel: channel)
        return MessageRequest(
            url: address(messageKey: messageKey, channel: channel),
            headers: headers(messageKey: messageKey, timestamp: timestamp, body: wire, channel: channel),
            userAgent: userAgent, body: wire, timeout: timeout)
    }
}
