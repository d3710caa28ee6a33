// Reads one channel: the keys of its type, and the format of each value.

import Evidence
import Facts
import Foundation
import Monitoring

struct ChannelReader {
    let reading: Reading
    let channel: Section
    let type: ChannelKind

    func read(named name: String?) -> Channel? {
        refuseForeignKeys()
        var result = Channel(name: name ?? "", kind: type)
        if type == .email { result.mail = MailAddresses(sender: "", recipients: []) }
        let keys = keys()
        let errors = reading.errorCount
        for key in keys {
            if isGiven(key.name) {
                read(key.name, into: &result)
            } else if key.isRequired {
                let names =
                    key.name.isSecret
                    ? "'\(key.name.rawValue)' (or '\(key.name.rawValue)_file')" : "'\(key.name.rawValue)'"
                reading.error("\(names) is missing \(channel.title)", at: channel.position)
            }
        }
        if type == .email { refuseHalfLogin() }
        let isWhole = reading.errorCount == errors
        result.minimumSeverity = channel.choice("severity", Severity.self) ?? result.minimumSeverity
        result.kinds = kinds()
        result.notifies = notify() ?? result.notifies
        channel.close()
        return name != nil && isWhole ? result : nil
    }

    /// nil if the key is absent or has no valid value.
    private func notify() -> Set<Notified>? {
        guard let nodes = channel.list("notify") else { return nil }
        let words = Notified.allCases.map(\.rawValue)
        var notify: Set<Notified> = []
        for node in nodes {
            guard let text = channel.text(node, "notify", "one of \(words.joined(separator: ", "))")
            else { continue }
            guard let word = Notified(rawValue: text.value) else {
                let hint = text.suggestion(among: words)
                reading.error(
                    "expected one of \(words.joined(separator: ", ")) in 'notify' \(channel.title), found "
                        + "\(text.quoted)\(hint)", at: text.position)
                continue
            }
            if word == .changes, type.isPager {
                reading.error(
                    "'notify' \(channel.title) cannot name changes: a receiver of type \(type.rawValue) keeps incidents",
                    at: text.position)
            }
            notify.insert(word)
        }
        if nodes.isEmpty {
            reading.error(
                "'notify' \(channel.title) is empty; leave it out for incidents",
                at: channel.entry("notify")?.position ?? channel.position)
        }
        return notify.isEmpty ? nil : notify
    }

    /// Empty if the key is absent: all kinds.
    private func kinds() -> [String] {
        guard let nodes = channel.list("kinds") else { return [] }
        if nodes.isEmpty {
            reading.error(
                "'kinds' \(channel.title) names no kind; leave it out for all kinds",
                at: channel.entry("kinds")?.position ?? channel.position)
        }
        let kinds = IncidentKind.allCases.map(\.rawValue).sorted()
        let known = kinds + Set(kinds.map { $0.prefix { $0 != "." } + ".*" }).sorted()
        return nodes.compactMap { node in
            guard let kind = channel.text(node, "kinds", "a kind of incident such as cdn.stale, or cdn.*") else {
                return nil
            }
            if known.contains(kind.value) { return kind.value }
            let hint = kind.suggestion(among: known)
            reading.error(
                "unknown kind \(kind.quoted) \(channel.title)"
                    + (hint.isEmpty ? "; known: \(known.joined(separator: ", "))" : hint), at: kind.position)
            return nil
        }
    }

    /// The keys of the type. Slack has two alternatives: only the keys of the chosen one.
    private func keys() -> [ChannelKey] {
        guard type == .slack else { return type.keys }
        if isGiven(.url) {
            for name in [ChannelKey.Name.token, .channel] where isGiven(name) {
                reading.error(
                    "'url' and '\(name.rawValue)' \(channel.title) are two ways into Slack; keep 'url', or 'token' "
                        + "with 'channel'", at: position(of: name))
            }
            return [.required(.url)]
        }
        if isGiven(.token) || isGiven(.channel) { return [.required(.token), .required(.channel)] }
        reading.error(
            "'url' (or 'url_file'), or 'token' (or 'token_file') with 'channel', is missing \(channel.title)",
            at: channel.position)
        return []
    }

    func isGiven(_ name: ChannelKey.Name) -> Bool {
        let isDirect = channel.isGiven(name.rawValue)
        let isFile = name.isSecret && channel.isGiven(name.rawValue + "_file")
        // An empty value of a required key is a mistake too; the readers report it.
        return isDirect || isFile || channel.has(name.rawValue) && type.keys.contains(.required(name))
    }

    private func position(of name: ChannelKey.Name) -> SourcePosition {
        for key in [name.rawValue, name.rawValue + "_file"] where channel.has(key) {
            if let entry = channel.entry(key) { return entry.position }
        }
        return channel.position
    }

