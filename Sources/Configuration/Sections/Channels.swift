// `alerts.channels`: the settings of all channels, and those of each type.

import Evidence
import Foundation
import Monitoring

extension Channel {
    private static let name = Setting<Channel>("name", \.name, .name(of: "channel"), isRequired: true, "unique")

    private static let type = Setting<Channel>(
        "type", \.kind, .channelKind, isRequired: true,
        missing: "; supported: \(ChannelKind.names.joined(separator: ", "))",
        "[channels.md](channels.md) describes each")

    /// What it is notified of.
    private static func filters(_ kind: ChannelKind) -> [Setting<Channel>] {
        [
            Setting(
                "severity", \.minimumSeverity, .choice,
                "the lowest severity that it is notified of. "
                    + "[How filters work](alerts.md#what-a-channel-is-notified-of) for incidents that become worse "
                    + "or end"),
            Setting(
                "kinds", \.kinds.orNone, .kinds,
                "it is notified only of these [kinds](alerts.md#kinds), such as `cdn.stale`, or areas, such as "
                    + "`cdn.*`. Without it: all. A global incident (`cdn.wide`, `monitor.degraded`) suppresses the "
                    + "domains' own alerts only at channels that receive it"),
            Setting(
                "notify", \.notified, .notify(of: kind),
                "what it is notified of. `changes`: [new versions of the file](alerts.md#changes), regardless of "
                    + "`severity` and `kinds`; not with `pagerduty`, `opsgenie` and `alertmanager`, which track "
                    + "incidents"),
        ]
    }

    private var notified: [Notified] {
        get { Notified.allCases.filter(notifies.contains) }
        set { notifies = Set(newValue) }
    }

    private static func settings(of kind: ChannelKind) -> [Setting<Channel>] {
        [name, type] + kind.settings + filters(kind)
    }

    static let form: Form<Channel> = {
        let unset = Channel(name: "", kind: .webhook)
        let head = [name, type].map { $0.facts(in: unset) }
        let filters = Channel.filters(.webhook).map { $0.facts(in: unset) }
        let shape = Shape(words: "mappings", schema: ChannelSchema.schema(head, filters), settings: head + filters)
        return Form(shape: shape, isConcealed: true, show: { settings(of: $0.kind).show($0) }, read: read)
    }()

    @Sendable private static func read(_ field: Field) -> Channel? {
        let expected = MappingKind.entry(
            "channel", expected: "a mapping with the keys 'name', 'type' and those of its type")
        guard let entries = field.entries(expected.expected) else { return nil }
        let section = field.section(entries, title: expected.title(of: field, entries))
        var channel = Channel(name: "", kind: .webhook)
        name.read(section, &channel)
        // The other keys depend on the type.
        let errors = section.reading.errorCount
        type.read(section, &channel)
        guard section.reading.errorCount == errors else { return nil }
        let foreign = channel.kind.refuseForeignKeys(section)
        for setting in channel.kind.chosenSettings(section) { setting.read(section, &channel) }
        for setting in filters(channel.kind) { setting.read(section, &channel) }
        if channel.kind == .email { channel.refuseHalfLogin(section) }
        section.refuseUnknownKeys(among: settings(of: channel.kind).map(\.facts) + foreign)
        return channel
    }

    private func refuseHalfLogin(_ section: Section) {
        let name = mail?.username != nil
        let password = section.isGiven("password") || section.isGiven("password_file")
        guard name != password else { return }
        section.reading.error(
            name
                ? "'password' (or 'password_file') is missing \(section.title), which has a 'username'"
                : "'username' is missing \(section.title), which has a password",
            at: section.position)
    }
}

extension ChannelKind {
    fileprivate static let names = allCases.map(\.rawValue).sorted()

    /// The types that need only one URL.
    package static let ofOneAddress = allCases.filter { type in
        type == .slack || type.settings.filter(\.facts.isRequired).map(\.facts.key) == ["url"]
    }

