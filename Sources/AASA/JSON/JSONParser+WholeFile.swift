// What stands in the place of the file, where its first bytes show it.

extension JSONParser {
    /// Causes that show in the first bytes of the whole file.
    func causeOfWhole() -> JSONSyntaxError.Cause? {
        guard let first = current else { return .empty }
        if bytes.starts(with: [0, 0, 0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE, 0, 0]) { return .utf32 }
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) { return .utf16 }
        if bytes.starts(with: [0x1F, 0x8B]) { return .gzip }
        if bytes.prefix(2).contains(0) { return causeOfZeros() }
        if holds("<<<<<<< ") { return .mergeConflict }
        if first == UInt8(ascii: "<") { return causeOfTag() }
        if holds("{\\rtf") { return .richText }
        if holds("```") { return .codeFence }
        if holds("---\n") || holds("---\r") { return causeOfRule() }
        // DER of a SEQUENCE with a long length, or its PEM form.
        if bytes.starts(with: [0x30, 0x82]) || bytes.starts(with: [0x30, 0x83]) || bytes.starts(with: [0x30, 0x80])
            || holds("-----BEGIN")
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
        case UInt8(ascii: "t"): holds("true")
        case UInt8(ascii: "f"): holds("false")
        case UInt8(ascii: "n"): holds("null")
        default: Self.quotes.contains { bytes[index...].starts(with: $0.utf8) }
        }
    }

    /// Text that begins as no JSON does.
    func causeOfText() -> JSONSyntaxError.Cause? {
        var head = bytes[index...].prefix(4096)
        // A character that was cut in two is none of the file's faults.
        while head.endIndex < bytes.count, let last = head.last, last >= 0x80 { head.removeLast() }
        let isText =
            head.allSatisfy { $0 >= 0x20 || (0x09...0x0D).contains($0) }
            && String(validating: head, as: UTF8.self) != nil
        guard isText else { return .binary }
        let text = String(decoding: head, as: UTF8.self)
        let scalar = text.unicodeScalars.first ?? " "
        if TypographicCharacter.isTypographic(scalar) { return .invisibleCharacter(scalar) }
        if text.hasPrefix("HTTP/") { return .httpHeaders }
        if text.hasPrefix("version https://git-lfs") { return .gitLFSPointer }
        if text.hasPrefix("bplist") { return .savedPage }
        let lower = text.lowercased()
        if lower.hasPrefix("mime-version:") || lower.hasPrefix("content-type:") || lower.hasPrefix("from: <saved by") {
            return lower.contains("pkcs7") ? .signedMessage : lower.contains("text/html") ? .savedPage : .httpHeaders
        }
        if ["module.exports", "export ", "const ", "var ", "let ", "window.", "callback(", "jsonp("].contains(
            where: lower.hasPrefix)
        {
            return .script
        }
        let services = Association.knownServices.map { $0.lowercased() + ":" }
        if services.contains(where: lower.hasPrefix) { return .yaml }
        return .plainText
    }

    /// A line of `---` begins YAML; a second one ends the front matter of a page.
    private func causeOfRule() -> JSONSyntaxError.Cause {
        let head = String(decoding: bytes[index...].prefix(4096), as: UTF8.self)
        let lines = head.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).dropFirst()
        guard let end = lines.firstIndex(where: { $0 == "---" }) else { return .yaml }
        let body = lines[(end + 1)...].first { !$0.allSatisfy(\.isWhitespace) }
        return body?.first == "{" || body?.first(where: { !$0.isWhitespace }) == "{" ? .frontMatter : .yaml
    }

    private func causeOfTag() -> JSONSyntaxError.Cause {
        let text = String(decoding: bytes[index...].prefix(65_536), as: UTF8.self).lowercased()
        if text.hasPrefix("<?php") || text.hasPrefix("<?=") { return .phpSource }
        if text.hasPrefix("<%") { return .template }
        if text.hasPrefix("<!--"), !text.contains("<html") { return .comment }
        if text.contains("<plist") { return .propertyList }
        let isPage = ["<html", "<!doctype html", "<body", "<head", "<div", "<pre", "<p", "<script", "<meta"].contains(
            where: text.contains)
        guard isPage else { return text.hasPrefix("<?xml") || text.contains("</") ? .xml : .htmlPage }
        let holdsFile =
            Association.knownServices.contains { text.contains("\($0.lowercased())\"") }
            || Association.knownServices.contains { text.contains("\($0.lowercased())&quot;") }
        return holdsFile && (text.contains("<pre") || !text.contains("<script")) ? .savedPage : .htmlPage
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
