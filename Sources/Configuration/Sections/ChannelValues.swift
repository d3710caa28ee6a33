// The forms of values that only channels have.

import Evidence
import Facts
import Foundation
import Monitoring

/// A text of a channel. Values go into URLs, headers and bodies, so each pattern also prevents injection.
struct ChannelValue: Sendable {
    let expected: String
    let pattern: String
    /// Whether a number needs no quotation marks.
    var isNumber = false

    static let token = ChannelValue(
        expected: "a token: printable ASCII without spaces, 4 to 1024 characters", pattern: "^[!-~]{4,1024}$")
    static let telegramToken = ChannelValue(
        expected: "a bot's token, such as 123456:ABC-DEF", pattern: "^[0-9]{1,20}:[A-Za-z0-9_-]{10,100}$")
    static let routingKey = ChannelValue(
        expected: "a routing key: 32 letters and digits", pattern: "^[A-Za-z0-9]{32}$")
    static let pushoverKey = ChannelValue(
        expected: "a key of Pushover: 30 letters and digits", pattern: "^[A-Za-z0-9]{30}$")
    /// The domain is absent since room version 12. https://spec.matrix.org/latest/appendices/#room-ids
    static let matrixRoom = ChannelValue(
        expected: "a room's id, such as !abcdefgh:example.org", pattern: "^![!-~]{1,254}$")
    static let topic = ChannelValue(
        expected: "a topic: 1 to 64 letters, digits, '-' and '_'", pattern: "^[A-Za-z0-9_-]{1,64}$")
    static let slackChannel = ChannelValue(
        expected: "a channel's id, such as C0123456789", pattern: "^[CGD][A-Za-z0-9]{5,29}$")
    static let chat = ChannelValue(
        expected: "a chat's id, such as -1001234567890, or a public @name",
        pattern: "^(-?[0-9]{1,20}|@[A-Za-z0-9_]{4,63})$", isNumber: true)
    static let lineTarget = ChannelValue(
        expected: "a user's, group's or room's id: U, C or R and 32 hexadecimal digits",
        pattern: "^[UCR][0-9A-Fa-f]{32}$")
    static let number = ChannelValue(expected: "a whole number", pattern: "^[0-9]{1,20}$", isNumber: true)
    static let password = ChannelValue(
        expected: "a password: 1 to 1024 bytes, without control characters", pattern: "^.{1,1024}$")
    /// SMTP commands and headers use it unchanged. RFC 5321, 4.1.2, without quoted strings and address literals.
    static let mailAddress = ChannelValue(
        expected: "an address such as ops@example.net, in ASCII and without a name before it",
        pattern: "^(?=.{3,254}$)(?=[^@]{1,64}@)\(word)(\\.\(word))*@\(label)(\\.\(label))*$")

    private static let word = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
    private static let label = "[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"

    /// The whole text: `$` also matches before a final line break, which would reach a header.
    func accepts(_ text: String) -> Bool {
        text.range(of: pattern, options: .regularExpression) == text.startIndex..<text.endIndex
    }
}

extension Form where Value == String {
    /// The text of an identifier, which may look like a number. `isShown`: whether `config show` prints it.
    static func identifier(_ form: ChannelValue, isShown: Bool = false) -> Form {
        let text = OrderedJSON.text(form.pattern)
        let schema = form.isNumber ? ["anyOf": [["type": "integer"], text]] : text
        return Form(
            shape: Shape(words: form.expected, schema: schema, takesNull: true),
            show: { isShown ? .string($0) : .hidden }
        ) { field in
            guard let (text, _) = field.scalar(form.expected) else { return nil }
            return form.accepts(text.value) ? text.value : field.refuse(text, "is not \(form.expected)")
        }
    }
}

extension SecretForm {
    /// The URL of a webhook is a secret: it is enough to send messages.
    static func webhook(as value: @escaping @Sendable (String) -> Value) -> SecretForm {
        SecretForm(words: WebAddress.words, pattern: WebAddress.pattern, isSecret: { !WebAddress.isHere($0) }) {
            $0.unless(WebAddress.fault($0.value), value)
        }
    }
}

extension SecretForm where Value == String {
    static func concealed(_ form: ChannelValue) -> SecretForm {
        SecretForm(words: form.expected, pattern: form.pattern) { field in
            field.unless(form.accepts(field.value) ? nil : "is not \(form.expected)") { $0 }
        }
    }

    static var webhook: SecretForm { .webhook { $0 } }

    /// The address of a server is not a secret. `fault`: what else is wrong with it.
    static func server(_ fault: @escaping @Sendable (String) -> String? = { _ in nil }) -> SecretForm {
        let words = "https URL of the server, without the API's path; \(WebAddress.loopbackOnly)"
        return SecretForm(words: words, pattern: WebAddress.pattern, isSecret: { _ in false }) {
            $0.unless(WebAddress.fault($0.value, isBase: true) ?? fault($0.value)) { $0 }
        }
    }

    static var ntfy: SecretForm {
        .server { url in
            let hasPath = URLComponents(string: url).map { !["", "/"].contains($0.path) } ?? false
            return hasPath ? "has a path; give only the server, and the topic as 'topic'" : nil
        }
    }

    static var mail: SecretForm {
        let words = "`smtps://HOST:PORT`, or `smtp://HOST:PORT`"
        return SecretForm(words: words, pattern: #"^smtps?://[^/?#\s]+/?$"#, isSecret: { _ in false }) {
            $0.unless(WebAddress.mailFault($0.value)) { $0 }
        }
    }
}

extension SecretForm where Value == [Data] {
    /// A file may contain several keys, one on each line, to replace an old key without a gap.
    static var signingKeys: SecretForm {
        SecretForm(words: "`whsec_` and 24 to 64 bytes in Base64", pattern: "^whsec_") { field in
            let secrets =
                field.isFromFile ? field.value.split(whereSeparator: \.isNewline).map(String.init) : [field.value]
            if let fault = secrets.lazy.compactMap(fault).first {
                field.section.reading.error(
                    "'\(field.key)\(field.isFromFile ? "_file" : "")' \(field.section.title) \(fault); create one with: "
                        + "echo \"whsec_$(openssl rand -base64 32)\"", at: field.position)
                return nil
            }
            return secrets.compactMap(key)
        }
    }

    private static func key(_ secret: String) -> Data? { Data(base64Encoded: String(secret.dropFirst("whsec_".count))) }

    @Sendable private static func fault(_ secret: String) -> String? {
        guard secret.hasPrefix("whsec_") else { return "does not begin with whsec_" }
        guard let key = key(secret) else { return "is not Base64 after whsec_" }
        return (24...64).contains(key.count) ? nil : "contains a key of \(key.count) bytes; 24 to 64 are needed"
    }
}
