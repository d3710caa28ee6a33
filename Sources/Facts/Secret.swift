// Credentials from the configuration.

/// Text that may be used but never shown: webhook URLs, signing secrets, tokens, proxies with a password.
///
/// Printing it always gives `***`. Only `reveal()` gives the text, so its uses are easy to search for.
package struct Secret: Sendable, Hashable {
    private let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// The text itself, for code that sends or compares it.
    package func reveal() -> String { text }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "***" }
    package var debugDescription: String { "***" }
    package var customMirror: Mirror { Mirror(self, children: [(label: String?, value: Any)]()) }
}
