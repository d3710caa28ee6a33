// What stands behind the signs of a notation: names that are a router's, and classes of a regular expression.

/// Names that routers have for the parts of a path, behind signs that may stand in a URL as well.
enum RouterName {
    /// Parameters begin in lower case; titles of pages do not.
    static func isParameter(_ name: String) -> Bool {
        (name.unicodeScalars.first?.properties.isLowercase ?? false) || name.lowercased() == "id"
            || name.hasSuffix("Id") || name.hasSuffix("ID")
    }

    /// Signs of shares and words of OData stand behind a dollar, too; in the first folder, names of people.
    static func isBehindDollar(_ name: String, isFirst: Bool) -> Bool {
        isParameter(name) && !words.contains(name)
            && (!isFirst || usual.contains(name.lowercased()) || isCompound(name))
    }

    /// What real patterns do not have behind a wildcard, such as `*path`. They have `*html`.
    static func isRest(_ name: String, isFirst: Bool) -> Bool {
        rests.contains(name.lowercased()) || !isFirst && (name == "id" || isCompound(name))
    }

    /// A title in brackets is no group of routes.
    static func isGroup(_ name: String, isFirst: Bool) -> Bool {
        name == name.lowercased() && (isFirst || groups.contains(name))
    }

    /// Such as `userId`.
    private static func isCompound(_ name: String) -> Bool {
        (name.unicodeScalars.first?.properties.isLowercase ?? false)
            && ["Id", "ID", "Slug", "Name", "Path"].contains { name.hasSuffix($0) }
    }

    private static let words: Set<String> = [
        "metadata", "batch", "value", "count", "ref", "links", "entity", "all", "web",
    ]

    private static let usual: Set<String> = [
        "id", "uuid", "slug", "splat", "lang", "locale", "path", "user", "username", "handle", "category", "tag",
    ]

    private static let rests: Set<String> = [
        "path", "splat", "rest", "slug", "catchall", "filepath", "glob", "wildcard", "any",
    ]

    private static let groups: Set<String> = [
        "app", "auth", "authenticated", "dashboard", "drawer", "home", "main", "marketing", "modal", "modals",
        "onboarding", "private", "protected", "public", "root", "site", "stack", "tabs",
    ]
}

/// What stands in the square brackets of a regular expression.
enum ExpressionClass {
    /// Whether it is what nothing else has in such brackets.
    static func isOne(_ text: String) -> Bool {
        ["a-z", "A-Z", "0-9", "1-9", "a-f", "A-F", "\\", "[:"].contains { text.contains($0) } || text.hasPrefix("^")
    }

    /// Whether a text that may be a name consists of ranges such as `a-z`, or of letters in a row such as `abc`.
    static func consistsOfRanges(_ text: String) -> Bool {
        let scalars = text.unicodeScalars.filter { $0 != "_" }.map(\.value)
        guard scalars.count > 2 else { return false }
        if zip(scalars, scalars.dropFirst()).allSatisfy({ $0 + 1 == $1 }) { return true }
        return scalars.count % 3 == 0
            && stride(from: 0, to: scalars.count, by: 3).allSatisfy {
                scalars[$0 + 1] == UInt32(UInt8(ascii: "-")) && scalars[$0] < scalars[$0 + 2]
            }
    }

    /// One character of it.
    static func unit(of text: String) -> String {
        switch text {
        case "0-9", "\\d", "[:digit:]": "$(digit)"
        case "a-z": "$(lower)"
        case "A-Z": "$(upper)"
        case "a-zA-Z", "A-Za-z", "[:alpha:]": "$(alpha)"
        case "a-zA-Z0-9", "A-Za-z0-9", "0-9a-zA-Z", "0-9A-Za-z", "[:alnum:]": "$(alnum)"
        case "0-9a-fA-F", "0-9A-Fa-f", "a-fA-F0-9", "A-Fa-f0-9": "$(xdigit)"
        default: "?"
        }
    }
}

extension Unicode.Scalar {
    var isLetter: Bool { properties.isAlphabetic || self == "_" }

    /// Whether it may stand in a name behind a letter.
    var isInName: Bool {
        isLetter || properties.numericType != nil || properties.generalCategory == .nonspacingMark
    }

    /// Whether it is the hexadecimal digit that the other is in lower case.
    func isUpperCase(of other: Unicode.Scalar) -> Bool { ("A"..."F").contains(self) && other.value == value + 32 }
}
