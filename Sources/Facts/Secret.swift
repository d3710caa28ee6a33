// What opens a service, as the configuration holds it.

/// A text that may be used but never shown: webhook URLs, signing secrets, tokens, proxies with a password.
///
/// Every way of printing it gives `***`; only `reveal()` gives the text, so that its uses can be searched for.
package struct Secret: Sendable, Hashable {
    private let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// The text itself, for what sends or compares it.
    package func reveal() -> String { text }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "***" }
    package var debugDescription: String { "***" }
    package var customMirror: Mirror { Mirror(self, children: [(label: String?, value: Any)]()) }
}
