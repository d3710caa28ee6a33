// The protocol of a channel type: it encodes an alert and interprets the answer.

import Evidence
import Facts
import Foundation
import Hashing
import Monitoring

protocol ChannelFormat: Sendable {
    /// The body, within the service's limits. Equal alerts give equal bytes. It is stored, so it contains no secret.
    /// `plain`: the simplest form that the service accepts, after it refused the full one.
    /// `reference`: the receiver's id of the incident's first message, for threads and replies; nil: none.
    func body(_ alert: Alert, plain: Bool, reference: String?) throws -> Data

    /// The body as sent, with parts of the channel's settings, such as a room or a key.
    func wire(_ body: Data, channel: Channel) throws -> Data

    func address(messageKey: String, channel: Channel) -> String

    /// The headers of one attempt.
    /// `timestamp`: the wall-clock time of this attempt.
    func headers(messageKey: String, timestamp: Date, body: Data, channel: Channel) -> [HeaderField]

    /// The request of one attempt. By default an HTTP request from the parts above.
    /// `body`: the result of `body(_:plain:reference:)`.
    func request(
        body: Data, messageKey: String, timestamp: Date, userAgent: String, channel: Channel
    ) throws -> MessageRequest

    /// Whether a 2xx answer comes from the service and confirms the message. Login pages and proxies also answer with
    /// 200.
    func isTaken(_ answer: TransportAnswer) -> Bool

    /// The outcome for the message and the channel.
    func judge(_ answer: TransportAnswer, now: Date) -> Outcome

    /// The receiver's id of an accepted message, if later messages can refer to it; nil otherwise.
    func reference(in answer: TransportAnswer) -> String?

    /// The new destination, if a refusal says that the channel has moved.
    func newDestination(in answer: TransportAnswer) -> String?

    /// A header with the wait time, in addition to `Retry-After`; nil: none.
    var resetHeader: String? { get }

    /// For a whole attempt.
    var timeout: Duration { get }
}

extension ChannelFormat {
    func body(_ alert: Alert, plain: Bool) throws -> Data { try body(alert, plain: plain, reference: nil) }
    func wire(_ body: Data, channel: Channel) throws -> Data { body }
    func address(messageKey: String, channel: Channel) -> String { channel.baseURL }
    func headers(messageKey: String, timestamp: Date, body: Data, channel: Channel) -> [HeaderField] {
        [HeaderField(name: "content-type", value: "application/json; charset=utf-8")] + channel.bearer
    }

    /// An HTTP request.
    func request(
        body: Data, messageKey: String, timestamp: Date, userAgent: String, channel: Channel
    ) throws -> MessageRequest {
        let wired = try wire(body, channel: channel)
        return MessageRequest(
            url: address(messageKey: messageKey, channel: channel),
            headers: headers(messageKey: messageKey, timestamp: timestamp, body: wired, channel: channel),
            userAgent: userAgent, body: wired, timeout: timeout)
    }

    /// Accepts any 2xx answer, because the receiver may be the operator's own program.
    func isTaken(_ answer: TransportAnswer) -> Bool { true }
    func judge(_ answer: TransportAnswer, now: Date) -> Outcome { classified(answer, now: now) }
    func reference(in answer: TransportAnswer) -> String? { nil }
    func newDestination(in answer: TransportAnswer) -> String? { nil }
    var resetHeader: String? { nil }
    var timeout: Duration { .seconds(15) }
}

extension Channel {
    var format: any ChannelFormat {
        switch kind {
        case .webhook: WebhookFormat()
        case .slack: SlackFormat()
        case .discord: DiscordFormat()
        case .teams: TeamsFormat()
        case .googleChat: GoogleChatFormat()
        case .mattermost: MattermostFormat()
        case .telegram: TelegramFormat()
        case .line: LineFormat()
        case .chatwork: ChatworkFormat()
        case .pagerduty: PagerDutyFormat()
        case .alertmanager: AlertmanagerFormat()
        case .ntfy: NtfyFormat()
        case .email: EmailFormat()
        case .gotify: GotifyFormat()
        case .pushover: PushoverFormat()
        case .matrix: MatrixFormat()
        case .opsgenie: OpsgenieFormat()
        }
    }
}

/// The class of an answer.
package enum Outcome: Equatable, Sendable {
    case delivered
    /// Retry later.
    case transient
    /// The receiver asks to wait; nil: it does not say how long.
    case throttled(after: Duration?)
    /// The receiver refuses this message permanently.
    case permanentMessage
    /// The receiver refuses the channel.
    /// `gone`: certain, so no second attempt is needed.
    case permanentChannel(gone: Bool)

    /// A fixed word for rows and metrics.
    package var label: String {
        switch self {
        case .delivered: "delivered"
        case .transient: "transient"
        case .throttled: "throttled"
        case .permanentMessage: "message_refused"
        case .permanentChannel: "channel_refused"
        }
    }
}

