// What a kind of channel must be able to do: write an alert in its own form, and understand the answer.

import Evidence
import Facts
import Foundation
import Hashing
import Monitoring

protocol ChannelFormat: Sendable {
    /// The body, within the service's limits. The same alert gives the same bytes. No secret is in it: it is stored.
    /// `plain`: the plainest form that the service can take, after it refused the full one.
    /// `reference`: what the receiver calls the incident's first message, where it gave a name; for threads and replies.
    func body(_ alert: Alert, plain: Bool, reference: String?) throws -> Data

    /// The body as it goes out: with what the channel's settings add to it, such as a room or a key.
    func wire(_ body: Data, channel: Channel) throws -> Data

    func address(messageKey: String, channel: Channel) -> String

    /// Headers of one attempt.
    /// `timestamp`: the wall clock of this attempt.
    func headers(messageKey: String, timestamp: Date, body: Data, channel: Channel) -> [HeaderField]

    /// One attempt as it goes out, made of the parts above where it goes over HTTP.
    /// `body`: as `body(_:plain:reference:)` made it.
    func request(
        body: Data, messageKey: String, timestamp: Date, userAgent: String, channel: Channel
    ) throws -> MessageRequest

    /// Whether an answer of 2xx is the service's own, which says that it has the message. The page of a login or of a proxy
    /// comes with 200, too.
    func isTaken(_ answer: TransportAnswer) -> Bool

    /// What the answer means for the message and for the channel.
    func judge(_ answer: TransportAnswer, now: Date) -> Outcome

    /// What the receiver calls the message that it just took, where later ones can answer it by that.
    func reference(in answer: TransportAnswer) -> String?

    /// Where the channel has moved to, when the refusal says so: its new `destination`.
    func newDestination(in answer: TransportAnswer) -> String?

    /// A header that says beside `Retry-After` how long to wait; nil for none.
    var resetHeader: String? { get }

    /// For all of an attempt.
    var timeout: Duration { get }
}

extension ChannelFormat {
    func body(_ alert: Alert, plain: Bool) throws -> Data { try body(alert, plain: plain, reference: nil) }
    func wire(_ body: Data, channel: Channel) throws -> Data { body }
    func address(messageKey: String, channel: Channel) -> String { channel.baseURL }
    func headers(messageKey: String, timestamp: Date, body: Data, channel: Channel) -> [HeaderField] {
        [HeaderField(name: "content-type", value: "application/json; charset=utf-8")] + channel.bearer
    }

    /// Over HTTP.
    func request(
        body: Data, messageKey: String, timestamp: Date, userAgent: String, channel: Channel
    ) throws -> MessageRequest {
        let wired = try wire(body, channel: channel)
        return MessageRequest(
            url: address(messageKey: messageKey, channel: channel),
            headers: headers(messageKey: messageKey, timestamp: timestamp, body: wired, channel: channel),
            userAgent: userAgent, body: wired, timeout: timeout)
    }

    /// Any: for receivers of the operator's own.
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
        }
    }
}

/// The class of an answer.
package enum Outcome: Equatable, Sendable {
    case delivered
    /// Worth trying again.
    case transient
    /// The receiver asks to wait; nil where it does not say how long.
    case throttled(after: Duration?)
    /// It refuses this message and would refuse it again.
    case permanentMessage
    /// It refuses us altogether.
    /// `gone`: it says so in a way that leaves no doubt.
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
    /// By the table of answers that holds where a service's own rules say nothing else.
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
        // What answers in the service's place has the message from us, and nobody reads it there. Of half an answer nobody knows.
        case 200...299: answer.fault == nil ? .permanentChannel(gone: false) : .transient
        // Never followed: the signature and the secret are meant for this receiver, and the target may be anything.
        case 300...399: .permanentChannel(gone: false)
        case 400, 413, 422: .permanentMessage
        case 410: .permanentChannel(gone: true)
        case 408, 425: .transient
        case 429: .throttled(after: wait)
        case 503 where asked != nil: .throttled(after: wait)
        case 500...599: .transient
        // 401, 403, 404 and the rest of the 400s: the message is not at fault.
        default: .permanentChannel(gone: false)
        }
    }
}

/// `Retry-After` and its kin in JSON bodies. RFC 9110, section 10.2.3.
enum RetryAfter {
    /// The larger of what header and body say; nil where neither says anything.
    static func read(_ answer: TransportAnswer, now: Date) -> Duration? {
        [header(answer.header("retry-after"), now: now), body(answer)].compactMap(\.self).max().map(wait)
    }

    /// At least a second and at most an hour. A huge number would not fit into a `Duration`.
    static func wait(_ seconds: Double) -> Duration { .seconds(min(max(seconds, 1), 3600)) }

    /// The same of headers such as `X-RateLimit-Reset`. Numbers of a billion and more are Unix times, smaller ones are seconds to
    /// wait; nil where the header says nothing.
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
        struct Hint: Decodable { let retry_after: Double }
        let seconds = (try? JSONDecoder().decode(Hint.self, from: answer.body))?.retry_after
        // A negative number is no wish.
        return seconds.flatMap { $0 >= 0 ? $0 : nil }
    }
}

/// JSON as the channels write it: sorted keys, so that the same alert gives the same bytes.
enum JSONText {
    static func encoded(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    /// The object with more members in front, which must have other names than its own.
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

    /// A text of the answer's object, by its key; nil where there is none.
    static func text(_ key: String, _ answer: TransportAnswer) -> String? {
        (try? JSONSerialization.jsonObject(with: answer.body) as? [String: Any])?[key] as? String
    }
}

/// Identities as services take them, all derived, none random: the same after a crash and on another host.
enum MessageIdentity {
    /// The key of an incident at a pager: made of domain and kind, so that another store of the same domains resolves what is open.
    /// What is about no single domain has a key of its own. Hexadecimal, 64 characters.
    static func pagerKey(of incident: Incident) -> String {
        key(ofIncident: incident.domain.map { "\($0.name)\u{0}\(incident.kind.rawValue)" } ?? incident.id)
    }

    /// The key of an incident, such as a thread's: hexadecimal, 64 characters.
    static func key(ofIncident id: String) -> String {
        Digest.sha256.hash("incident\u{0}\(id)".utf8).hexadecimal
    }

    /// The key of a message, of names in a fixed order that make it unique: hexadecimal, 64 characters.
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
    /// A test closes nothing that is real.
    var pagerKey: String {
        isTest ? MessageIdentity.key(ofIncident: incident.id) : MessageIdentity.pagerKey(of: incident)
    }
}
