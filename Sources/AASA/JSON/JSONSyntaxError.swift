/// The first error in a text that is not JSON: where a strict parser stops, what it expected, and the cause if known.
public struct JSONSyntaxError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The byte offset, from the start of the text, at which the parser stops.
    public let offset: Int
    /// The line and column of `offset`.
    public let position: SourcePosition
    /// What the parser expected and found, such as `expected a value, found '}'`.
    public let message: String
    /// nil if the text does not show what went wrong.
    public let cause: Cause?
    /// The bytes to fix, as offsets within the text. They are often before `offset`.
    public let range: Range<Int>
    /// The opening bracket that is never closed, as byte offsets; nil for other causes.
    public let opening: Range<Int>?
    /// Whether the text ends before the JSON value is complete.
    public let isAtEnd: Bool

    public var description: String {
        "\(position): \(message)" + (cause.map { " (\($0.explanation))" } ?? "")
    }

    /// A known mistake of people or servers that makes a text invalid JSON. Later versions may add causes.
    public struct Cause: Sendable, Hashable {
        /// A stable identifier, such as `trailing-comma`. The explanation depends on the text; the identifier does not.
        public let id: String
        /// A clause for people. Safe to print: control characters are escaped.
        public let explanation: String
        /// What to do; begins with a verb.
        public let fix: String
        /// The evidence: the number of a corpus file, a public issue, or a document.
        package let seen: String

        private init(_ id: String, _ explanation: String, _ fix: String, seen: String) {
            (self.id, self.explanation, self.fix, self.seen) = (id, explanation, fix, seen)
        }
    }
}

// MARK: Something else instead of the file

extension JSONSyntaxError.Cause {
    package static let empty = Self(
        "empty", "the file is empty", "upload the file again; it arrived without content", seen: "corpus 195, 264")

    package static let htmlPage = Self(
        "html-page", "this is an HTML page: an error page, a login page or a single-page app's index.html",
        "exempt the file's path from the catch-all route, the login or the firewall, and serve the file",
        seen: "gatsbyjs/gatsby#13437")

    static func xml(_ firstWords: String) -> Self {
        Self(
            "xml", "this is XML, not JSON: \(Quoted.text(firstWords))",
            "check which server answers, and serve the file itself; in a storage service, let everybody read it",
            seen: "documented: Amazon S3, error responses")
    }

    static func plainText(_ firstWords: String) -> Self {
        Self(
            "plain-text", "this is plain text, not JSON: \(Quoted.text(firstWords))",
            "upload the file itself, with nothing before the first '{'", seen: "corpus 085, WP-API/WP-API#740")
    }

    /// A page, a script or a function call with the file in it; whether that part is valid JSON does not matter.
    static func wrapped(_ firstWords: String) -> Self {
        Self(
            "wrapped", "the file is wrapped in something else, which begins with \(Quoted.text(firstWords))",
            "serve only the text from the first '{' to the last '}', not the page, script or function call around it",
            seen: "documented: WordPress REST API, _jsonp")
    }

    /// What a plug-in, a debug bar or an injected script adds after each answer.
    static func markupBehind(_ words: String) -> Self {
        Self(
            "markup-behind", "there is markup after the JSON: \(Quoted.text(words))",
            "exempt the file's path from what adds it: a caching plug-in, a debug bar, an injected script",
            seen: "documented: WP Super Cache, comments at the end of a page")
    }

    package static let richText = Self(
        "rich-text", "this is a rich text (RTF) document; save it as plain text",
        "save the document as plain text in UTF-8", seen: "corpus 001")

    package static let signed = Self(
        "signed", "this is a signed file (CMS or S/MIME), not plain JSON",
        "serve the plain JSON; signing has not been needed since iOS 9", seen: "corpus 092, 170, 193")

    package static let utf16 = Self(
        "utf-16", "the file is saved as UTF-16 or UTF-32, or is not text", "save the file as UTF-8",
        seen: "jqlang/jq#2351")

    package static let invalidUTF8 = Self(
        "invalid-utf-8", "the bytes are not valid UTF-8",
        "save the file as plain text in UTF-8; if it is compressed, send 'Content-Encoding'",
        seen: "secvisogram/secvisogram#787")

    package static let mergeConflict = Self(
        "merge-conflict", "the markers of a Git merge conflict are in the file",
        "resolve the conflict and delete the marker lines", seen: "nileplumb/PkmnShuffleMap#41")

    package static let template = Self(
        "template", "a template tag that was not filled in", "fill in the template before you serve the file",
        seen: "corpus 143 (in a string), smollweide/node-mock-server#13")

