// A domain name in the one form that every module uses, and the ways in which people write it.

import AASA
import Facts
import Foundation

/// A fully qualified domain name that can carry associated domains: lower case, ASCII (Punycode), no final dot.
///
/// Apple's restrictions apply: no IP literal, no port, no bare label such as `localhost`.
/// https://developer.apple.com/documentation/xcode/configuring-an-associated-domain
package struct Domain: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let name: String

    /// - Parameter text: a domain name; Unicode labels become Punycode.
    /// - Throws: `DomainFault` with a sentence for the person who wrote it.
    package init(_ text: String) throws(DomainFault) {
        // Most names already have the stored form, and the monitor parses thousands when it starts.
        let isPlain = text.utf8.allSatisfy { Self.isLabelByte($0) || $0 == UInt8(ascii: ".") }
        var name = isPlain ? text : text.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        guard !name.isEmpty else { throw DomainFault(text, "it is empty") }
        if !isPlain { name = try Self.ascii(name, writtenAs: text) }
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Substring.init)
        guard labels.count > 1 else {
            throw DomainFault(text, "it has no dot; write the fully qualified name, such as example.com")
        }
        guard name.utf8.count <= 253 else { throw DomainFault(text, "it is longer than 253 characters") }
        for label in labels {
            guard !label.isEmpty else { throw DomainFault(text, "it has an empty label") }
            guard label.utf8.count <= 63 else { throw DomainFault(text, "a label is longer than 63 characters") }
            guard label.utf8.allSatisfy({ Self.isLabelByte($0) }), label.utf8.first != UInt8(ascii: "-"),
                label.utf8.last != UInt8(ascii: "-")
            else {
                throw DomainFault(text, "'\(label)' is not a valid label")
            }
        }
        if let last = labels.last, Self.isNumber(last) {
            throw DomainFault(text, "it is an IP address; universal links need a name")
        }
        self.name = name
    }

    /// The name in ASCII. Refuses characters that show that the text is not a name.
    private static func ascii(_ name: String, writtenAs text: String) throws(DomainFault) -> String {
        if name.contains(where: { $0 == "/" || $0 == "?" || $0 == "#" || $0 == "@" || $0.isWhitespace }) {
            throw DomainFault(text, "a domain has no path, query, user or space")
        }
        if name.hasPrefix("[") || name.count(where: { $0 == ":" }) > 1 {
            throw DomainFault(text, "it is an IP address; universal links need a name")
        }
        if name.contains(":") {
            throw DomainFault(
                text, "an associated domain has no port; use --connect-to or --resolve to reach a test server")
        }
        if let sign = name.unicodeScalars.first(where: \.isTypographic) {
            // Punycode would turn it into a name that does not exist.
            let meant = sign.properties.generalCategory == .dashPunctuation || sign == "\u{2212}" ? "-" : "\""
            throw DomainFault(
                text,
                "it has the typographic character '\(sign)', which word processors insert for '\(meant)'; type it again"
            )
        }
        if !name.utf8.allSatisfy({ $0 < 0x80 }) {
            var components = URLComponents()
            components.scheme = "https"
            components.host = name
            guard let encoded = components.encodedHost,
                encoded.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "%") })
            else { throw DomainFault(text, "it is not a valid internationalised name") }
            return encoded.lowercased()
        }
        return name
    }

    /// The beginning of a name, or all of it, in stored form: international labels in Punycode. Text that has no such
    /// form stays unchanged, because no name begins with it.
    package static func kept(_ text: String) -> String {
        let name = text.lowercased()
        guard !name.utf8.allSatisfy({ $0 < 0x80 }) else { return name }
        return (try? ascii(name, writtenAs: text)) ?? name
    }

    /// The name as people write it: Punycode labels in their own letters.
    package var unicodeName: String {
        guard name.contains("xn--") else { return name }
        var components = URLComponents()
        components.scheme = "https"
        components.encodedHost = name
        return components.host?.lowercased() ?? name
    }

    /// A name whose last label is a number means an IPv4 address, in decimal or hexadecimal, such as `127.0.0.0x1`.
    /// https://url.spec.whatwg.org/#ends-in-a-number-checker
    private static func isNumber(_ label: Substring) -> Bool {
        label.hasPrefix("0x") ? label.dropFirst(2).allSatisfy(\.isHexDigit) : label.isOfDigits
    }

    private static func isLabelByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): true
        // RFC 1123 does not allow underscores in host names, but such hosts exist and are served.
        case UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: byte.isDigit
        }
    }

    package var description: String { name }

    /// Where Apple reads the file: https://developer.apple.com/documentation/xcode/supporting-associated-domains
    package var wellKnownURL: String { "https://\(name)\(Self.wellKnownPath)" }

    package static let wellKnownPath = "/.well-known/apple-app-site-association"

    /// Where systems before iOS 9.3 looked.
    package var rootURL: String { "https://\(name)/apple-app-site-association" }

    package static func < (left: Domain, right: Domain) -> Bool { left.name < right.name }
}

extension Domain: Codable {
    package init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}

/// Why a text is not a domain: the user's mistake, in words for the user.
package struct DomainFault: Error, Equatable, CustomStringConvertible {
    package let text: String
    package let reason: String

    package init(_ text: String, _ reason: String) {
        self.text = text
        // A reason may quote a label or a mode of the text.
        self.reason = reason.displayable
    }

    package var description: String { "'\(text.displayable)' is not a domain: \(reason)" }
}
