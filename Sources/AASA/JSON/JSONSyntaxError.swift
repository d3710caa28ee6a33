/// Why a text is not JSON: where, what was expected there, and what probably happened.
public struct JSONSyntaxError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Byte offset from the start of the text.
    public let offset: Int
    public let position: SourcePosition
    /// Such as `expected a value, found '}'`.
    public let message: String
    public let cause: Cause?

    /// What people do that leads to text which is not JSON.
    public enum Cause: String, Sendable, CaseIterable {
        case empty
        case htmlPage = "html-page"
        case signed
        /// Compressed, with nothing that tells a reader so.
        case gzip
        case utf16
        case utf32
        /// Bytes that are no text in any encoding.
        case binary
        case richText = "rich-text"
        case comment
        case trailingComma = "trailing-comma"
        case singleQuotes = "single-quotes"
        case smartQuotes = "smart-quotes"
        case severalDocuments = "several-documents"
        case cutShort = "cut-short"
        case invalidUTF8 = "invalid-utf-8"
        /// Perhaps JSON, but more levels than are read here.
        case tooDeep = "too-deep"

        /// A half sentence for people, fit to follow "probably" or to stand alone.
        public var explanation: String {
            switch self {
            case .empty: "the file is empty"
            case .htmlPage: "this is an HTML page: an error page, a login page or a single-page app's index.html"
            case .signed: "this is a signed PKCS#7 file; signing has not been needed since iOS 9"
            case .gzip: "these are bytes compressed with gzip: the compressed file was saved in place of the text"
            case .utf16: "the file is saved as UTF-16; save it as UTF-8"
            case .utf32: "the file is saved as UTF-32; save it as UTF-8"
            case .binary: "these are binary data and no text"
            case .richText: "this is a rich text (RTF) document; save it as plain text"
            case .comment: "JSON has no comments"
            case .trailingComma: "a comma stands before the closing bracket"
            case .singleQuotes: "strings stand in double quotes, not in single ones"
            case .smartQuotes: "a word processor has put typographic quotes; use plain double quotes"
            case .severalDocuments: "something follows the end of the JSON value"
            case .cutShort: "the text ends before the value does"
            case .invalidUTF8: "the bytes are no valid UTF-8"
            case .tooDeep: "it is not read any further here, and whether devices read it is not known"
            }
        }
    }

    public var description: String {
        "\(position): \(message)" + (cause.map { " (\($0.explanation))" } ?? "")
    }
}
