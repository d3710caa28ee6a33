/// Why a text is not JSON: where a strict parser stops, what it expected there, and what probably happened.
public struct JSONSyntaxError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Where a strict parser stops, in bytes from the start of the text.
    public let offset: Int
    public let position: SourcePosition
    /// Such as `expected a value, found '}'`.
    public let message: String
    public let cause: Cause?
    /// The bytes to look at and to change, which often lie before the place where the parser stops. Within the text.
    public let range: Range<Int>
    /// Where the bracket opens that is not closed, or not closed as it should be.
    public let opening: Range<Int>?
    /// Whether the text ends before the value does.
    public let isAtEnd: Bool

    /// What people do that leads to text which is not JSON.
    public enum Cause: Sendable, Hashable {
        // Something else in the place of the file.
        case empty
        case htmlPage
        /// The text of the file, saved as a web page.
        case savedPage
        /// By the name of its outermost element.
        case xml(String)
        /// The answer of S3, Google Cloud Storage or Azure where the file is missing or private, by its code.
        case storageError(String)
        case bucketListing
        case propertyList
        case phpSource
        /// A notice, a warning or an error of PHP.
        case phpMessage
        case signed
        /// Signed, in the text form of e-mail.
        case signedMessage
        /// Compressed, with nothing that tells a reader so.
        case gzip
        case utf16
        case utf32
        /// Bytes that are not text in any encoding.
        case binary
        case richText
        case frontMatter
        case yaml
        case script
        /// `)]}'` and the like, which keeps JSON from running as a script.
        case guardPrefix
        /// `[object Object]`.
        case objectText
        /// Text in a code in place of the JSON, by the name of the code.
        case encoded(String)
        case diff
        case shellSession
        case codeFence
        case gitLFSPointer
        case httpHeaders
        case plainText
        /// Text, and behind it JSON to the end of the file.
        case leadingText

        // Commas and colons.
        case missingComma(after: SourcePosition, isLineEnd: Bool)
        case trailingComma(SourcePosition)
        case strayComma
        case wrongSign(found: String, wanted: String)
        /// A full-width colon and the like.
        case lookalike(Unicode.Scalar, wanted: String)
        case missingColon(key: String)
        case missingValue(key: String)
        case missingKey

        // Quotes.
        case smartQuotes
        case singleQuotes
        case backticks
        case unquotedText(String)
        /// `True`, `None` and the like.
        case wrongLiteral(String, meant: String)
        /// `undefined`, `None` and the like, which a program writes where it has no value.
        case noValue(String, key: String?)
        case missingOpeningQuote(String)
        /// The closing quote is missing on the line where the string begins.
        case unclosedString(line: Int)
        /// Text that goes on behind the closing quote of a string.
        case textAfterString(String)
        /// A string that goes on in the next line.
        case lineBreakInString
        case doubledQuote
        /// A quote before a bracket: what was meant as an object is a string.
        case strayQuote(before: String)
        /// The whole file stands between quotes.
        case quotedWhole
        case escapedQuotes
        case htmlEntities

        // Brackets.
        /// All brackets that are missing at one place; the place where the innermost opens.
        case missingBracket(String, opened: SourcePosition)
        case missingOpening(String)
        case wrongBracket(String, wanted: String, opened: SourcePosition)
        case surplusBracket(String)
        case closedTooEarly
        case missingOuterBraces
        case missingEntryBraces(list: String)
        case bracesForList(key: String?)
        case bracketsForObject(key: String?)
        case missingListBrackets(key: String)

        // Characters and leftovers.
        case comment
        case template
        case mergeConflict
        case invisibleCharacter(Unicode.Scalar)
        case controlCharacter(UInt8)
        case unknownEscape(String)
        case invalidUTF8
        case severalDocuments
        /// What follows names a service, so it must not be thrown away.
        case secondDocument
        /// The same object once more.
        case repeatedDocument
        case cutShort
        /// Perhaps JSON, but more levels than are read here.
        case tooDeep
    }

    public var description: String {
        "\(position): \(message)" + (cause.map { " (\($0.explanation))" } ?? "")
    }
}