    /// The settings that depend on the type.
    var settings: [Setting<Channel>] {
        switch self {
        case .webhook: [.url(.webhook), .secret]
        // Either the URL, or token and channel.
        case .slack: [.url(.webhook, isRequired: false), .token(), .channel]
        case .discord: [.url(.webhook), .thread]
        case .teams, .googleChat, .mattermost: [.url(.webhook)]
        case .telegram: [.url(.server(), isRequired: false), .token(.telegramToken), .chat, .thread]
        case .line: [.url(.server(), isRequired: false), .token(), .lineTarget]
        case .chatwork: [.url(.server(), isRequired: false), .token(), .room]
        case .pagerduty: [.url(.server(), isRequired: false), .routingKey]
        case .alertmanager: [.url(.server()), .token(isRequired: false)]
        case .ntfy: [.url(.ntfy, isRequired: false), .topic, .token(isRequired: false)]
        case .email: [.url(.mail), .username, .password, .sender, .recipients]
        case .gotify: [.url(.server()), .token()]
        case .pushover: [.url(.server(), isRequired: false), .token(.pushoverKey), .user]
        case .matrix: [.url(.server()), .token(), .matrixRoom]
        case .opsgenie: [.url(.server(), isRequired: false), .token()]
        }
    }

    /// Slack has two alternatives: only the settings of the one that is given.
    fileprivate func chosenSettings(_ section: Section) -> [Setting<Channel>] {
        guard self == .slack else { return settings }
        func given(_ setting: Setting<Channel>) -> String? { setting.facts.keys.first(where: section.isGiven) }
        let (address, others) = (settings[0], settings.dropFirst())
        guard given(address) != nil else {
            if others.contains(where: { given($0) != nil }) { return Array(others) }
            section.reading.error(
                "'url' (or 'url_file'), or 'token' (or 'token_file') with 'channel', is missing \(section.title)",
                at: section.position)
            return []
        }
        for other in others {
            guard let key = given(other) else { continue }
            section.reading.error(
                "'url' and '\(other.facts.key)' \(section.title) are alternatives; keep either 'url', or 'token' "
                    + "with 'channel'", at: section.placeOfKey(key))
        }
        return [address]
    }

    /// A key of another type is not misspelled: the message names the types that have it.
    fileprivate func refuseForeignKeys(_ section: Section) -> [SettingFacts] {
        let own = Set(settings.map(\.facts.key))
        return ChannelSchema.all.filter { !own.contains($0.key) }.flatMap { key, owners in
            let foreign = owners[0].facts
            for key in foreign.keys where section.has(key) {
                let names = owners.map(\.kind.rawValue)
                let kinds = names.count == 1 ? "type \(names[0]) only" : "the types \(names.joined(separator: ", "))"
                section.reading.error(
                    "'\(key)' \(section.title) is for channels of \(kinds)", at: section.placeOfKey(key))
            }
            return foreign.keys.contains(where: section.has) ? [foreign] : []
        }
    }
}

/// The settings of single types.
extension Setting where Owner == Channel {
    fileprivate static func url(_ form: SecretForm<String>, isRequired: Bool = true) -> Setting {
        Setting("url", \.url, form, isRequired: isRequired, "the receiver's address")
    }

    fileprivate static func token(_ form: ChannelValue = .token, isRequired: Bool = true) -> Setting {
        Setting("token", \.token, .concealed(form), isRequired: isRequired, "authorizes the monitor to send")
    }

    private static func target(_ key: String, _ form: ChannelValue, _ sentence: String) -> Setting {
        Setting(key, \.destination, .identifier(form), isRequired: true, sentence)
    }

    fileprivate static var channel: Setting { target("channel", .slackChannel, "the channel in Slack") }
    fileprivate static var chat: Setting { target("chat_id", .chat, "the chat that gets the messages") }
    fileprivate static var room: Setting { target("room", .number, "the room that gets the messages") }
    fileprivate static var matrixRoom: Setting { target("room_id", .matrixRoom, "the room that gets the messages") }
    fileprivate static var user: Setting {
        Setting("user", \.destination, .concealed(.pushoverKey), isRequired: true, "the key of a user or a group")
    }
    fileprivate static var lineTarget: Setting { target("to", .lineTarget, "who gets the messages in LINE") }
    fileprivate static var topic: Setting {
        Setting(
            "topic", \.destination, .concealed(.topic), isRequired: true,
            "anybody who knows it can read and write there")
    }
    fileprivate static var thread: Setting {
        Setting("thread_id", \.thread, .identifier(.number, isShown: true), "the thread or topic in it")
    }
    fileprivate static var secret: Setting {
        Setting(
            "secret", \.signingKeys.orNone, .signingKeys,
            "signs each message in the form of [Standard Webhooks](https://www.standardwebhooks.com)")
    }
    fileprivate static var routingKey: Setting {
        Setting(
            "routing_key", \.token, .concealed(.routingKey), isRequired: true, "the integration key, for Events API v2")
    }
    fileprivate static var username: Setting {
        Setting("username", \.username, .text("a user name"), "for the login at the mail server; with `password`")
    }
    fileprivate static var password: Setting {
        Setting("password", \.token, .concealed(.password), "for the login at the mail server; with `username`")
    }
    fileprivate static var sender: Setting {
        let form = Form<String>.identifier(.mailAddress, isShown: true)
        return Setting("from", \.addresses.sender, form, isRequired: true, "the address of the sender")
    }
    fileprivate static var recipients: Setting {
        Setting("to", \.addresses.recipients, .recipients, isRequired: true, "the addresses of the recipients")
    }
}

