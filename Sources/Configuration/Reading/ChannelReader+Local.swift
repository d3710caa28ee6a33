// What e-mail and commands have of their own: addresses, a login, and the words of a command.

import Foundation

extension ChannelReader {
    /// As many as a server takes for one mail without a thought.
    private static let mostRecipients = 50
    private static let mostWords = 64

    func readSender(into result: inout ChannelSettings) -> Bool {
        let address = identifier(.from, .mailAddress)
        result.mail?.from = address ?? ""
        return address != nil
    }

    func readUsername(into result: inout ChannelSettings) -> Bool {
        let text = channel.text("username", "a user's name", isRequired: true)
        result.mail?.username = text?.value
        return text != nil
    }

    func readRecipients(into result: inout ChannelSettings) -> Bool {
        guard let nodes = channel.list("to") else { return false }
        let found = nodes.map { node -> String? in
            guard let text = channel.text(node, "to", ChannelValue.mailAddress.expected) else { return nil }
            guard ChannelValue.mailAddress.accepts(text.value) else {
                reading.error(
                    "'to' \(channel.title) holds something that is not \(ChannelValue.mailAddress.expected)",
                    at: text.position)
                return nil
            }
            return text.value
        }
        var seen: Set<String> = []
        let to = found.compactMap(\.self).filter { seen.insert($0).inserted }
        guard (1...Self.mostRecipients).contains(nodes.count) else {
            reading.error(
                "'to' \(channel.title) must name 1 to \(Self.mostRecipients) addresses, found \(nodes.count)",
                at: channel.entry("to")?.position ?? channel.position)
            return false
        }
        result.mail?.to = to
        return !found.contains(nil)
    }

    /// - Returns: whether it is given whole, or not at all.
    func refuseHalfLogin() -> Bool {
        let (name, password) = (isGiven(.username), isGiven(.password))
        guard name != password else { return true }
        reading.error(
            name
                ? "'password' (or 'password_file') is missing \(channel.title), which has a 'username'"
                : "'username' is missing \(channel.title), which has a password",
            at: channel.position)
        return false
    }

    func readCommand(into result: inout ChannelSettings) -> Bool {
        guard let nodes = channel.list("command") else { return false }
        let words = nodes.map { channel.identifier($0, "command", "a list of texts, the program and its arguments") }
        guard (1...Self.mostWords).contains(nodes.count) else {
            reading.error(
                "'command' \(channel.title) must have 1 to \(Self.mostWords) words, found \(nodes.count)",
                at: channel.entry("command")?.position ?? channel.position)
            return false
        }
        guard !words.contains(where: { $0 == nil }), let program = words[0] else { return false }
        guard program.value.hasPrefix("/") else {
            reading.error(
                "'command' \(channel.title) must begin with the absolute path of a program, such as "
                    + "/usr/local/bin/on-alert; there is no shell to find it",
                at: program.position)
            return false
        }
        result.command = words.compactMap { $0.map { Secret($0.value) } }
        return true
    }
}
