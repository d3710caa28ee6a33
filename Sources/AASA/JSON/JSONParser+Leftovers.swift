// What programs and people leave in a file outside of strings: templates, comments, markers, output of tools.

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

    /// Where the comment ends that begins at a place.
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
