// The format of app IDs, and what can be wrong with one.

/// An app ID: the application identifier prefix (mostly the team ID), a dot, and the bundle ID.
/// https://developer.apple.com/documentation/xcode/supporting-associated-domains
package enum AppID {
    /// Whether the text contains template signs such as `${`: nobody filled the ID in, so it belongs to no app.
    package static func isTemplate(_ text: String) -> Bool {
        text.utf8.contains { byte in "<>{}[]$%".utf8.contains(byte) }
    }

    /// Why a text cannot be an app ID, as a clause such as `it has no bundle ID: …`; nil if it can be one. A
    /// placeholder in the right format passes: the linter decides whether it names a real app.
    package static func fault(in text: String) -> String? {
        text.unicodeScalars.contains { $0.properties.isWhitespace || $0.value < 0x20 }
            ? "it contains a space or a line break" : AppIDFault.format(text)
    }
}

/// The one thing that is wrong with an app ID. Only one place decides it, so two lint rules never report the same ID.
enum AppIDFault {
    /// `kind`: the type of the value in words, such as `a number`.
    case notString(kind: String)
    /// Spaces or line breaks, inside the ID or around it.
    case blank
    /// Text that somebody should have replaced.
    case placeholder(String)
    /// Well formed, but copied from an example.
    case example
    /// Ten digits as the prefix.
    case storeNumber
    /// Any other format error; the reason is a clause.
    case format(String)

    init?(_ text: String) {
        let scalars = text.unicodeScalars
        // Nearly all IDs are printable ASCII, which needs no slow lookup of Unicode properties.
        let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        if AppID.isTemplate(text) || !isPlain && Self.isOfAnotherScript(text) {
            self = .placeholder(text)
        } else if let placeholder = Self.placeholder(text) {
            self = .placeholder(placeholder)
        } else if !isPlain, scalars.contains(where: { $0.properties.isWhitespace || $0.value < 0x20 }) {
            self = .blank
        } else if let reason = Self.format(text) {
            self = .format(reason)
        } else if Self.isExample(bundle: Self.bundle(text)) {
            self = .example
        } else if text.utf8.prefix(10).allSatisfy(\.isDigit) {
            self = .storeNumber
        } else {
            return nil
        }
    }

    /// Prefixes from Apple's documentation and from tutorials.
    private static let examplePrefixes: Set<String> = [
        "ABCDE12345", "ABCD123456", "ABC1234567", "AB12345678", "A123456789", "A1B2C3D4E5", "1A2B3C4D5E", "ABCDEFGHIJ",
        "ABCDE67890", "ABCDEF1234", "ABCDEFG123", "1234567890", "0123456789", "ABCDED12345", "A1B2C3D4E", "1A2B3C4D5",
        "12345ABCDE", "123ABC456D", "AABBCCDDEE",
    ]

    private static let placeholderWords: [[UInt8]] = [
        "TEAMID", "YOURTEAM", "MYTEAM", "APPLETEAM", "YOURAPP", "APPIDPREFIX", "UNDEFINED", "PLACEHOLDER", "REPLACEME",
        "REPLACEWITH", "CHANGEME", "EXAMPLE", "XXXXX",
    ].map { Array($0.utf8) }
    private static let placeholderPrefixes: Set<String> = [
        "TEAM", "NULL", "NONE", "NIL", "TODO", "FIXME", "PREFIX", "APPID", "YOURID", "YOUR", "PRODTEAM", "TEAMPREFIX",
    ]
    private static let placeholderBundles: [[UInt8]] = [
        "yourcompany", "yourapp", "your-app", "your_app", "yourbundle", "your.bundle", "your.app", "com.your.",
        "bundleid", "bundle_id", "bundle-id", "bundleidentifier", "bundle.identifier", "mycompany.myapp",
    ].map { Array($0.utf8) }

    // By scalars: to String, a dot and a combining mark after it are one Character.
    fileprivate static func prefix(_ text: String) -> Substring { Substring(text.unicodeScalars.prefix { $0 != "." }) }

    fileprivate static func bundle(_ text: String) -> Substring {
        Substring(text.unicodeScalars.drop { $0 != "." }.dropFirst())
    }

    private static func isExample(bundle: Substring) -> Bool {
        let bundle = String(bundle.unicodeScalars.prefix(12)).lowercased().utf8
        return bundle.elementsEqual("com.example".utf8) || bundle.elementsEqual("com.example.".utf8)
    }

    /// Whether it has words that no app ID can have, from a guide in another script, such as `你的TeamID.com.acme`.
    /// A single letter in a prefix of ten may be a typing error: the Cyrillic `А` looks like the Latin one.
    private static func isOfAnotherScript(_ text: String) -> Bool {
        func isForeign(_ scalar: Unicode.Scalar) -> Bool { scalar.value > 0x7F && scalar.properties.isAlphabetic }
        let scalars = Array(text.unicodeScalars.prefix(300))
        let isInPrefix =
            prefix(text).unicodeScalars.count != 10 && prefix(text).unicodeScalars.contains(where: isForeign)
        return isInPrefix || zip(scalars, scalars.dropFirst()).contains { isForeign($0) && isForeign($1) }
    }

    private static func placeholder(_ text: String) -> String? {
        guard text.utf8.count <= 300 else { return nil }
        let (prefix, bundle) = (prefix(text), bundle(text))
        if isPlaceholder(prefix: prefix) { return String(prefix) }
        // Apple's complete example is an `.example`. With another bundle ID, only the prefix is a placeholder.
        if examplePrefixes.contains(bare(prefix)), !isExample(bundle: bundle) { return String(prefix) }
        if let label = emptyLabel(in: bundle) { return label }
        let lower = Array(text.lowercased().utf8.filter { $0 != UInt8(ascii: " ") })
        return placeholderBundles.contains { holds(lower, $0) } ? String(bundle) : nil
    }