    package static let cutShort = Self(
        "cut-short", "the text ends before the JSON value is complete",
        "complete the file; check whether the upload was interrupted",
        seen: "documented: RFC 9112, 8, incomplete messages")

    package static let severalDocuments = Self(
        "several-documents", "text after the end of the JSON value",
        "put all keys into one object; delete what is not part of the file", seen: "nileplumb/PkmnShuffleMap#41")

    /// This is a limit of the parser; the text may still be JSON.
    package static let tooDeep = Self(
        "too-deep", "parsing stops here, and it is unknown whether devices read the file",
        "remove levels; devices read no key deeper than 7 levels",
        seen: "documented: RFC 8259, 9, limits of a parser")
}

// MARK: Commas and brackets

extension JSONSyntaxError.Cause {
    static func missingComma(after place: SourcePosition, isLineEnd: Bool) -> Self {
        Self(
            "missing-comma", "comma missing at \(isLineEnd ? "the end of line \(place.line)" : "\(place)")",
            "add a comma at \(place)", seen: "corpus 245")
    }

    static func trailingComma(_ place: SourcePosition) -> Self {
        Self(
            "trailing-comma", "comma at \(place) with no element after it", "delete the comma",
            seen: "corpus 135, 210, 335")
    }

    /// `brackets`: all that are missing at one place. `opened`: the position of the innermost opening bracket.
    static func notClosed(_ brackets: String, opened: SourcePosition) -> Self {
        Self(
            "not-closed", "'\(brackets)' missing for the bracket opened at \(opened)",
            "add '\(brackets)' at the place shown", seen: "corpus 077, 084, 177")
    }

    static func surplusBracket(_ bracket: String) -> Self {
        Self(
            "surplus-bracket", "one '\(bracket)' too many",
            "delete the bracket, or write the kind that closes the open one", seen: "hoppscotch/hoppscotch#5837")
    }

    package static let keyInList = Self(
        "key-in-list", "square brackets around keys and values; JSON uses braces here",
        "replace the square brackets with braces", seen: "corpus 078")
}

// MARK: Quotes and characters

extension JSONSyntaxError.Cause {
    package static let typographicQuotes = Self(
        "typographic-quotes", "typographic quotes, as a word processor writes them; JSON has plain double quotes only",
        "use plain double quotes", seen: "corpus 014, 065, 165")

    static func typographicSign(_ scalar: Unicode.Scalar, wanted: String) -> Self {
        Self(
            "typographic-sign", "\(scalar.numberAndName) outside a string, instead of \(wanted)",
            "delete the character and type \(wanted)", seen: "corpus 289")
    }

    package static let singleQuotes = Self(
        "single-quotes", "single quotes; JSON has double quotes only", "use plain double quotes",
        seen: "Ankermgmt/ankermake-m5-protocol#12")

    static func unquotedText(_ text: String) -> Self {
        Self(
            "unquoted-text", "\(Quoted.text(text)) has no double quotes", "write \(Quoted.json(text))",
            seen: "corpus 301")
    }

    static func textAfterString(_ text: String) -> Self {
        Self(
            "text-after-string",
            text.isEmpty
                ? "one double quote too many"
                : "text after the closing quote of \(Quoted.json(text)): a quote is missing, or there is one too many",
            text.isEmpty
                ? "delete one of the two quotes"
                : "close each string where it ends; write a quote inside a string as \\\"", seen: "corpus 064")
    }

    package static let unclosedString = Self(
        "unclosed-string", "this string is not closed on its line",
        "add the closing quote on that line, or write \\n for a line break", seen: "apache/cxf#3145")

    static func controlCharacter(_ byte: UInt8) -> Self {
        Self(
            "control-character",
            byte == 0x09
                ? "a tab inside a string; write \\t"
                : "a control character inside a string; write it as an escape, such as \\u0001",
            "write the character as an escape, or delete it", seen: "samarsault/plainwhite-jekyll#121")
    }

    /// `found`: the character after the backslash.
    static func unknownEscape(_ found: String) -> Self {
        Self(
            "unknown-escape", "JSON has no escape for \(found); a backslash itself is written as \\\\",
            "delete the backslash; patterns are not regular expressions", seen: "circlecell/jsonlint.com#71")
    }

    package static let comment = Self(
        "comment", "JSON has no comments", "delete the comment; a component has the key \"comment\" for remarks",
        seen: "corpus 303, 304, ionic-team/capacitor#2963")
}
