/// What a value of a channel must look like. All of them end in URLs, headers or bodies, so that each form is also a
/// fence: nothing of it can break out there.
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

    /// It goes into commands and headers as it is. RFC 5321, section 4.1.2, without quotation marks and address literals.
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
        (1...20).contains(text.utf8.count) && text.utf8.allSatisfy { (48...57).contains($0) }
    }

    private static func isWord(_ text: String, and more: String = "") -> Bool {
        text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || more.contains($0)) }
    }
}
