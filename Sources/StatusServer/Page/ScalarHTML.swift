import Mustache

/// Escapes for HTML byte by byte.
///
/// Mustache's own escaping compares characters, and a character is more than a scalar: after a letter of the class
/// Prepend (such as U+0D4E), or before a combining mark, a `<` is no longer equal to `"<"` and would pass as it is. The bytes
/// of these five occur in UTF-8 for nothing else.
struct ScalarHTML: MustacheContentType {
    /// The name by which a template asks for it, in `{{% CONTENT_TYPE: … }}`.
    static let name = "SCALAR_HTML"

    func escapeText(_ text: String) -> String { Self.escape(text) }

    static func escape(_ text: String) -> String {
        guard text.utf8.contains(where: isSpecial) else { return text }
        var escaped: [UInt8] = []
        escaped.reserveCapacity(text.utf8.count + 32)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "<"): escaped += "&lt;".utf8
            case UInt8(ascii: ">"): escaped += "&gt;".utf8
            case UInt8(ascii: "&"): escaped += "&amp;".utf8
            case UInt8(ascii: "\""): escaped += "&quot;".utf8
            case UInt8(ascii: "'"): escaped += "&#39;".utf8
            default: escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "&")
            || byte == UInt8(ascii: "\"")
            || byte == UInt8(ascii: "'")
    }
}