    /// A key of another type is not misspelled: the message names the types that have it.
    private func refuseForeignKeys() {
        let own = Set(type.keys.map(\.name))
        for name in ChannelKey.Name.allCases where !own.contains(name) {
            for key in name.isSecret ? [name.rawValue, name.rawValue + "_file"] : [name.rawValue]
            where channel.has(key) {
                let owners = ChannelKind.allCases.filter { $0.keys.contains { $0.name == name } }.map(\.rawValue)
                let kinds = owners.count == 1 ? "type \(owners[0]) only" : "the types \(owners.joined(separator: ", "))"
                reading.error(
                    "'\(key)' \(channel.title) is for channels of \(kinds)",
                    at: channel.entry(key)?.position ?? channel.position)
            }
        }
    }

    // MARK: - Values

    /// If a value is still missing afterwards, the problem was reported.
    private func read(_ name: ChannelKey.Name, into result: inout Channel) {
        switch name {
        case .url: result.url = url()
        case .secret: result.signingKeys = signingKeys() ?? []
        case .token: result.token = concealed(.token, type == .telegram ? .telegramToken : .token)
        case .routingKey: result.token = concealed(.routingKey, .routingKey)
        case .password: result.token = concealed(.password, .password)
        case .topic: result.destination = concealed(.topic, .topic)
        case .channel: result.destination = identifier(.channel, .slackChannel)
        case .chatID: result.destination = identifier(.chatID, .chat)
        case .to where type == .email: result.mail?.recipients = recipients()
        case .to: result.destination = identifier(.to, .lineTarget)
        case .room: result.destination = identifier(.room, .number)
        case .threadID: result.thread = identifier(.threadID, .number)
        case .username: result.mail?.username = channel.text("username", "a user's name", isRequired: true)?.value
        case .from: result.mail?.sender = identifier(.from, .mailAddress) ?? ""
        }
    }

    private func url() -> String? {
        let isHome = type.keys.contains(.optional(.url)) && type != .slack || type == .alertmanager
        // The address of a server is not a secret. The URL of a webhook is: it is enough to send messages.
        let isSecret = !isHome && type != .email
        guard let text = channel.secret("url", isRequired: true, isSecret: { isSecret && !WebAddress.isHere($0) })
        else { return nil }
        let key = text.isFromFile ? "the content of 'url_file'" : "'url'"
        let fault =
            type == .email ? WebAddress.mailFault(text.value) : WebAddress.fault(text.value, isBase: isHome)
        if let fault {
            reading.error("\(key) \(channel.title) \(fault)", at: text.position)
            return nil
        }
        if type == .ntfy, let path = URLComponents(string: text.value)?.path, !["", "/"].contains(path) {
            reading.error(
                "\(key) \(channel.title) has a path; give the server alone, and the topic as 'topic'", at: text.position
            )
            return nil
        }
        return text.value
    }

    func concealed(_ name: ChannelKey.Name, _ form: ChannelValue) -> String? {
        guard let text = channel.secret(name.rawValue, isRequired: true) else { return nil }
        guard form.accepts(text.value) else {
            let key = text.isFromFile ? "the content of '\(name.rawValue)_file'" : "'\(name.rawValue)'"
            reading.error("\(key) \(channel.title) is not \(form.expected)", at: text.position)
            return nil
        }
        return text.value
    }

    func identifier(_ name: ChannelKey.Name, _ form: ChannelValue) -> String? {
        guard let text = channel.identifier(name.rawValue, form.expected) else { return nil }
        guard form.accepts(text.value) else {
            reading.error("'\(name.rawValue)' \(channel.title) is not \(form.expected)", at: text.position)
            return nil
        }
        return text.value
    }

    /// The key of a secret. A file may contain several, one on each line, to replace an old key without a gap.
    private func signingKeys() -> [Data]? {
        guard let text = channel.secret("secret") else { return nil }
        let parts = text.isFromFile ? text.value.split(whereSeparator: \.isNewline).map(String.init) : [text.value]
        var keys: [Data] = []
        for part in parts {
            guard let key = signingKey(part, text) else { return nil }
            keys.append(key)
        }
        return keys
    }

    /// The key in a secret, which is `whsec_` and Base64.
    private func signingKey(_ secret: String, _ text: Section.SecretText) -> Data? {
        func refuse(_ fault: String) -> Data? {
            let key = text.isFromFile ? "secret_file" : "secret"
            reading.error(
                "'\(key)' \(channel.title) \(fault); make one with: echo \"whsec_$(openssl rand -base64 32)\"",
                at: text.position)
            return nil
        }
        guard secret.hasPrefix("whsec_") else { return refuse("does not begin with whsec_") }
        guard let key = Data(base64Encoded: String(secret.dropFirst("whsec_".count))) else {
            return refuse("is not Base64 after whsec_")
        }
        guard (24...64).contains(key.count) else {
            return refuse("holds a key of \(key.count) bytes where 24 to 64 are needed")
        }
        return key
    }
}

