import Foundation

/// `alerts` and its channels.
struct AlertReader {
    let reading: Reading

    func read(_ section: Section?) -> AlertSettings {
        var result = AlertSettings()
        guard let section else { return result }
        if let entry = section.entry("remind_every") {
            result.remindEvery = entry.value.isNull ? nil : section.duration("remind_every")
        }
        // Zero: nothing is held back.
        if let value = section.duration("group_wait", in: .zero ... .seconds(86_400)) { result.groupWait = value }
        var lines: [String: Int] = [:]
        for node in section.list("channels", isConcealed: true) ?? [] {
            guard case .mapping(let entries) = node.content else {
                section.mismatch(
                    "channels", "a mapping with the keys 'name', 'type' and 'url'", node, isConcealed: true)
                continue
            }
            let channel = self.section(entries, at: node.position)
            let name = channel.name("channel")
            if let name {
                if let line = lines[name.value] {
                    reading.error(
                        "channel \(name.quoted) is given twice; it is already given at line \(line)", at: name.position)
                }
                lines[name.value] = lines[name.value] ?? name.position.line
            }
            if let settings = settings(channel, named: name?.value) { result.channels.append(settings) }
        }
        section.close()
        return result
    }

    /// The names of all channels, those with faults too: a mistake in a channel is not one of the domains that name it.
    func names(in root: Section) -> [ScalarText] {
        guard case .mapping(let alerts) = root.entry("alerts")?.value.content,
            case .list(let channels) = alerts.first(where: { $0.key == "channels" })?.value.content
        else { return [] }
        return channels.compactMap { channel in
            guard case .mapping(let entries) = channel.content,
                let name = entries.first(where: { $0.key == "name" })?.value, case .scalar(let raw, _) = name.content,
                let value = try? EnvironmentSubstitution(environment: reading.environment).apply(to: raw)
            else { return nil }
            return ScalarText(value: value, raw: raw, position: name.position)
        }
    }

    private func section(_ entries: [SourceNode.Entry], at position: SourcePosition) -> Section {
        var title = "in an entry of 'channels'"
        if case .scalar(let name, _) = entries.first(where: { $0.key == "name" })?.value.content,
            Section.isName(name)
        {
            title = "in channel '\(name)'"
        }
        return Section(
            entries: entries, position: position, title: title, path: "alerts.channels[]", isConcealed: true,
            reading: reading)
    }

    private func settings(_ channel: Section, named name: String?) -> ChannelSettings? {
        guard let type = type(channel) else {
            // Which other keys belong here depends on the type.
            return nil
        }
        let url = channel.secret("url", isRequired: true).flatMap { self.url($0, channel) }
        let secrets = self.secrets(channel, type)
        channel.close()
        guard let name, let url else { return nil }
        return ChannelSettings(name: name, type: type, url: url, secrets: secrets)
    }

    private func type(_ channel: Section) -> ChannelType? {
        let supported = ChannelType.allCases.map(\.rawValue).sorted()
        let list = supported.joined(separator: ", ")
        guard channel.isGiven("type") else {
            reading.error("'type' is missing \(channel.title); supported: \(list)", at: channel.position)
            return nil
        }
        guard let text = channel.text("type", "the type of a channel") else { return nil }
        if let type = ChannelType(rawValue: text.value) { return type }
        if ChannelType.later.contains(text.value), !text.isSubstituted {
            reading.error(
                "channel type '\(text.value)' is not supported by this version; supported: \(list)", at: text.position)
        } else {
            let hint =
                text.isSubstituted ? "" : Spelling.suggestion(for: text.value, among: supported + ChannelType.later)
            reading.error(
                "unknown channel type \(text.quoted)" + (hint.isEmpty ? "; supported: \(list)" : hint),
                at: text.position)
        }
        return nil
    }

    private func url(_ text: Section.SecretText, _ channel: Section) -> Secret? {
        if let fault = WebAddress.fault(text.value) {
            let key = text.isFromFile ? "the content of 'url_file'" : "'url'"
            reading.error("\(key) \(channel.title) \(fault)", at: text.position)
            return nil
        }
        return Secret(text.value)
    }

    /// One secret; in a file also several, one a line, for the time in which an old one is being replaced.
    private func secrets(_ channel: Section, _ type: ChannelType) -> [Secret] {
        guard type == .webhook else {
            for key in ["secret", "secret_file"] where channel.isGiven(key) {
                reading.error(
                    "'\(key)' \(channel.title) is for channels of type webhook only",
                    at: channel.entry(key)?.position ?? channel.position)
            }
            return []
        }
        guard let text = channel.secret("secret") else { return [] }
        let parts = text.isFromFile ? text.value.split(whereSeparator: \.isNewline).map(String.init) : [text.value]
        for part in parts {
            if let fault = Self.secretFault(part) {
                let key = text.isFromFile ? "secret_file" : "secret"
                reading.error("'\(key)' \(channel.title) \(fault)", at: text.position)
                return []
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

extension Section {
    /// A name that is safe in logs, metrics and command lines. Nil after telling what is wrong.
    /// `kind` is what is named, for the message.
    func name(_ kind: String) -> ScalarText? {
        guard let text = text("name", "the name of a \(kind)", isRequired: true) else { return nil }
        guard Self.isName(text.value) else {
            reading.error(
                "the name of a \(kind) has 1 to 64 letters, digits, '-', '_' and '.'", at: text.position)
            return nil
        }
        return text
    }

    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
    }
}
