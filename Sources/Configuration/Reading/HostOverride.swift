// The addresses of `network` and `server.listen`, checked here so that a mistake is reported with its line, not at the
// first request.

import Facts

/// The formats of curl's --connect-to and --resolve. https://curl.se/docs/manpage.html#--connect-to
enum HostOverride {
    /// Each of the four parts may be empty; IPv6 addresses are in brackets.
    static func isConnectTo(_ text: String) -> Bool {
        guard let parts = fields(text), parts.count == 4 else { return false }
        return [0, 2].allSatisfy { parts[$0].isEmpty || isHost(parts[$0]) }
            && [1, 3].allSatisfy { parts[$0].isEmpty || isPort(parts[$0]) }
    }

    /// `*` matches every host; a leading `+` lets the entry time out, as with curl.
    static func isResolve(_ text: String) -> Bool {
        let rest = text.hasPrefix("+") ? text.dropFirst() : Substring(text)
        guard let (host, afterHost) = head(rest), isHost(host) || host == "*",
            let colon = afterHost.firstIndex(of: ":"), isPort(afterHost[..<colon])
        else { return false }
        return afterHost[afterHost.index(after: colon)...]
            .split(separator: ",", omittingEmptySubsequences: false)
            .allSatisfy { address in
                let isBracketed = address.hasPrefix("[") && address.hasSuffix("]")
                return isBracketed
                    ? WebAddress.isAddress6(String(address.dropFirst().dropLast()))
                    : WebAddress.isAddress4(String(address)) || WebAddress.isAddress6(String(address))
            }
    }

    /// Parses `HOST:PORT` of `server.listen`; returns the host without brackets. Port 0 is allowed.
    static func listen(_ text: String) -> (host: String, port: Int)? {
        guard let (host, port) = head(Substring(text)), isHost(host), let number = Int(port),
            (0...65_535).contains(number), port.isOfDigits
        else { return nil }
        return (host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : String(host), number)
    }

    private static func fields(_ text: String) -> [Substring]? {
        var rest = Substring(text)
        var result: [Substring] = []
        while let (part, others) = head(rest) {
            result.append(part)
            rest = others
        }
        return rest.hasPrefix("[") && !rest.hasSuffix("]") ? nil : result + [rest]
    }

    /// The text before the next colon outside of brackets, and the text after it.
    private static func head(_ text: Substring) -> (Substring, Substring)? {
        var start = text.startIndex
        if text.hasPrefix("[") {
            guard let close = text.firstIndex(of: "]") else { return nil }
            start = text.index(after: close)
        }
        guard let colon = text[start...].firstIndex(of: ":") else { return nil }
        return (text[..<colon], text[text.index(after: colon)...])
    }

    private static func isHost(_ text: Substring) -> Bool {
        if text.hasPrefix("["), text.hasSuffix("]") {
            return WebAddress.isAddress6(String(text.dropFirst().dropLast()))
        }
        return !text.isEmpty && text.utf8.count <= 253
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { (48...57).contains($0) } && Int(text).map { (1...65_535).contains($0) } == true
    }
}