/// The keys of e-mail: addresses and a login.
extension ChannelReader {
    /// Mail servers commonly accept this many for one mail.
    private static let mostRecipients = 50

    func recipients() -> [String] {
        // Null is an empty list.
        guard let nodes = channel.list("to") ?? (channel.isGiven("to") ? nil : []) else { return [] }
        var seen: Set<String> = []
        let recipients = nodes.compactMap { node -> String? in
            guard let text = channel.text(node, "to", ChannelValue.mailAddress.expected) else { return nil }
            guard ChannelValue.mailAddress.accepts(text.value) else {
                reading.error(
                    "'to' \(channel.title) holds something that is not \(ChannelValue.mailAddress.expected)",
                    at: text.position)
                return nil
            }
            return seen.insert(text.value).inserted ? text.value : nil
        }
        if !(1...Self.mostRecipients).contains(nodes.count) {
            reading.error(
                "'to' \(channel.title) must name 1 to \(Self.mostRecipients) addresses, found \(nodes.count)",
                at: channel.entry("to")?.position ?? channel.position)
        }
        return recipients
    }

    func refuseHalfLogin() {
        let (name, password) = (isGiven(.username), isGiven(.password))
        guard name != password else { return }
        reading.error(
            name
                ? "'password' (or 'password_file') is missing \(channel.title), which has a 'username'"
                : "'username' is missing \(channel.title), which has a password",
            at: channel.position)
    }
}

/// The format of a channel's value. Values go into URLs, headers and bodies, so each format also prevents injection.
enum ChannelValue {
    case token, telegramToken, routingKey, topic, slackChannel, chat, lineTarget, number, password, mailAddress

    var expected: String {
        switch self {
        case .token: "a token: printable ASCII without blanks, 4 to 1024 characters"
        case .telegramToken: "a bot's token, such as 123456:ABC-DEF"
        case .routingKey: "a routing key: 32 letters and digits"
        case .topic: "a topic: 1 to 64 letters, digits, '-' and '_'"
        case .slackChannel: "a channel's id, such as C0123456789"
        case .chat: "a chat's id, such as -1001234567890, or a public @name"
        case .lineTarget: "a user's, group's or room's id: U, C or R and 32 hexadecimal digits"
        case .number: "a whole number"
        case .password: "a password: 1 to 1024 bytes, without control characters"
        case .mailAddress: "an address such as ops@example.net, in ASCII and without a name before it"
        }
    }

    func accepts(_ text: String) -> Bool {
        switch self {
        case .token:
            (4...1024).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        case .telegramToken: Self.isTelegramToken(text)
        case .routingKey: text.utf8.count == 32 && Self.isWord(text)
        case .topic: (1...64).contains(text.utf8.count) && Self.isWord(text, and: "-_")
        case .slackChannel:
            (6...30).contains(text.utf8.count) && Self.isWord(text) && text.first.map { "CGD".contains($0) } == true
        case .chat:
            text.hasPrefix("@")
                ? (5...64).contains(text.utf8.count) && Self.isWord(String(text.dropFirst()), and: "_")
                : Self.isNumber(text.hasPrefix("-") ? String(text.dropFirst()) : text)
        case .lineTarget:
            text.utf8.count == 33 && text.first.map { "UCR".contains($0) } == true
                && text.dropFirst().allSatisfy { $0.isASCII && $0.isHexDigit }
        case .number: Self.isNumber(text)
        case .password: (1...1024).contains(text.utf8.count)
        case .mailAddress: Self.isMailAddress(text)
        }
    }

    /// SMTP commands and headers use it unchanged. RFC 5321, 4.1.2, without quoted strings and address literals.
    private static func isMailAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, (1...64).contains(parts[0].utf8.count), text.utf8.count <= 254 else { return false }
        let words = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        return words.allSatisfy { !$0.isEmpty && isWord(String($0), and: "!#$%&'*+-/=?^_`{|}~") }
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && isWord(String(label), and: "-") && !label.hasPrefix("-")
                    && !label.hasSuffix("-")
            }
    }

    private static func isTelegramToken(_ text: String) -> Bool {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        return parts.count == 2 && isNumber(parts[0]) && (10...100).contains(parts[1].utf8.count)
            && isWord(parts[1], and: "-_")
    }

    private static func isNumber(_ text: String) -> Bool {
        text.utf8.count <= 20 && text.isOfDigits
    }

    private static func isWord(_ text: String, and more: String = "") -> Bool {
        text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || more.contains($0)) }
    }
}