extension JSONSyntaxError.Cause {
    /// A clause for people, safe to print.
    public var explanation: String {
        switch self {
        case .empty: "the file is empty"
        case .htmlPage: "this is an HTML page: an error page, a login page or a single-page app's index.html"
        case .savedPage: "this is a web page with the file's text in it: a browser or an editor saved it as HTML"
        case .xml(let name): "this is XML (<\(Quoted.escaped(name))>), not JSON"
        case .storageError(let code): "this is XML: the error \(Quoted.text(code)) of a storage service"
        case .bucketListing: "this is XML: a storage service's list of the files in a bucket"
        case .propertyList: "this is a property list, not JSON"
        case .phpSource: "this is PHP source code that the server did not run"
        case .phpMessage: "this is a message of PHP, printed beside the JSON or in its place"
        case .signed: "this is a signed PKCS#7 file; signing has not been needed since iOS 9"
        case .signedMessage: "this is a signed message in the text form of e-mail (S/MIME)"
        case .gzip: "these are bytes compressed with gzip: the compressed file was saved in place of the text"
        case .utf16: "the file is saved as UTF-16; save it as UTF-8"
        case .utf32: "the file is saved as UTF-32; save it as UTF-8"
        case .binary: "this is binary data, not text"
        case .richText: "this is a rich text (RTF) document; save it as plain text"
        case .frontMatter: "YAML front matter stands at the top, between two lines of '---'"
        case .yaml: "this is YAML, not JSON"
        case .script: "this is JavaScript, not JSON"
        case .guardPrefix: "a prefix such as )]}' stands before the JSON, which keeps it from running as a script"
        case .objectText: "JavaScript has written '[object Object]': an object was made a string without JSON.stringify"
        case .encoded(let code): "this is \(code) text; the JSON was encoded"
        case .diff: "this is a diff, with its marks (+, -, @@) in the text"
        case .shellSession: "the command line or the prompt of a shell was copied with the JSON"
        case .codeFence: "a Markdown code fence (```) stands around the JSON"
        case .gitLFSPointer: "this is a pointer of Git LFS, not the file itself"
        case .httpHeaders: "the headers of an HTTP answer stand in front of the file"
        case .plainText: "this is plain text, not JSON"
        case .leadingText: "text stands before the JSON"
        case .missingComma(let place, isLineEnd: true): "comma missing at the end of line \(place.line)"
        case .missingComma(let place, isLineEnd: false): "comma missing at \(place)"
        case .trailingComma(let place): "comma at \(place) before a closing bracket, with nothing after it"
        case .strayComma: "a comma with nothing before it"
        case .wrongSign(let found, let wanted): "'\(found)' in place of '\(wanted)'"
        case .lookalike(let scalar, let wanted):
            "\(TypographicCharacter.name(scalar)) in place of the plain '\(wanted)'"
        case .missingColon(let key): "colon missing after the key \(Quoted.json(key))"
        case .missingValue(let key): "value missing for the key \(Quoted.json(key))"
        case .missingKey: "a key and a colon are missing before this value"
        case .smartQuotes: "a word processor has put typographic quotes; use plain double quotes"
        case .singleQuotes: "single quotes; JSON has double quotes only"
        case .backticks: "backticks; JSON has double quotes only"
        case .unquotedText(let text): "\(Quoted.text(text)) stands without double quotes"
        case .wrongLiteral(let text, let meant): "JSON writes '\(meant)', not \(Quoted.text(text))"
        case .noValue(let text, let key):
            "\(Quoted.text(text)) is no JSON; a program writes it where it has no value"
                + (key.map { ", here for the key \(Quoted.json($0))" } ?? "")
        case .missingOpeningQuote(let text): "opening quote missing before \(Quoted.text(text))"
        case .unclosedString(let line): "the string on line \(line) has no closing quote"
        case .textAfterString(let text):
            "text after the closing quote of \(Quoted.json(text)); a quote inside a string is written \\\""
        case .lineBreakInString: "a line break inside a string"
        case .doubledQuote: "one double quote too many"
        case .strayQuote(let bracket): "the quote before '\(bracket)' begins a string that is never closed"
        case .quotedWhole: "quotes stand around the whole file"
        case .escapedQuotes: "backslashes outside of strings: the JSON was escaped once too often"
        case .htmlEntities: "quotes stand as HTML entities (&quot;)"
        case .missingBracket(let bracket, let opened): "'\(bracket)' missing for the bracket opened at \(opened)"
        case .missingOpening(let bracket): "'\(bracket)' missing here"
        case .wrongBracket(let bracket, let wanted, let opened):
            "'\(bracket)' closes the bracket opened at \(opened); '\(wanted)' belongs there"
        case .surplusBracket(let bracket): "one '\(bracket)' too many"
        case .closedTooEarly: "the outermost object is closed here, and more of it follows"
        case .missingOuterBraces: "the braces around the whole file are missing"
        case .missingEntryBraces(let list): "braces missing around an entry of \(Quoted.json(list))"
        case .bracesForList(let key): "braces around a list\(Self.of(key)); a list stands in square brackets"
        case .bracketsForObject(let key): "square brackets around keys and values\(Self.of(key)); they stand in braces"
        case .missingListBrackets(let key): "square brackets missing around the values of \(Quoted.json(key))"
        case .comment: "JSON has no comments"
        case .template: "a template tag that was not filled in"
        case .mergeConflict: "the markers of a Git merge conflict are in the file"
        case .invisibleCharacter(let scalar):
            "\(TypographicCharacter.name(scalar)) outside of a string, where it looks like a plain blank or like nothing"
        case .controlCharacter(0x09): "a tab inside a string; write \\t"
        case .controlCharacter: "a control character inside a string; write it as an escape, such as \\u0001"
        case .unknownEscape(let sign): "JSON has no escape '\\\(sign)'; a backslash itself is written \\\\"
        case .invalidUTF8: "the bytes are not valid UTF-8"
        case .severalDocuments: "text after the end of the JSON value"
        case .secondDocument:
            "another part of the file begins here, behind the end of the first object; a file is one object"
        case .repeatedDocument: "the whole object stands twice"
        case .cutShort: "the text ends before the value does"
        case .tooDeep: "it is not read any further here, and whether devices read it is not known"
        }
    }