extension Channel {
    fileprivate var addresses: MailAddresses {
        get { mail ?? MailAddresses(sender: "", recipients: []) }
        set { mail = newValue }
    }

    fileprivate var username: String? {
        get { mail?.username }
        set { addresses.username = newValue }
    }
}

extension Form where Value == ChannelKind {
    fileprivate static var channelKind: Form {
        let shape = Shape(
            words: "one of those below", schema: ["enum": .array(ChannelKind.names.map { .string($0) })],
            takesNull: true)
        return Form(shape: shape, show: { .string($0.rawValue) }) { field in
            guard let text = field.text("the type of a channel") else { return nil }
            if let kind = ChannelKind(rawValue: text.value) { return kind }
            let hint = text.suggestion(among: ChannelKind.names)
            let list = "; supported: \(ChannelKind.names.joined(separator: ", "))"
            field.reading.error(
                "unknown channel type \(text.quoted)" + (hint.isEmpty ? list : hint), at: text.position)
            return nil
        }
    }
}

extension Form where Value == [String] {
    /// Kinds of incidents, and areas of them such as `cdn.*`.
    fileprivate static var kinds: Form {
        let kinds = IncidentKind.allCases.map(\.rawValue).sorted()
        let known = kinds + Set(kinds.map { $0.prefix { $0 != "." } + ".*" }).sorted()
        let kind = Form<String>(shape: .oneOf(known, words: "kinds"), show: { .string($0) }) { field in
            guard let text = field.text("a kind of incident such as cdn.stale, or cdn.*") else { return nil }
            if known.contains(text.value) { return text.value }
            let hint = text.suggestion(among: known)
            field.reading.error(
                "unknown kind \(text.quoted) \(field.section.title)"
                    + (hint.isEmpty ? "; known: \(known.joined(separator: ", "))" : hint), at: text.position)
            return nil
        }
        return .list(of: kind, atLeast: 1) { nodes, kinds, field in
            if nodes.isEmpty { field.refuse("is empty; leave it out for all kinds") }
            return kinds
        }
    }

    /// Mail servers commonly accept this many for one mail.
    private static var mostRecipients: Int { 50 }

    fileprivate static var recipients: Form {
        let form = ChannelValue.mailAddress
        let words = "addresses such as `ops@example.net`"
        let address = Form<String>.text(form.expected, words: words, pattern: form.pattern) { text, field in
            form.accepts(text.value)
                ? text.value : field.refuse(text, "contains something that is not \(form.expected)")
        }
        let list = Form.list(of: address, atLeast: 1, atMost: mostRecipients) { nodes, addresses, field in
            if !(1...mostRecipients).contains(nodes.count) {
                field.refuse("must name 1 to \(mostRecipients) addresses, found \(nodes.count)")
            }
            return addresses.withoutRepeats
        }
        return Form(shape: list.shape, show: { list.show($0) }) { field in
            guard field.node.isNull else { return list.read(field) }
            field.refuse("must name 1 to \(mostRecipients) addresses, found 0")
            return nil
        }
    }
}

extension Form where Value == [Notified] {
    fileprivate static func notify(of kind: ChannelKind) -> Form {
        let words = Notified.allCases.map(\.rawValue)
        let word = Form<Notified>.word(
            "one of \(words.joined(separator: ", "))", among: words, value: Notified.init(rawValue:), show: \.rawValue)
        let own = Form<Notified>(shape: word.shape, show: { word.show($0) }) { field in
            let notified = word.read(field)
            if notified == .changes, kind.isPager {
                field.refuse("cannot contain changes: a receiver of type \(kind.rawValue) tracks incidents")
            }
            return notified
        }
        return .list(of: own, atLeast: 1) { nodes, notified, field in
            if nodes.isEmpty { field.refuse("is empty; leave it out for incidents") }
            return notified
        }
    }
}

extension Array {
    /// nil if it is empty, for a setting without a default.
    fileprivate var orNone: Self? {
        get { isEmpty ? nil : self }
        set { self = newValue ?? [] }
    }
}

extension Sequence<String> {
    var withoutRepeats: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
