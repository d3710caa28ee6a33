import Mustache

/// Escapes for HTML scalar by scalar.
///
/// Mustache's own escaping compares characters, and a character is more than a scalar: after a letter of the class
/// Prepend (such as U+0D4E), or before a combining mark, a `<` is no longer equal to `"<"` and would pass as it is.
struct ScalarHTML: MustacheContentType {
    /// The name by which a template asks for it, in `{{% CONTENT_TYPE: … }}`.
    static let name = "SCALAR_HTML"

    func escapeText(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        escaped.reserveCapacity(text.unicodeScalars.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
            case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
            case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
            case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
            case "'": escaped.append(contentsOf: "&#39;".unicodeScalars)
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}