    private static func of(_ key: String?) -> String { key.map { " in \(Quoted.json($0))" } ?? "" }

    /// What to do, beginning with a verb.
    var fix: String {
        switch self {
        case .empty: "upload the file again; it arrived without content"
        case .htmlPage: "exempt the file's path from the catch-all route, the login or the firewall, and serve the file"
        case .savedPage: "save the plain text: download the file with curl, or choose \"source only\" in the browser"
        case .xml: "look at what answers there, and serve the file itself"
        case .storageError:
            "look whether the file is in the bucket under this path, and let everybody read it; upload the file itself"
        case .bucketListing:
            "serve the file itself, not the list of the bucket; look at the path behind the bucket's name"
        case .propertyList, .yaml, .script: "write the file as JSON"
        case .guardPrefix: "delete the prefix"
        case .objectText: "write the object with JSON.stringify, or serve the file as it is"
        case .encoded: "serve the decoded text"
        case .diff: "serve the file itself, not the diff"
        case .shellSession: "delete what is not JSON; save the body alone"
        case .leadingText: "delete the text before the first '{'"
        case .phpMessage:
            "mend what PHP reports, and let it log messages instead of printing them (display_errors = Off)"
        case .phpSource: "let the server run the script, or serve its output as a plain file"
        case .signed, .signedMessage: "serve the plain JSON; signing has not been needed since iOS 9"
        case .gzip: "serve the plain text, or send 'Content-Encoding: gzip' with it to those who accept it"
        case .utf16, .utf32, .invalidUTF8: "save the file as UTF-8"
        case .binary: "look at what was uploaded in its place, and upload the file itself"
        case .richText: "save the document as plain text in UTF-8"
        case .frontMatter:
            "delete both lines of '---' and what stands between them, or let the site generator remove them"
        case .codeFence: "delete the lines with ```"
        case .gitLFSPointer: "check the file out with Git LFS before you deploy, or keep it out of LFS"
        case .httpHeaders: "delete the headers; save the body alone"
        case .plainText: "upload the file itself"
        case .missingComma(let place, _): "add a comma at \(place)"
        case .trailingComma: "delete the comma"
        case .strayComma: "delete the comma, or add what belongs before it"
        case .lookalike(_, let wanted): "replace it with '\(wanted)'"
        case .wrongSign(let found, let wanted): "replace '\(found)' with '\(wanted)'"
        case .missingColon: "add a colon after the key"
        case .missingValue: "add the value, or delete the key"
        case .missingKey: "add the key, or delete a bracket that is too many"
        case .smartQuotes, .singleQuotes, .backticks: "use plain double quotes"
        case .unquotedText(let text): "write \(Quoted.json(text))"
        case .wrongLiteral(_, let meant): "write \(meant)"
        case .noValue(_, let key) where JSONParser.isList(key): "write the list, or delete the key"
        case .noValue(_, let key): "write the value, or delete \(key == nil ? "it" : "the key")"
        case .missingOpeningQuote: "add a double quote before it"
        case .unclosedString: "add the closing quote on that line"
        case .textAfterString: "delete the text or move it into the string; write a quote inside a string as \\\""
        case .lineBreakInString: "put the string on one line, or write \\n for the line break"
        case .strayQuote: "delete the quote"
        case .quotedWhole: "delete the quotes around the file, and the backslashes inside if there are any"
        case .doubledQuote: "delete one of the two quotes"
        case .escapedQuotes: "delete the backslashes"
        case .htmlEntities: "replace &quot; with a plain double quote"
        case .missingBracket(let bracket, _): "add '\(bracket)' at the place shown"
        case .missingOpening(let bracket): "add '\(bracket)' at the place shown"
        case .wrongBracket(let bracket, let wanted, _): "replace '\(bracket)' with '\(wanted)'"
        case .surplusBracket: "delete the bracket"
        case .closedTooEarly: "delete the closing bracket before it, and put a comma between the two members"
        case .missingOuterBraces: "add '{' at the beginning and '}' at the end of the file"
        case .missingEntryBraces: "put the keys of each entry into braces: [{\"…\": …}, {\"…\": …}]"
        case .bracesForList: "replace the braces with square brackets"
        case .bracketsForObject: "replace the square brackets with braces"
        case .missingListBrackets: "put the values into square brackets"
        case .comment: "delete the comment; a component has the key \"comment\" for remarks"
        case .template: "serve the file after the template was filled in"
        case .mergeConflict: "resolve the conflict and delete the marker lines"
        case .invisibleCharacter: "delete the character and type a plain blank"
        case .controlCharacter: "write the character as an escape, or delete it"
        case .unknownEscape: "delete the backslash; patterns are not regular expressions"
        case .severalDocuments: "delete what follows the JSON value"
        case .secondDocument:
            "write one object with the keys of both: {\"applinks\": …, \"webcredentials\": …}; join the entries of a key "
                + "that both have"
        case .repeatedDocument: "delete one of the two"
        case .cutShort: "complete the file; look whether the upload broke off"
        case .tooDeep: "take levels out; no key that devices read lies deeper than 7 levels"
        }
    }
}
