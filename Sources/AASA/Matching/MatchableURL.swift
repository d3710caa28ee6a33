// A URL, split into the parts that rules match, in the form in which they are compared.

/// A URL as Apple's matcher sees it: path, query and fragment, each percent-encoded.
public struct MatchableURL: Sendable, Hashable {
    /// In lower case; empty if only a path was given. Rules ignore it.
    public let host: String
    /// Normalised as Apple does before it compares: one slash in place of several, and a slash at the end.
    public let path: String
    /// Without `?`; empty if absent.
    public let query: String
    /// Without `#`; empty if absent.
    public let fragment: String
    /// The text that `init` got.
    public let text: String

    /// Reads an absolute http or https URL, or only its path, query or fragment (a text that begins with `/`, `?` or
    /// `#`). Percent-encodes characters that a URL must not contain, as a browser does.
    /// - Returns: nil if the text is neither, or if the host is invalid.
    public init?(_ text: String) {
        self.text = text
        // By scalars: to String, a slash and a combining mark after it are one Character.
        var rest = text.unicodeScalars[...]
        if let scheme = ["https://", "http://"].first(where: { text.prefix(8).lowercased().hasPrefix($0) }) {
            rest = rest.dropFirst(scheme.count)
            let authority = rest.prefix { !"/?#".unicodeScalars.contains($0) }
            let start = authority.lastIndex(of: "@").map(authority.index(after:)) ?? authority.startIndex
            let hostAndPort = authority[start...]
            // An IPv6 address contains colons.
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

    /// A rough check of a lower-case host: an address in brackets, or a name of valid characters without empty labels.
    private static func canBeHost(_ host: String) -> Bool {
        if host.hasPrefix("[") { return host.hasSuffix("]") && host.utf8.count > 2 }
        return !host.isEmpty && !host.hasPrefix(".") && !host.contains("..")
            && host.unicodeScalars.allSatisfy {
                $0.value > 0x20 && $0.value != 0x7F && !"\"<>\\^`{|}[]%!$&'()*+,;=".unicodeScalars.contains($0)
            }
    }

    /// Whether no part contains an escape.
    var isPlain: Bool {
        ![path, query, fragment].contains { $0.utf8.contains(UInt8(ascii: "%")) }
    }

    /// The query items in order. An item without `=` has an empty value.
    var queryItems: [(name: Substring, value: Substring)] {
        query.split(separator: "&").map { item in
            guard let equals = item.firstIndex(of: "=") else { return (item, "") }
            return (item[..<equals], item[item.index(after: equals)...])
        }
    }
}

/// Percent-encoding (RFC 3986, 2.1).
enum PercentCoding {
    /// Encodes what a URL must not contain: non-ASCII, controls, spaces and a few signs. Keeps escapes.
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

    /// Decodes all escapes. If one is malformed or the result is not UTF-8, the text stays unchanged.
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

    /// Whether a path, query or fragment may contain the byte unescaped.
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

/// A URL, split once for many rules.
final class MatchSubject {
    /// One part of a URL, as written and case-folded.
    final class Text {
        let exact: [Unicode.Scalar]
        lazy var folded = exact.map(\.folded)

        init(_ text: String) { exact = Array(text.unicodeScalars) }
    }

    /// All parts in one form, encoded or decoded.
    final class Parts {
        let path: Text
        let query: Text
        let fragment: Text
        /// The values of the items of each name. By scalars: to String, two spellings of one accented letter are equal.
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

        /// The values of all items of this name; one empty value if there is none.
        func values(of item: QueryItems.Item) -> [Text] {
            items.isEmpty ? missing : items[item.key] ?? missing
        }
    }

    let encoded: Parts
    /// For rules with `percentEncoded` false: the path is normalised first and decoded then.
    private(set) lazy var decoded = url.isPlain ? encoded : Parts(url, PercentCoding.decoding)
    private let url: MatchableURL
    /// The budget for all rules together. When it runs out, the matcher tries no more rules.
    let meter: WorkMeter

    init(_ url: MatchableURL, meter: WorkMeter) {
        self.url = url
        self.meter = meter
        encoded = Parts(url) { $0 }
    }
}

/// The normalisation that Apple's tool applies both to path patterns and to URL paths before it compares them. Observed
/// in Apple's binaries and with `swcutil`; TN3155 agrees that `/test/*` matches `/test`.
enum PathNormalization {
    /// An empty path becomes `/`. Runs of `*` and of `/` become one. A slash is added at the start except before `*`,
    /// and at the end except after `*`. A single character stays unchanged.
    static func normalize(_ path: String) -> String {
        // By bytes, since only ASCII matters. But a single character may have several bytes.
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