    /// The word that a script wrote for a missing value. `undefined` and `null` count in any part of the bundle ID; the
    /// other words can be real names, so they count only as its last part.
    private static func emptyLabel(in bundle: Substring) -> String? {
        let labels = bundle.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        func first(of labels: some Sequence<Substring.UTF8View>, among words: [String]) -> String? {
            labels.lazy.filter { $0.count <= 9 }.compactMap { String($0) }.first { words.contains($0.lowercased()) }
        }
        return first(of: labels, among: ["undefined", "null"])
            ?? first(of: labels.suffix(1), among: ["none", "nil", "nan"])
    }

    private static func isPlaceholder(prefix: Substring) -> Bool {
        let word = bare(prefix)
        let bytes = Array(word.utf8)
        return bytes.count >= 5 && bytes.allSatisfy { $0 == bytes[0] } || placeholderPrefixes.contains(word)
            || placeholderWords.contains { holds(bytes, $0) }
    }

    /// The ASCII letters and digits only, in upper case.
    private static func bare(_ prefix: Substring) -> String {
        let bare = prefix.utf8.compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 32
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
            default: nil
            }
        }
        return String(decoding: bare, as: UTF8.self)
    }

    private static func isPrefix(_ text: Substring) -> Bool {
        text.utf8.count == 10 && text.utf8.allSatisfy { $0.isDigit || (0x41...0x5A).contains($0) }
    }

    private static func holds(_ text: [UInt8], _ word: [UInt8]) -> Bool {
        guard text.count >= word.count else { return false }
        for start in 0...(text.count - word.count) where text[start] == word[0] {
            if text[start..<start + word.count].elementsEqual(word) { return true }
        }
        return false
    }

    /// Why a text does not have the format of an app ID, as a clause; nil if it has.
    static func format(_ text: String) -> String? {
        let (prefix, bundle) = (prefix(text), bundle(text))
        if text.isEmpty { return "it is empty" }
        if text.utf8.contains(UInt8(ascii: "*")) { return "it contains a wildcard, which app IDs do not support" }
        if !text.utf8.contains(UInt8(ascii: ".")) {
            return "it has no bundle ID: a dot and the bundle ID must follow the team ID"
        }
        if prefix.isEmpty { return "it begins with a dot: the team ID is missing" }
        if !isPrefix(prefix) {
            if prefix.utf8.allSatisfy(\.isDigit) {
                return "\(Quoted.json(String(prefix))) looks like an App Store number; \(teamID)"
            }
            if prefix.utf8.count < 8, domains.contains(prefix.lowercased()) {
                return "it is only a bundle ID; \(teamID)"
            }
            return teamID
        }
        if bundle.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).contains(where: \.isEmpty)
        {
            return "its bundle ID has an empty part"
        }
        for scalar in bundle.unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", ".", "-": continue
            default: return "a bundle ID contains only letters, digits, dots and hyphens, not \(scalar.visible)"
            }
        }
        return nil
    }

    private static let teamID = "it must begin with a 10-character team ID (A to Z and 0 to 9)"

    /// The usual first parts of bundle IDs.
    private static let domains: Set<String> = [
        "com", "net", "org", "io", "app", "co", "dev", "de", "jp", "uk", "fr", "ru", "cn", "in", "br", "nl", "se", "me",
        "eu", "it", "es", "pl", "ch", "at", "au", "ca", "us", "kr", "tw", "vn", "id", "ai", "tech", "xyz",
    ]
}

/// An app ID from a file, and how it differs from the wanted one.
package struct NearbyAppID: Codable, Hashable, Sendable {
    package let id: String
    /// A clause such as `another team`; nil if both the team and the bundle ID differ.
    package let difference: String?

    /// The nearest first, without repetition, at most `limit`.
    package static func all(_ ids: [String], near wanted: String, limit: Int = 5) -> [NearbyAppID] {
        let judged = ids.uniqued.prefix(maximumJudged).map { id in (id: id, nearness: Nearness(id, wanted)) }
        return judged.enumerated().sorted {
            ($0.element.nearness.rank, $0.offset) < ($1.element.nearness.rank, $1.offset)
        }.prefix(limit).map { NearbyAppID(id: $0.element.id, difference: $0.element.nearness.words) }
    }

    /// Generated files name thousands of apps.
    private static let maximumJudged = 2_000

    private struct Nearness {
        /// Smaller is nearer.
        let rank: Int
        let words: String?

        init(_ id: String, _ wantedID: String) {
            let (team, wantedTeam) = (AppIDFault.prefix(id), AppIDFault.prefix(wantedID))
            let (bundle, wanted) = (AppIDFault.bundle(id).lowercased(), AppIDFault.bundle(wantedID).lowercased())
            switch (team == wantedTeam, bundle == wanted) {
            case (_, true) where team.lowercased() == wantedTeam.lowercased():
                (rank, words) = (0, "upper and lower case differ")
            case (_, true):
                let isSameCase = AppIDFault.bundle(id) == AppIDFault.bundle(wantedID)
                (rank, words) = (1, isSameCase ? "another team" : "another team, and upper and lower case differ")
            case (true, false):
                let distance = Spelling.distance(Self.short(bundle), Self.short(wanted))
                (rank, words) = (2 + distance, distance <= 2 ? "spelled differently" : "another app of the team")
            case (false, false):
                (rank, words) = (1_000 + Spelling.distance(Self.short(bundle), Self.short(wanted)), nil)
            }
        }

        private static func short(_ text: String) -> [UInt8] { Array(text.utf8.prefix(64)) }
    }
}
