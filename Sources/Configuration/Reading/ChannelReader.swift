// One channel: which keys its type has, and what each of them must look like.

import Evidence
import Foundation

struct ChannelReader {
    let reading: Reading
    let channel: Section
    let type: ChannelType

    func settings(named name: String?) -> ChannelSettings? {
        refuseForeignKeys()
        var result = ChannelSettings(name: name ?? "", type: type)
        var isWhole = true
        if type == .email { result.mail = ChannelSettings.Mail() }
        for key in keys() {
            guard isGiven(key.name) else {
                if key.isRequired {
                    let names =
                        key.name.isSecret
                        ? "'\(key.name.rawValue)' (or '\(key.name.rawValue)_file')" : "'\(key.name.rawValue)'"
                    reading.error("\(names) is missing \(channel.title)", at: channel.position)
                    isWhole = false
                }
                continue
            }
            if !read(key.name, into: &result) { isWhole = false }
        }
        if type == .email, !refuseHalfLogin() { isWhole = false }
        result.severity = channel.choice("severity", Severity.self) ?? result.severity
        result.kinds = ChannelKinds(reading: reading).read(channel)
        if let notify = notify() { result.notify = notify }
        channel.close()
        // The keys of all channels have one path; each channel's own is by its name.
        if let name, let command = channel.entry("command")?.value {
            reading.note(place: command.position, of: "alerts.channels.\(name).command")
        }
        return name != nil && isWhole ? result : nil
    }

    /// nil where the key is absent, and after telling what is wrong with it.
    private func notify() -> [ChannelSettings.NotifiedOf]? {
        guard let nodes = channel.list("notify") else { return nil }
        let words = ChannelSettings.NotifiedOf.allCases.map(\.rawValue)
        var notify: [ChannelSettings.NotifiedOf] = []
        for node in nodes {
            guard let text = channel.text(node, "notify", "one of \(words.joined(separator: ", "))")
            else { continue }
            guard let word = ChannelSettings.NotifiedOf(rawValue: text.value) else {
                let hint = text.isSubstituted ? "" : Spelling.suggestion(for: text.value, among: words)
                reading.error(
                    "expected one of \(words.joined(separator: ", ")) in 'notify' \(channel.title), found "
                        + "\(text.quoted)\(hint)", at: text.position)
                continue
            }
            if word == .changes, type == .pagerduty || type == .alertmanager {
                reading.error(
                    "'notify' \(channel.title) cannot name changes: a receiver of type \(type.rawValue) keeps incidents",
                    at: text.position)
            }
            if !notify.contains(word) { notify.append(word) }
        }
        if nodes.isEmpty {
            reading.error(
                "'notify' \(channel.title) is empty; leave it out for incidents",
                at: channel.entry("notify")?.position ?? channel.position)
        }
        return notify.isEmpty ? nil : notify
    }

    /// The keys of the type; of Slack's two ways in those of the one that is taken.
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
        // An empty value of a required key is a mistake of its own; the readers tell it.
        return isDirect || isFile || channel.has(name.rawValue) && type.keys.contains(.required(name))
    }

    private func position(of name: ChannelKey.Name) -> SourcePosition {
        for key in [name.rawValue, name.rawValue + "_file"] where channel.has(key) {
            if let entry = channel.entry(key) { return entry.position }
        }
        return channel.position
    }

    /// A key of another type is no misspelling; the message says whose it is.
    private func refuseForeignKeys() {
        let own = Set(type.keys.map(\.name))
        for name in ChannelKey.Name.allCases where !own.contains(name) {
            for key in name.isSecret ? [name.rawValue, name.rawValue + "_file"] : [name.rawValue]
            where channel.has(key) {
                let owners = ChannelType.allCases.filter { $0.keys.contains { $0.name == name } }.map(\.rawValue)
                let kinds = owners.count == 1 ? "type \(owners[0]) only" : "the types \(owners.joined(separator: ", "))"
                reading.error(
                    "'\(key)' \(channel.title) is for channels of \(kinds)",
                    at: channel.entry(key)?.position ?? channel.position)
            }
        }
    }

    // MARK: - Values

    private func read(_ name: ChannelKey.Name, into result: inout ChannelSettings) -> Bool {
        switch name {
        case .url: result.url = url()
        case .secret:
            let secrets = self.secrets()
            result.secrets = secrets ?? []
            return secrets != nil
        case .token: result.token = concealed(.token, type == .telegram ? .telegramToken : .token)
        case .routingKey: result.token = concealed(.routingKey, .routingKey)
        case .topic: result.destination = concealed(.topic, .topic)
        case .channel: result.destination = identifier(.channel, .slackChannel).map(Secret.init)
        case .chatID: result.destination = identifier(.chatID, .chat).map(Secret.init)
        case .to where type == .email: return readRecipients(into: &result)
        case .to: result.destination = identifier(.to, .lineTarget).map(Secret.init)
        case .room: result.destination = identifier(.room, .number).map(Secret.init)
        case .threadID:
            result.thread = identifier(.threadID, .number)
            return result.thread != nil
        case .username: return readUsername(into: &result)
        case .password:
            result.token = concealed(.password, .password)
            return result.token != nil
        case .from: return readSender(into: &result)
        case .command: return readCommand(into: &result)
        }
        return switch name {
        case .url: result.url != nil
        case .token, .routingKey: result.token != nil
        default: result.destination != nil
        }
    }

    private func url() -> Secret? {
        guard let text = channel.secret("url", isRequired: true) else { return nil }
        let key = text.isFromFile ? "the content of 'url_file'" : "'url'"
        let isHome = type.keys.contains(.optional(.url)) && type != .slack || type == .alertmanager
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
        return Secret(text.value)
    }

    func concealed(_ name: ChannelKey.Name, _ form: ChannelValue) -> Secret? {
        guard let text = channel.secret(name.rawValue, isRequired: true) else { return nil }
        guard form.accepts(text.value) else {
            let key = text.isFromFile ? "the content of '\(name.rawValue)_file'" : "'\(name.rawValue)'"
            reading.error("\(key) \(channel.title) is not \(form.expected)", at: text.position)
            return nil
        }
        return Secret(text.value)
    }

    func identifier(_ name: ChannelKey.Name, _ form: ChannelValue) -> String? {
        guard let text = channel.identifier(name.rawValue, form.expected) else { return nil }
        guard form.accepts(text.value) else {
            reading.error("'\(name.rawValue)' \(channel.title) is not \(form.expected)", at: text.position)
            return nil
        }
        return text.value
    }

    /// One secret; in a file also several, one a line, for the time in which an old one is being replaced.
    private func secrets() -> [Secret]? {
        guard let text = channel.secret("secret") else { return nil }
        let parts = text.isFromFile ? text.value.split(whereSeparator: \.isNewline).map(String.init) : [text.value]
        for part in parts {
            if let fault = Self.secretFault(part) {
                let key = text.isFromFile ? "secret_file" : "secret"
                reading.error("'\(key)' \(channel.title) \(fault)", at: text.position)
                return nil
            }
        }
        return parts.map { Secret($0) }
    }

    private static func secretFault(_ secret: String) -> String? {
        let advice = "make one with: echo \"whsec_$(openssl rand -base64 32)\""
        guard secret.hasPrefix("whsec_") else { return "does not begin with whsec_; \(advice)" }
        guard let key = Data(base64Encoded: String(secret.dropFirst("whsec_".count))) else {
            return "is not Base64 after whsec_; \(advice)"
        }
        guard (24...64).contains(key.count) else {
            return "holds a key of \(key.count) bytes where 24 to 64 are needed; \(advice)"
        }
        return nil
    }
}
