/// What an app ID looks like: the prefix of the app's signature, a dot, the bundle id.
/// https://developer.apple.com/documentation/xcode/supporting-associated-domains
public enum AppID {
    /// Whether the text holds what template languages put around a name: the ID was never filled in, and it is no app's.
    public static func isTemplate(_ text: String) -> Bool {
        text.utf8.contains { byte in "<>{}[]$%".utf8.contains(byte) }
    }

    /// Why a text can be no app's ID, as a clause such as `it has no bundle id: …`; nil where it can be one. Placeholders
    /// of the right form can: whether an app is meant is the linter's question.
    public static func fault(in text: String) -> String? {
        if text.unicodeScalars.contains(where: { $0.properties.isWhitespace || $0.value < 0x20 }) {
            return "it holds a blank or a line break"
        }
        return text.contains("*") ? "it holds a wildcard, which app IDs do not know" : AppIDFault.format(text)
    }
}
