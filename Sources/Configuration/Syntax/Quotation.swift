// How messages quote the text of the file.

import Evidence

/// Quotes text of the file without secrets. Webhook URLs, passwords in URLs and signing secrets can be under wrong keys
/// and in wrong places, so messages quote every text of the file through this type.
enum Quotation {
    /// The text in quotation marks, without a signing secret, and of a URL only the scheme and the host.
    static func of(_ text: String) -> String {
        var shown = text
        if let secret = shown.firstRange(of: "whsec_") { shown = shown[..<secret.upperBound] + "…" }
        if let scheme = shown.firstRange(of: "://") {
            let authority = shown[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
            let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
            let isWhole = authority.endIndex == shown.endIndex
            shown = shown[..<scheme.upperBound] + host + (isWhole ? "" : "/…")
        }
        return "'\(shown.displayable.shortened(to: 60))'"
    }

    /// A key in quotation marks, up to the first character that no known key has: `url:https://…` becomes `url…`.
    static func ofKey(_ key: String) -> String {
        let name = key.prefix { isKeyCharacter($0) }
        return name.count == key.count && name.count <= 40 ? "'\(name)'" : "'\(name.prefix(40))…'"
    }

    private static func isKeyCharacter(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "_-.<".contains(character))
    }
}
