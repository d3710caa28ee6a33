// A URL in the parts that rules look at, in the form in which they are compared.

/// A URL as Apple's matcher sees it: path, query and fragment, each percent-encoded.
public struct MatchableURL: Sendable, Hashable {
    /// Lower case; empty where only a path was given.
    public let host: String
    /// Normalised: see `PathNormalization`.
    public let path: String
    /// Without `?`; an absent query is empty.
    public let query: String
    /// Without `#`; an absent fragment is empty.
    public let fragment: String
    /// The URL as it was given.
    public let text: String

    /// Reads an absolute http or https URL, or a path beginning with `/`. What must be encoded in a URL and is not, is
    /// encoded, as a browser does.
    /// - Returns: nil where the text is neither.
    public init?(_ text: String) {
        self.text = text
        // Scalars, since a slash with a combining mark behind it is one character.
        var rest = text.unicodeScalars[...]
        if let scheme = ["https://", "http://"].first(where: { text.prefix(8).lowercased().hasPrefix($0) }) {
            rest = rest.dropFirst(scheme.count)
            let authority = rest.prefix { !"/?#".unicodeScalars.contains($0) }
            let start = authority.lastIndex(of: "@").map(authority.index(after:)) ?? authority.startIndex
            let hostAndPort = authority[start...]
            // The address of IP version 6 has colons of its own.
            let end =
                hostAndPort.first == "["
                ? hostAndPort.firstIndex(of: "]").map(hostAndPort.index(after:)) : hostAndPort.firstIndex(of: ":")
            let host = String(hostAndPort[..<(end ?? hostAndPort.endIndex)]).lowercased()
            guard Self.canBeHost(host) else { return nil }
            self.host = host
            rest = rest[authority.endIndex...]
        } else {
            guard let first = rest.first, "/?#".unicodeScalars.contains(first) else { return nil }
            host = ""
        }
        let path = rest.prefix { $0 != "?" && $0 != "#" }
        rest = rest[path.endIndex...]
        var query = Substring.UnicodeScalarView()
        if rest.first == "?" {
            query = rest.dropFirst().prefix { $0 != "#" }
            rest = rest[query.endIndex...]
        }
        let fragment = rest.first == "#" ? rest.dropFirst() : .init()
        self.path = PathNormalization.normalize(PercentCoding.encodingWhatMustBe(Substring(path)))
        self.query = PercentCoding.encodingWhatMustBe(Substring(query))
        self.fragment = PercentCoding.encodingWhatMustBe(Substring(fragment))
    }

    /// Whether a text, in lower case, can name a host: no more is asked of it than that no browser would refuse it.
    private static func canBeHost(_ host: String) -> Bool {
        if host.hasPrefix("[") { return host.hasSuffix("]") && host.utf8.count > 2 }
        return !host.isEmpty && !host.hasPrefix(".") && !host.contains("..")
            && host.unicodeScalars.allSatisfy {
                $0.value > 0x20 && $0.value != 0x7F && !"\"<>\\^`{|}[]%!$&'()*+,;=".unicodeScalars.contains($0)
            }
    }

    /// Whether there is nothing to decode.
    var isPlain: Bool {
        ![path, query, fragment].contains { $0.utf8.contains(UInt8(ascii: "%")) }
    }

    /// The items of the query in their order; one without `=` has an empty value.
    var queryItems: [(name: Substring, value: Substring)] {
        query.split(separator: "&").map { item in
            guard let equals = item.firstIndex(of: "=") else { return (item, "") }
            return (item[..<equals], item[item.index(after: equals)...])
        }
    }
}

/// Percent-encoding (RFC 3986, 2.1).
enum PercentCoding {
    /// Encodes what may not stand in a URL: everything beyond ASCII, controls, blanks and a few signs. Escapes stay.
    static func encodingWhatMustBe(_ text: some StringProtocol) -> String {
        if text.utf8.allSatisfy(mayStand) { return String(text) }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if mayStand(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Decodes all escapes. A text whose escapes are malformed or give no UTF-8 stays as it is.
    static func decoding(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(value), let low = rest.popFirst().flatMap(value) else {
                return text
            }
            bytes.append(high << 4 | low)
        }
        return String(utf8: bytes) ?? text
    }

    /// Whether a byte may stand in a path, query or fragment as it is.
    static func mayStand(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, 0x7F...0xFF: false
        case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
            UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
            false
        default: true
        }
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func value(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// A URL taken apart once for many rules.
final class MatchSubject {
    /// One part of a URL, in both forms that patterns are compared with.
    final class Text {
        let exact: [Unicode.Scalar]
        lazy var folded = exact.map(\.folded)

        init(_ text: String) { exact = Array(text.unicodeScalars) }
    }

    /// The parts in one form, encoded or decoded.
    final class Parts {
        let path: Text
        let query: Text
        let fragment: Text
        /// The values of each item, by its exact name: by scalars, since two spellings of one accented letter are equal
        /// to `String`.
        private let items: [[Unicode.Scalar]: [Text]]
        private let missing = [Text("")]

        init(_ url: MatchableURL, _ form: (String) -> String) {
            path = Text(form(url.path))
            query = Text(form(url.query))
            fragment = Text(form(url.fragment))
            var values: [[Unicode.Scalar]: [Text]] = [:]
            for item in url.queryItems {
                values[Array(form(String(item.name)).unicodeScalars), default: []].append(
                    Text(form(String(item.value))))
            }
            items = values
        }

        /// The values of an item; one empty value where it is missing.
        func values(of item: QueryItems.Item) -> [Text] {
            items.isEmpty ? missing : items[item.key] ?? missing
        }
    }

    let encoded: Parts
    /// What a rule with `percentEncoded` false is compared with: normalised first, decoded after.
    private(set) lazy var decoded = url.isPlain ? encoded : Parts(url, PercentCoding.decoding)
    private let url: MatchableURL
    /// What all rules together may cost. Where it ends, no more rules are tried.
    let meter: WorkMeter

    init(_ url: MatchableURL, meter: WorkMeter) {
        self.url = url
        self.meter = meter
        encoded = Parts(url) { $0 }
    }
}

/// The normalisation that Apple's tool applies to a path pattern and to a URL's path alike, before they are compared.
/// Observed in Apple's binaries and with `swcutil`; TN3155 agrees that `/test/*` covers `/test`.
enum PathNormalization {
    /// Empty becomes `/`; runs of `*` and of `/` shrink to one; a leading slash is added except before `*`; a final slash
    /// is added except after `*`. One character alone is left as it is.
    static func normalize(_ path: String) -> String {
        // Bytes, since only ASCII counts; but one character beyond ASCII is one character.
        let source = path.utf8
        guard let first = source.first else { return "/" }
        if path.unicodeScalars.dropFirst().isEmpty { return path }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(source.count + 2)
        if first != slash, first != star { bytes.append(slash) }
        for byte in source {
            if byte == slash || byte == star, bytes.last == byte { continue }
            bytes.append(byte)
        }
        if let last = bytes.last, last != slash, last != star { bytes.append(slash) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let slash = UInt8(ascii: "/")
    private static let star = UInt8(ascii: "*")
}
