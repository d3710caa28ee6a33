// What programs and people leave in a file outside of strings, or put in its place: templates, comments, output of tools,
// markup.

extension JSONParser {
    func begins(with text: String) -> Bool { bytes[index...].starts(with: text.utf8) }

    /// Causes that one sign shows, wherever it stands outside of a string.
    func causeOfSign() -> LocatedCause? {
        guard let byte = current else { return LocatedCause(.cutShort) }
        if isURLEncoded { return LocatedCause(.encoded("URL-encoded")) }
        if let cause = causeOfTemplate() ?? causeOfComment() { return cause }
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "`"):
            return begins(with: "```") ? LocatedCause(.codeFence) : causeOfSingleQuote(byte)
        case UInt8(ascii: "\\"): return causeOfEscapes()
        case UInt8(ascii: "&") where begins(with: "&quot;") || begins(with: "&#34;"):
            return LocatedCause(.htmlEntities)
        case UInt8(ascii: "<"), UInt8(ascii: "="), UInt8(ascii: ">"), UInt8(ascii: "|"):
            if isFirstOnLine(index), ["<<<<<<<", "=======", ">>>>>>>", "|||||||"].contains(where: begins) {
                return LocatedCause(.mergeConflict)
            }
            if begins(with: "<?php") || begins(with: "<?=") { return LocatedCause(.phpSource) }
            if messageOfPHP(bytes[index...]) { return LocatedCause(.phpMessage) }
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"):
            if let cause = causeOfDiff(index) { return LocatedCause(cause) }
        case UInt8(ascii: "o") where index > 0 && bytes[index - 1] == UInt8(ascii: "["):
            if begins(with: "object ") { return LocatedCause(.objectText, at: index - 1..<index) }
        case UInt8(ascii: "A")...UInt8(ascii: "Z"):
            if messageOfPHP(bytes[index...]) { return LocatedCause(.phpMessage) }
        default: break
        }
        if frames.isEmpty, isPrompt(bytes[index...]) { return LocatedCause(.shellSession) }
        return byte > 0x7F ? causeOfCharacter() : nil
    }

    // MARK: Characters

    /// Signs of JSON in the width of East Asian letters, and others that look like them.
    private static let lookalikes: [Unicode.Scalar: String] = [
        "\u{FF1A}": ":", "\u{FF0C}": ",", "\u{3001}": ",", "\u{060C}": ",", "\u{FF1B}": ",", "\u{FF5B}": "{",
        "\u{FF5D}": "}", "\u{FF3B}": "[", "\u{FF3D}": "]", "\u{3010}": "[", "\u{3011}": "]", "\u{FE55}": ":",
        "\u{A789}": ":", "\u{2236}": ":",
    ]

    private func causeOfCharacter() -> LocatedCause? {
        if typographicQuote(at: index) != nil { return LocatedCause(.smartQuotes) }
        let scalar = String(decoding: bytes[index...].prefix(4), as: UTF8.self).unicodeScalars.first
        guard let scalar, scalar != "\u{FFFD}" else { return nil }
        if let wanted = Self.lookalikes[scalar] { return LocatedCause(.lookalike(scalar, wanted: wanted)) }
        return Self.isInvisible(scalar) ? LocatedCause(.invisibleCharacter(scalar)) : nil
    }

    /// Blanks other than the plain one, and characters of no width; a dash can be seen.
    static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .format, .spaceSeparator, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// A pair of single quotes, or of backticks: on one line, or around the whole text.
    private func causeOfSingleQuote(_ quote: UInt8) -> LocatedCause? {
        let last = endOfToken(before: bytes.count) - 1
        if frames.isEmpty, last > index, bytes[last] == quote,
            let cause = holds(.quotedWhole, if: .delete(index..<index + 1), .delete(last..<last + 1))
        {
            return cause
        }
        guard let end = bytes[(index + 1)..<endOfLine(index)].firstIndex(of: quote) else { return nil }
        // `${TEAM}.com.example` of JavaScript.
        if quote == UInt8(ascii: "`"), bytes[index..<end].contains(UInt8(ascii: "$")) { return LocatedCause(.template) }
        let edits: [JSONRepair.Edit] = [.init(index..<index + 1, "\""), .init(end..<end + 1, "\"")]
        return best(JSONRepair(quote == UInt8(ascii: "'") ? .singleQuotes : .backticks, edits))
    }

    /// Backslashes outside of strings: the text was escaped as if it were to stand in a string itself.
    private func causeOfEscapes() -> LocatedCause? {
        guard bytes.count <= Self.largestMended else { return nil }
        var edits: [JSONRepair.Edit] = []
        var place = index
        while place + 1 < bytes.count {
            guard bytes[place] == UInt8(ascii: "\\") else {
                place += 1
                continue
            }
            let plain: String? =
                switch bytes[place + 1] {
                case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"): " "
                case UInt8(ascii: "\""): "\""
                case UInt8(ascii: "\\"): "\\"
                case UInt8(ascii: "/"): "/"
                default: nil
                }
            guard let plain else { return nil }
            edits.append(.init(place..<place + 2, plain))
            place += 2
        }
        return best(JSONRepair(.escapedQuotes, edits))
    }

    // MARK: Comments

    private func causeOfComment() -> LocatedCause? {
        guard let end = endOfComment(at: index) else { return nil }
        // `"#": #top` is a fragment without quotes.
        let before = endOfToken(before: index)
        let isValue = before > 0 && bytes[before - 1] == UInt8(ascii: ":") && !isFirstOnLine(index)
        if isValue, bytes[index] == UInt8(ascii: "#"), index + 1 < end, !Self.isBlank(bytes[index + 1]) { return nil }
        // All of them: behind one stands the next.
        var edits: [JSONRepair.Edit] = [.delete(index..<end)]
        var place = end
        while true {
            // One may begin where another ends, which is no end of a token.
            if place < bytes.count, let end = endOfComment(at: place) {
                edits.append(.delete(place..<end))
                place = end
                continue
            }
            var tokens = JSONTokens(bytes: bytes, from: place)
            guard let token = tokens.next() else { break }
            place = token.range.lowerBound > place ? token.range.lowerBound : token.range.upperBound
        }
        // A comma that the comment has left at the end of a list is a fault of its own.
        var rest = JSONTokens(bytes: bytes, from: end)
        let next = rest.next()
        let isLast = next.map { $0.sign == UInt8(ascii: "}") || $0.sign == UInt8(ascii: "]") } ?? true
        let isBehindComma = before > 0 && bytes[before - 1] == UInt8(ascii: ",")
        if isLast, isBehindComma { return LocatedCause(.comment) }
        return best(of: [JSONRepair(.comment, edits, past: end)])
    }

    func endOfComment(at place: Int) -> Int? {
        func end(_ closing: String, from start: Int) -> Int {
            next(closing, from: start)?.upperBound ?? bytes.count
        }
        let rest = bytes[place...]
        if rest.starts(with: "//".utf8) || rest.first == UInt8(ascii: "#") { return endOfLine(place) }
        if rest.starts(with: "/*".utf8) { return end("*/", from: place + 2) }
        return rest.starts(with: "<!--".utf8) ? end("-->", from: place + 4) : nil
    }

    // MARK: Templates

    /// A tag or a variable of a template, here or one byte before: the parser takes the first brace for its own.
    func causeOfTemplate() -> LocatedCause? {
        guard isDiagnosing else { return nil }
        for place in [index, index - 1] where place >= 0 && place < bytes.count && isTemplate(at: place) {
            return LocatedCause(.template, at: place..<place + 1)
        }
        return nil
    }

    /// Tags with both ends on one line, so that what only resembles one is none.
    private func isTemplate(at place: Int) -> Bool {
        let line = bytes[place..<endOfLine(place)].prefix(1000)
        func tag(_ opening: String, _ closing: String) -> ArraySlice<UInt8>? {
            guard line.starts(with: opening.utf8) else { return nil }
            let inside = line.dropFirst(opening.utf8.count)
            guard let end = next(closing, from: inside.startIndex, to: inside.endIndex) else { return nil }
            return inside[..<end.lowerBound]
        }
        if place == index {
            let pairs = [("<%", "%>"), ("${", "}"), ("$(", ")"), ("#{", "}"), ("%{", "}"), ("%(", ")s")]
            if pairs.contains(where: { tag($0, $1) != nil }) { return true }
            for sign in ["@@", "@", "%%", "%", "__"] {
                if let name = tag(sign, sign), Self.isName(name, alsoIn: sign == "__" ? "" : "-.") { return true }
            }
            // A variable of a shell, or of an assembled text.
            if line.first == UInt8(ascii: "$") {
                let name = line.dropFirst().prefix { !Self.isBlank($0) && !Array(",:\"]}".utf8).contains($0) }
                return Self.isName(name, alsoIn: ".-")
            }
        }
        if tag("{%", "%}") != nil || tag("{#", "#}") != nil { return true }
        guard let inside = tag("{{", "}}") else { return false }
        // Doubled braces around members are no tag.
        return next("\":", from: inside.startIndex, to: inside.endIndex) == nil && inside.contains { !Self.isBlank($0) }
            && inside.first { !Self.isBlank($0) } != UInt8(ascii: "\"")
    }

    private static func isName(_ text: ArraySlice<UInt8>, alsoIn extra: String) -> Bool {
        let extra = Array(extra.utf8)
        return (1...80).contains(text.count)
            && text.allSatisfy {
                UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0
                    || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: "_") || extra.contains($0)
            }
    }

    // MARK: Output of tools

    /// A line of a diff, where the text without the marks of a diff is JSON or goes on as JSON.
    func causeOfDiff(_ place: Int) -> JSONSyntaxError.Cause? {
        guard isDiagnosing, bytes.count <= Self.largestMended, isFirstOnLine(place), place == startOfLine(place) else {
            return nil
        }
        var edits: [JSONRepair.Edit] = []
        var start = 0
        while start < bytes.count {
            let end = endOfLine(start)
            let line = bytes[start..<end]
            let isHeader = ["@@ ", "diff ", "index ", "--- ", "+++ ", "\\ No newline"].contains {
                line.starts(with: $0.utf8)
            }
            if isHeader || line.first == UInt8(ascii: "-") {
                edits.append(.delete(start..<end))
            } else if line.first == UInt8(ascii: "+") {
                edits.append(.delete(start..<start + 1))
            }
            start = end + 1
        }
        return best(JSONRepair(.diff, edits)).map(\.cause)
    }

    private func startOfLine(_ place: Int) -> Int {
        var place = place
        while place > 0, bytes[place - 1] != 0x0A, bytes[place - 1] != 0x0D { place -= 1 }
        return place
    }

    /// Whether a sign of JSON stands here as a URL has it.
    var isURLEncoded: Bool {
        guard current == UInt8(ascii: "%") else { return false }
        let escape = String(decoding: bytes[index...].prefix(3), as: UTF8.self).uppercased()
        return ["%7B", "%5B", "%22"].contains(escape)
    }

    /// Whether text begins with a message of PHP, such as `<b>Notice</b>: … on line <b>3</b>`.
    func messageOfPHP(_ text: ArraySlice<UInt8>) -> Bool {
        let words = Self.withoutTags(text.prefix(4096))
        // `( ! )` is Xdebug's.
        let rest = ["PHP ", "( ! ) "].first(where: words.hasPrefix).map { String(words.dropFirst($0.count)) } ?? words
        return Self.kindsOfPHP.contains(where: rest.hasPrefix) && Self.namesLine(rest)
    }

    /// Whether text has such a message at its beginning or further on.
    func holdsMessageOfPHP(_ text: ArraySlice<UInt8>) -> Bool {
        let words = Self.withoutTags(text.prefix(4096))
        guard let kind = Self.kindsOfPHP.lazy.compactMap({ words.firstRange(of: $0) }).first else { return false }
        return Self.namesLine(words[kind.upperBound...])
    }

    private static func namesLine(_ text: some StringProtocol) -> Bool {
        guard let words = text.firstRange(of: " on line ") else { return false }
        return text[words.upperBound...].first?.isNumber ?? false
    }

    private static let kindsOfPHP = [
        "Notice:", "Warning:", "Deprecated:", "Fatal error:", "Parse error:", "Strict Standards:",
        "Recoverable fatal error:", "Catchable fatal error:",
    ]

    /// The text of markup, blanks as one.
    private static func withoutTags(_ markup: ArraySlice<UInt8>) -> String {
        var text: [UInt8] = []
        var isTag = false
        for byte in markup {
            switch byte {
            case UInt8(ascii: "<"): isTag = true
            case UInt8(ascii: ">") where isTag: isTag = false
            case _ where isTag: break
            case _ where isBlank(byte): if let last = text.last, last != 0x20 { text.append(0x20) }
            default: text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether text begins with the prompt of a shell, or with a command that shows a file.
    func isPrompt(_ text: ArraySlice<UInt8>) -> Bool {
        let line = String(decoding: text.prefix(200).prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
        let words = line.split(separator: " ").prefix(4)
        let isCommand = { (word: Substring) in
            ["curl", "cat", "wget", "http", "https", "swcutil", "type"].contains(word)
        }
        guard let first = words.first else { return false }
        if isCommand(first), words.count > 1 { return true }
        // `$ curl`, `user@host:~$` and `[user@host folder]$`.
        return zip(words, words.dropFirst().map(Optional.init) + [nil]).contains { word, next in
            ["$", "%", "#", ">"].contains(where: word.hasSuffix)
                && (first.contains("@") || next.map(isCommand) ?? false)
        }
    }
}

extension JSONParser {
    /// Causes that show in the first bytes of the whole file.
    func causeOfWhole() -> JSONSyntaxError.Cause? {
        guard let first = current else { return .empty }
        if bytes.starts(with: [0, 0, 0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE, 0, 0]) { return .utf32 }
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) { return .utf16 }
        if bytes.starts(with: [0x1F, 0x8B]) { return .gzip }
        if bytes.prefix(2).contains(0) { return causeOfZeros() }
        if begins(with: "<<<<<<< ") { return .mergeConflict }
        if first == UInt8(ascii: "<") { return causeOfTag() }
        if begins(with: "{\\rtf") { return .richText }
        if begins(with: "```") { return .codeFence }
        if isURLEncoded { return .encoded("URL-encoded") }
        if begins(with: "---\n") || begins(with: "---\r") { return causeOfRule() }
        if begins(with: "--- ") { return causeOfDiffHeader() }
        if begins(with: "[object ") { return .objectText }
        // DER of a SEQUENCE with a long length, or its PEM form.
        if bytes.starts(with: [0x30, 0x82]) || bytes.starts(with: [0x30, 0x83]) || bytes.starts(with: [0x30, 0x80])
            || begins(with: "-----BEGIN")
        {
            return .signed
        }
        return beginsAsValue(first) ? nil : causeOfText()
    }

    /// Whether a JSON value, or an attempt at one, begins with this byte.
    private func beginsAsValue(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "-"),
            UInt8(ascii: "/"), UInt8(ascii: "#"), UInt8(ascii: "\\"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "t"): begins(with: "true")
        case UInt8(ascii: "f"): begins(with: "false")
        case UInt8(ascii: "n"): begins(with: "null")
        default: typographicQuote(at: index) != nil
        }
    }

    // MARK: Text

    /// Text that begins as no JSON does.
    func causeOfText() -> JSONSyntaxError.Cause? {
        // Comments are not what the text is.
        guard endOfComment(at: index) != nil else { return causeOfPlainText() }
        var rest = self
        while let end = rest.endOfComment(at: rest.index) {
            rest.index = end
            rest.skipBlanks()
        }
        let cause = rest.causeOfPlainText()
        return [.script, .yaml].contains(cause) ? cause : nil
    }

    private func causeOfPlainText() -> JSONSyntaxError.Cause? {
        var head = bytes[index...].prefix(4096)
        // A character that was cut in two is none of the file's faults.
        while head.endIndex < bytes.count, let last = head.last, last >= 0x80 { head.removeLast() }
        let isText =
            head.allSatisfy { $0 >= 0x20 || (0x09...0x0D).contains($0) }
            && String(validating: head, as: UTF8.self) != nil
        if begins(with: "bplist") {
            return next("WebMainResource", from: index) == nil ? .propertyList : .savedPage
        }
        guard isText else { return .binary }
        let text = String(decoding: head, as: UTF8.self)
        let scalar = text.unicodeScalars.first ?? " "
        if Self.isInvisible(scalar) { return .invisibleCharacter(scalar) }
        if text.hasPrefix("version https://git-lfs") { return .gitLFSPointer }
        if let cause = causeOfHeaders(text) ?? causeOfProgram(text) { return cause }
        if messageOfPHP(head) { return .phpMessage }
        if causeOfTemplate() != nil { return .template }
        if causeOfDiffHeader() != nil || causeOfDiff(index) != nil { return .diff }
        if isPrompt(head) || text.contains("% Total ") && text.contains("% Received") { return .shellSession }
        if isBase64(text) { return .encoded("base64") }
        if Association.knownServices.contains(where: { text.lowercased().hasPrefix("\($0):") }) { return .yaml }
        if leadsToJSON() { return .leadingText }
        return bytes[index...].contains(UInt8(ascii: "{")) ? nil : .plainText
    }

    private func causeOfHeaders(_ text: String) -> JSONSyntaxError.Cause? {
        if text.hasPrefix("HTTP/") { return .httpHeaders }
        // What `curl --verbose` writes.
        if text.hasPrefix("*   Trying ") || text.hasPrefix("* Trying ") || text.hasPrefix("> GET /") {
            return .httpHeaders
        }
        let lower = text.lowercased()
        if lower.hasPrefix("from: <saved by") { return .savedPage }
        let names = [
            "content-type", "content-length", "content-encoding", "mime-version", "server", "date", "cache-control",
            "connection", "etag", "last-modified", "vary", "access-control-allow-origin", "strict-transport-security",
        ]
        guard names.contains(where: { lower.hasPrefix($0 + ":") }) else { return nil }
        return lower.contains("pkcs7") ? .signedMessage : lower.contains("text/html") ? .savedPage : .httpHeaders
    }

    /// JavaScript, or what servers put before JSON so that it runs as no script.
    private func causeOfProgram(_ text: String) -> JSONSyntaxError.Cause? {
        if [")]}", "while(1);", "while (1);", "for(;;);", "for (;;);"].contains(where: text.hasPrefix) {
            return .guardPrefix
        }
        let beginnings = [
            "module.exports", "exports.", "export ", "const ", "var ", "let ", "window.", "self.", "globalThis.",
            "import ", "function ", "function(", "async ", "return ", "\"use strict\"", "'use strict'", "(function",
            "(()", "({", "([", ";(",
        ]
        if beginnings.contains(where: text.hasPrefix) { return .script }
        // A call, or an assignment.
        let name = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "_$.".contains($0)) }
        let rest = text.dropFirst(name.count).drop(while: \.isWhitespace)
        guard !name.isEmpty, let sign = rest.first, "(=".contains(sign) else { return nil }
        let value = rest.dropFirst().first { !$0.isWhitespace }
        return value == "{" || value == "[" ? .script : nil
    }

    private func causeOfDiffHeader() -> JSONSyntaxError.Cause? {
        let head = String(decoding: bytes[index...].prefix(4096), as: UTF8.self)
        let isHeader =
            head.hasPrefix("diff --git ") || head.hasPrefix("@@ -") || head.hasPrefix("--- ") && head.contains("\n+++ ")
            || head.hasPrefix("Index: ") && head.contains("\n+++ ")
        return isHeader ? .diff : nil
    }

    /// Whether it is base64 of something that begins with a brace.
    private func isBase64(_ text: String) -> Bool {
        let comma = text.hasPrefix("data:") ? text.firstIndex(of: ",") : nil
        let digits = comma.map { text[text.index(after: $0)...] } ?? text[...]
        let isBase64 = digits.allSatisfy {
            $0.isASCII && ($0.isLetter || $0.isNumber || "+/=-_".contains($0) || $0.isWhitespace)
        }
        // `{"`, `{` and a line break or a blank.
        return digits.count >= 16 && isBase64 && ["ey", "ew", "e3"].contains { digits.hasPrefix($0) }
            && !digits.contains(" ")
    }

    /// Whether JSON begins further on, and ends with the file.
    private func leadsToJSON() -> Bool {
        guard let start = bytes[index...].firstIndex(of: UInt8(ascii: "{")) else { return false }
        return isMended(by: [.delete(index..<start)])
    }

    /// A line of `---` begins YAML; a second one ends the front matter of a page.
    private func causeOfRule() -> JSONSyntaxError.Cause {
        let head = String(decoding: bytes[index...].prefix(4096), as: UTF8.self)
        let lines = head.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).dropFirst()
        guard let end = lines.firstIndex(where: { $0 == "---" }) else { return .yaml }
        let body = lines[(end + 1)...].first { !$0.allSatisfy(\.isWhitespace) }
        return body?.first(where: { !$0.isWhitespace }) == "{" ? .frontMatter : .yaml
    }

    // MARK: Markup

    private func causeOfTag() -> JSONSyntaxError.Cause? {
        if begins(with: "<?php") || begins(with: "<?=") { return .phpSource }
        if begins(with: "<%") { return .template }
        if messageOfPHP(bytes[index...]) { return .phpMessage }
        let text = String(decoding: bytes[index...].prefix(65_536), as: UTF8.self)
        var rest = text[...]
        // Text may stand between what comes before the first element.
        while let end = Self.endOfProlog(rest) { rest = rest[end...].drop { !"<{[\"".contains($0) } }
        if text.hasPrefix("<!--"), let first = rest.first, first != "<" { return .comment }
        let element = rest.dropFirst().prefix { !$0.isWhitespace && $0 != ">" && $0 != "/" }
        guard rest.first == "<", element.first?.isLetter == true else { return text.hasPrefix("<!") ? .htmlPage : nil }
        let prolog = text[..<rest.startIndex].lowercased()
        let name = element.split(separator: ":").last.map { $0.lowercased() } ?? ""
        let isXML = prolog.contains("<?xml") || rest.prefix(while: { $0 != ">" }).contains("xmlns")
        switch name {
        case "plist": return .propertyList
        case "error":
            // The answer of a storage service.
            let code = rest.firstRange(of: "<Code>").map { rest[$0.upperBound...].prefix { $0 != "<" }.prefix(80) }
            return code.map { .storageError(String($0)) } ?? .xml(String(element))
        case "listbucketresult", "enumerationresults", "listallmybucketsresult": return .bucketListing
        case _ where isXML && name != "html" && !prolog.contains("<!doctype html"): return .xml(String(element))
        default: break
        }
        let lower = text.lowercased()
        let holdsFile = Association.knownServices.contains {
            lower.contains("\($0)\"") || lower.contains("\($0)&quot;")
        }
        return holdsFile && (lower.contains("<pre") || !lower.contains("<script")) ? .savedPage : .htmlPage
    }

    /// Where a comment, a declaration or an instruction ends.
    private static func endOfProlog(_ rest: Substring) -> Substring.Index? {
        for (opening, closing) in [("<!--", "-->"), ("<?", "?>"), ("<!", ">")] where rest.hasPrefix(opening) {
            return rest.firstRange(of: closing)?.upperBound ?? rest.endIndex
        }
        return nil
    }

    /// A byte of zero at the beginning: wide characters, of which JSON's first two are ASCII, or no text at all.
    private func causeOfZeros() -> JSONSyntaxError.Cause {
        func isText(width: Int, at place: Int) -> Bool {
            let head = Array(bytes.prefix(2 * width))
            return !head.isEmpty && head.count % width == 0
                && head.indices.allSatisfy { index in
                    index % width == place
                        ? (0x20...0x7E).contains(head[index]) || (0x09...0x0D).contains(head[index]) : head[index] == 0
                }
        }
        if isText(width: 4, at: 0) || isText(width: 4, at: 3) { return .utf32 }
        return isText(width: 2, at: 0) || isText(width: 2, at: 1) ? .utf16 : .binary
    }
}