extension ChannelFormat {
    /// The default classification, unless a service has its own rules.
    func classified(_ answer: TransportAnswer, now: Date) -> Outcome {
        guard let status = answer.status else {
            return switch answer.fault?.kind {
            case .address: .permanentChannel(gone: false)
            case .network, .certificate, nil: .transient
            }
        }
        let asked = RetryAfter.read(answer, now: now)
        let wait = [asked, resetHeader.flatMap { RetryAfter.reset(answer, header: $0, now: now) }].compactMap(\.self)
            .max()
        return switch status {
        case 200...299 where isTaken(answer): .delivered
        // Something other than the service answered, so nobody reads the message. A truncated answer proves nothing.
        case 200...299: answer.fault == nil ? .permanentChannel(gone: false) : .transient
        // Never follow redirects: the signature and the secret are for this receiver only.
        case 300...399: .permanentChannel(gone: false)
        case 400, 413, 422: .permanentMessage
        case 410: .permanentChannel(gone: true)
        case 408, 425: .transient
        case 429: .throttled(after: wait)
        case 503 where asked != nil: .throttled(after: wait)
        case 500...599: .transient
        // 401, 403, 404 and other 4xx: the message is not the cause.
        default: .permanentChannel(gone: false)
        }
    }
}

/// `Retry-After`, and its equivalents in JSON bodies. RFC 9110, section 10.2.3.
enum RetryAfter {
    /// The longer wait of header and body; nil if both are missing.
    static func read(_ answer: TransportAnswer, now: Date) -> Duration? {
        [header(answer.header("retry-after"), now: now), body(answer)].compactMap(\.self).max().map(wait)
    }

    /// Clamps to 1 s through 1 h. A huge number would not fit into a `Duration`.
    static func wait(_ seconds: Double) -> Duration { .seconds(min(max(seconds, 1), 3600)) }

    /// Reads headers such as `X-RateLimit-Reset`. A number of a billion or more is a Unix time, a smaller one a wait in
    /// seconds; nil if the header is missing or invalid.
    static func reset(_ answer: TransportAnswer, header: String, now: Date) -> Duration? {
        guard let text = answer.header(header), let number = Double(text), number.isFinite, number >= 0 else {
            return nil
        }
        return wait(number >= 1_000_000_000 ? number - now.timeIntervalSince1970 : number)
    }

    private static func header(_ value: String?, now: Date) -> Double? {
        guard let value = value?.trimmingCharacters(in: .whitespaces), !value.isEmpty else { return nil }
        if value.isOfDigits { return Double(value) }
        return Date(http: value)?.timeIntervalSince(now)
    }

    private static func body(_ answer: TransportAnswer) -> Double? {
        struct Hint: Decodable {
            let retry_after: Double?
            /// From Matrix.
            let retry_after_ms: Double?
        }
        let hint = try? JSONDecoder().decode(Hint.self, from: answer.body)
        let seconds = hint?.retry_after ?? hint?.retry_after_ms.map { $0 / 1000 }
        // A negative number is invalid.
        return seconds.flatMap { $0 >= 0 ? $0 : nil }
    }
}

extension String {
    /// For a part of a URL or of a form: all but the unreserved characters of RFC 3986, section 2.3, are encoded.
    var percentEncoded: String {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}

/// JSON with sorted keys, so that equal alerts give equal bytes.
enum JSONText {
    static func encoded(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    /// Adds members at the start of an object. Their names must not occur in the object.
    static func adding(_ members: some Encodable, to object: Data) throws -> Data {
        let head = try encoded(members)
        guard head.count > 2, object.count > 2, object.first == UInt8(ascii: "{") else {
            return head.count > 2 ? head : object
        }
        return head.dropLast() + Data(",".utf8) + object.dropFirst()
    }

    static func decoded<Value: Decodable>(_ type: Value.Type, _ answer: TransportAnswer) -> Value? {
        try? JSONDecoder().decode(type, from: answer.body)
    }

    /// A string member of the answer's JSON object; nil if there is none.
    static func text(_ key: String, _ answer: TransportAnswer) -> String? {
        (try? JSONSerialization.jsonObject(with: answer.body) as? [String: Any])?[key] as? String
    }
}

/// Ids and keys for services. They are derived and never random, so they are the same after a crash and on other hosts.
enum MessageIdentity {
    /// The key of an incident at a pager: 64 hexadecimal characters. Derived from domain and kind, so that a new store
    /// for the same domains resolves open incidents. Global incidents use their id.
    static func pagerKey(of incident: Incident) -> String {
        key(ofIncident: incident.domain.map { "\($0.name)\u{0}\(incident.kind.rawValue)" } ?? incident.id)
    }

    /// The key of an incident, for example for a thread: 64 hexadecimal characters.
    static func key(ofIncident id: String) -> String {
        Digest.sha256.hash("incident\u{0}\(id)".utf8).hexadecimal
    }

    /// The key of a message: 64 hexadecimal characters. `keys`: names in a fixed order that are unique together.
    static func key(ofMessages keys: [String]) -> String {
        let text = (["digest"] + keys).joined(separator: "\u{0}")
        return Digest.sha256.hash(text.utf8).hexadecimal
    }

    /// A UUID of version 5 in the namespace of URLs. RFC 9562, section 5.5.
    static func uuid(_ name: String) -> String {
        let namespace: [UInt8] = [
            0x6b, 0xa7, 0xb8, 0x11, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8,
        ]
        var bytes = Array(Digest.sha1.hash(namespace + name.utf8).prefix(16))
        bytes[6] = bytes[6] & 0x0f | 0x50
        bytes[8] = bytes[8] & 0x3f | 0x80
        var rest = Substring(bytes.hexadecimal)
        return [8, 4, 4, 4, 12].map { length in
            defer { rest = rest.dropFirst(length) }
            return String(rest.prefix(length))
        }.joined(separator: "-")
    }
}

extension Alert {
    /// A test has its own key, so it cannot resolve a real incident.
    var pagerKey: String {
        isTest ? MessageIdentity.key(ofIncident: incident.id) : MessageIdentity.pagerKey(of: incident)
    }
}
