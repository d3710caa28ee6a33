// The forms of values that channels have alone.

import Evidence
import Facts
import Foundation
import Monitoring

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

    /// For the schema: about what `accepts` takes.
    var pattern: String {
        switch self {
        case .token: "^[!-~]{4,1024}$"
        case .telegramToken: "^[0-9]{1,20}:[A-Za-z0-9_-]{10,100}$"
        case .routingKey: "^[A-Za-z0-9]{32}$"
        case .topic: "^[A-Za-z0-9_-]{1,64}$"
        case .slackChannel: "^[CGD][A-Za-z0-9]{5,29}$"
        case .chat: "^(-?[0-9]{1,20}|@[A-Za-z0-9_]{4,63})$"
        case .lineTarget: "^[UCR][0-9A-Fa-f]{32}$"
        case .number: "^[0-9]{1,20}$"
        case .password: "^.{1,1024}$"
        case .mailAddress: "^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[A-Za-z0-9.-]+$"
        }
    }

    /// Whether a number needs no quotation marks.
    private var isNumber: Bool { self == .number || self == .chat }

    var schema: OrderedJSON { isNumber ? ["anyOf": [["type": "integer"], .text(pattern)]] : .text(pattern) }

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

extension Form where Value == String {
    /// The text of an identifier, which may look like a number. `isShown`: whether `config show` prints it.
    static func identifier(_ form: ChannelValue, isShown: Bool = false) -> Form {
        Form(shape: Shape(words: form.expected, schema: form.schema, takesNull: true)) { field in
            guard let (text, _) = field.scalar(form.expected) else { return nil }
            return form.accepts(text.value) ? text.value : field.refuse(text, "is not \(form.expected)")
        } show: { isShown ? .string($0) : .hidden }
    }
}

extension SecretForm where Value == String {
    static func concealed(_ form: ChannelValue) -> SecretForm {
        SecretForm(
            words: form.expected, pattern: form.pattern, value: { $0 },
            fault: { form.accepts($0) ? nil : "is not \(form.expected)" })
    }

    /// The URL of a webhook is a secret: it is enough to send messages.
    static var webhook: SecretForm {
        SecretForm(
            words: "https URL; http for loopback hosts only", pattern: WebAddress.pattern,
            isSecret: { !WebAddress.isHere($0) }, value: { $0 }, fault: { WebAddress.fault($0) })
    }

    /// The address of a server is not a secret.
    static var server: SecretForm { .server { _ in nil } }

    static var ntfy: SecretForm {
        .server { url in
            let hasPath = URLComponents(string: url).map { !["", "/"].contains($0.path) } ?? false
            return hasPath ? "has a path; give the server alone, and the topic as 'topic'" : nil
        }
    }

    private static func server(_ fault: @escaping @Sendable (String) -> String?) -> SecretForm {
        SecretForm(
            words: "https URL of the server alone, without the API's path; http for loopback hosts only",
            pattern: WebAddress.pattern, isSecret: { _ in false }, value: { $0 },
            fault: { WebAddress.fault($0, isBase: true) ?? fault($0) })
    }

    static var mail: SecretForm {
        SecretForm(
            words: "`smtps://HOST:PORT`, or `smtp://HOST:PORT`", pattern: #"^smtps?://[^/?#\s]+/?$"#,
            isSecret: { _ in false }, value: { $0 }, fault: { WebAddress.mailFault($0) })
    }
}

extension SecretForm where Value == [Data] {
    /// A file may contain several keys, one on each line, to replace an old key without a gap.
    static var signingKeys: SecretForm {
        SecretForm(words: "`whsec_` and 24 to 64 bytes in Base64", pattern: "^whsec_") { text, key, section in
            let parts = text.isFromFile ? text.value.split(whereSeparator: \.isNewline).map(String.init) : [text.value]
            var keys: [Data] = []
            for part in parts {
                do throws(Refusal) {
                    keys.append(try signingKey(part))
                } catch {
                    section.reading.error(
                        "'\(key)\(text.isFromFile ? "_file" : "")' \(section.title) \(error.fault); make one with: "
                            + "echo \"whsec_$(openssl rand -base64 32)\"", at: text.position)
                    return nil
                }
            }
            return keys
        }
    }

    private struct Refusal: Error { let fault: String }

    /// The key in a secret, which is `whsec_` and Base64.
    private static func signingKey(_ secret: String) throws(Refusal) -> Data {
        guard secret.hasPrefix("whsec_") else { throw Refusal(fault: "does not begin with whsec_") }
        guard let key = Data(base64Encoded: String(secret.dropFirst("whsec_".count))) else {
            throw Refusal(fault: "is not Base64 after whsec_")
        }
        guard (24...64).contains(key.count) else {
            throw Refusal(fault: "holds a key of \(key.count) bytes where 24 to 64 are needed")
        }
        return key
    }
}
