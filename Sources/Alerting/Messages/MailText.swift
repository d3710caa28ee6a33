// The texts of mails in the forms that every server passes on unchanged: ASCII, in short lines.

import Foundation

enum MailText {
    /// `Sat, 21 Nov 2026 07:00:00 +0000`. RFC 5322, section 3.3.
    static func date(_ date: Date) -> String {
        let format = Date.VerbatimFormatStyle(
            format:
                "\(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .padded(4)) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits) +0000",
            locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt, calendar: Calendar(identifier: .gregorian))
        return date.formatted(format)
    }

    /// The value of `Subject`. A short text of printable ASCII stays as it is; any other becomes encoded words, so that
    /// nothing in it can begin another header. RFC 2047.
    static func subject(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !text.contains("=?")
        guard !isPlain || text.utf8.count > 65 else { return text }
        // Of a line's 76 characters the frame takes 12, and the header's name or the blank before another word its own; four
        // of Base64 hold three bytes.
        var words: [String] = []
        var word = ""
        for scalar in text.unicodeScalars {
            if word.utf8.count + String(scalar).utf8.count > (words.isEmpty ? 39 : 45) {
                words.append(word)
                word = ""
            }
            word.unicodeScalars.append(scalar)
        }
        return (words + [word]).map { "=?utf-8?B?\(Data($0.utf8).base64EncodedString())?=" }.joined(separator: "\r\n ")
    }

    /// The end of a mail, from the headers about its content on: a text, and HTML of the same content.
    static func parts(text: String, html: String?, boundary: String) -> String {
        func part(_ type: String, _ content: String) -> String {
            "Content-Type: text/\(type); charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
                + quotedPrintable(content) + "\r\n"
        }
        guard let html else { return part("plain", text) }
        // The last one is what readers prefer.
        return "Content-Type: multipart/alternative; boundary=\"\(boundary)\"\r\n\r\n"
            + "--\(boundary)\r\n\(part("plain", text))--\(boundary)\r\n\(part("html", html))--\(boundary)--\r\n"
    }

    /// In lines of 76 characters at most. RFC 2045, section 6.7.
    static func quotedPrintable(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { encodedLine($0) }.joined(separator: "\r\n")
    }

    private static func encodedLine(_ line: Substring) -> String {
        var result = ""
        var width = 0
        let bytes = Array(line.utf8)
        for (index, byte) in bytes.enumerated() {
            let isPrintable = (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "=")
            let isBlank = (byte == 0x20 || byte == 0x09) && index < bytes.count - 1
            var isPlain = isPrintable || isBlank
            if width + (isPlain ? 1 : 3) > 75 {
                result += "=\r\n"
                width = 0
            }
            // A dot alone ends a mail, and "From " begins one in a mailbox.
            if width == 0, byte == UInt8(ascii: ".") || byte == UInt8(ascii: "F") { isPlain = false }
            result += isPlain ? String(UnicodeScalar(byte)) : String(format: "=%02X", byte)
            width += isPlain ? 1 : 3
        }
        return result
    }
}
