// What stands in the place of the file, where its beginning shows it.

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

    /// The headers of an HTTP answer, or of a mail.
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
