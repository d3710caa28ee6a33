// The two forms by which curl sends a name somewhere else. Parsed only to check them and to answer questions about them;
// libcurl is given the original text.

import Glibc

/// `HOST1:PORT1:HOST2:PORT2`; an empty part of the first pair fits anything, of the second keeps what the URL says.
struct ConnectRule {
    var fromHost: String?
    var fromPort: Int?
    var toHost: String?
    var toPort: Int?

    init?(_ text: String) {
        guard let parts = RuleText.parts(text), parts.count == 4 else { return nil }
        for index in [0, 2] where !parts[index].isEmpty && !RuleText.isHost(parts[index]) { return nil }
        for index in [1, 3] where !parts[index].isEmpty && RuleText.port(parts[index]) == nil { return nil }
        fromHost = parts[0].isEmpty ? nil : RuleText.bare(parts[0])
        fromPort = RuleText.port(parts[1])
        toHost = parts[2].isEmpty ? nil : RuleText.bare(parts[2])
        toPort = RuleText.port(parts[3])
    }

    func fits(host: String, port: Int) -> Bool {
        (fromHost.map { $0.lowercased() == RuleText.bare(host).lowercased() } ?? true)
            && (fromPort.map { $0 == port } ?? true)
    }
}

/// `[+]HOST:PORT:ADDRESS[,ADDRESS]...`, host `*` for any; or `-HOST:PORT`, which takes an entry away.
struct ResolveRule {
    var host: String
    var port: Int
    var addresses: [String]

    init?(_ text: String) {
        let removes = text.hasPrefix("-")
        let body = removes || text.hasPrefix("+") ? String(text.dropFirst()) : text
        guard let parts = RuleText.parts(body, limit: 3), parts.count == (removes ? 2 : 3) else { return nil }
        guard parts[0] == "*" || RuleText.isHost(parts[0]), let port = RuleText.port(parts[1]) else { return nil }
        host = RuleText.bare(parts[0])
        self.port = port
        addresses =
            removes
            ? [] : parts[2].split(separator: ",", omittingEmptySubsequences: false).map { RuleText.bare(String($0)) }
        guard addresses.allSatisfy(IPAddress.isLiteral) else { return nil }
    }

    func fits(host: String, port: Int) -> Bool {
        self.port == port && !addresses.isEmpty
            && (self.host == "*" || self.host.lowercased() == RuleText.bare(host).lowercased())
    }
}

private enum RuleText {
    /// Splits at colons outside brackets; the part number `limit` keeps its own. nil for a bracket left open.
    static func parts(_ text: String, limit: Int = .max) -> [String]? {
        var parts = [""]
        var inBrackets = false
        for character in text {
            if character == "[" { inBrackets = true }
            if character == "]" { inBrackets = false }
            if character == ":", !inBrackets, parts.count < limit {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        return inBrackets ? nil : parts
    }

    static func bare(_ host: String) -> String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }

    static func isHost(_ text: String) -> Bool {
        if text.hasPrefix("[") { return text.hasSuffix("]") && IPAddress.isLiteral(bare(text)) }
        return !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f && !"/@?#[],\"'\\".utf8.contains($0) }
    }

    static func port(_ text: String) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(text) else {
            return nil
        }
        return (1...65_535).contains(port) ? port : nil
    }
}
