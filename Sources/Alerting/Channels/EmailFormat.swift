// Mail: plain text and HTML of the same content. What is stored is the content; addresses and the names of the mail and its
// thread come to it when it is sent.

import Evidence
import Foundation
import Monitoring

struct EmailFormat: ChannelFormat {
    /// Of each of the two texts: beyond what all parts at their longest come to, so that both are cut in the same places.
    static let textLimit = 40_000
    static let subjectLimit = 200
    /// Of a digest so many threads are named.
    static let mostThreads = 20

    private struct Content: Codable {
        let date: String
        let subject: String
        let text: String
        /// nil in the plainest form.
        let html: String?
        /// The keys of the incidents that it is about. Each names a thread.
        let threads: [String]
        /// The id of the incident's first mail, where it was one about this incident alone.
        let first: String?
    }

    func body(_ alert: Alert, plain: Bool, reference: String?) throws -> Data {
        let rendered = RenderedAlert(alert, isBrief: plain)
        let subject =
            "[\(alert.isTest ? "TEST" : alert.state)] \(alert.digest == nil ? alert.summary : rendered.summary)"
        let incidents = (alert.digest?.alerts ?? [alert]).prefix(Self.mostThreads).map(\.incident.id)
        return try JSONText.encoded(
            Content(
                date: MailText.date(alert.at),
                subject: PlainMarkup(unit: .utf16).cut(subject, to: Self.subjectLimit)
                    .split(whereSeparator: \.isNewline).joined(separator: " "),
                text: TextLayout(form: PlainMarkup(unit: .utf16), limit: Self.textLimit).text(rendered),
                html: plain ? nil : Self.html(rendered),
                threads: incidents.map { MessageIdentity.key(ofIncident: $0) }, first: reference))
    }

    private static func html(_ alert: RenderedAlert) -> String {
        let layout = TextLayout(form: HTMLMarkup(unit: .visible), limit: textLimit)
        let parts = layout.paragraphs(alert).map { part in
            let title = part.title.map(layout.form.strong)
            guard part.isList else {
                return paragraph(([title].compactMap(\.self) + part.lines).joined(separator: " "))
            }
            let items = part.lines.map { "<li>\($0.hasPrefix("• ") ? String($0.dropFirst(2)) : $0)</li>" }
            return paragraph(title ?? "") + "<ul>\n\(items.joined(separator: "\n"))\n</ul>\n"
        }
        return """
            <!DOCTYPE html>
            <html><head><meta charset="utf-8"></head><body>
            \(paragraph(layout.form.strong(alert.headline)))\(parts.joined())\
            \(paragraph(layout.footer(alert).joined(separator: "<br>\n")))</body></html>

            """
    }

    private static func paragraph(_ text: String) -> String { "<p>\(text)</p>\n" }

    func request(
        body: Data, messageKey: String, timestamp: Date, userAgent: String, channel: Channel
    ) throws -> MessageRequest {
        guard let mail = channel.mail else {
            throw ChannelFault(channel: channel.name, reason: "it needs the addresses of a sender and of a recipient")
        }
        let content = try JSONDecoder().decode(Content.self, from: body)
        // Of the sender's domain, as receivers expect; unique by what stands before it.
        let home = mail.sender.split(separator: "@").last.map(String.init) ?? "localhost"
        let threads = content.threads.map { "<incident.\($0)@\(home)>" }
        let references = threads + [content.first].compactMap(\.self)
        let id = "<\(messageKey)@\(home)>"
        // A digest answers no single mail.
        let answered = content.first ?? (threads.count == 1 ? threads.first : nil)
        let headers = [
            ("Date", content.date), ("From", mail.sender), ("To", mail.recipients.joined(separator: ",\r\n ")),
            ("Subject", MailText.subject(content.subject)), ("Message-ID", id), ("In-Reply-To", answered),
            ("References", references.joined(separator: "\r\n ")),
            // Nobody's automatic reply is wanted. RFC 3834, section 5.
            ("Auto-Submitted", "auto-generated"), ("MIME-Version", "1.0"),
        ].compactMap { name, value in value.map { "\(name): \($0)\r\n" } }
        let parts = MailText.parts(text: content.text, html: content.html, boundary: "=_\(messageKey.prefix(40))")
        return MessageRequest(
            way: .mail(
                MailEnvelope(
                    id: id, sender: mail.sender, recipients: mail.recipients, username: mail.username,
                    password: channel.token, requiresTLS: channel.isRemote)),
            url: channel.baseURL, headers: [], userAgent: userAgent, body: Data((headers.joined() + parts).utf8),
            connectTimeout: .seconds(30), timeout: timeout)
    }

    func judge(_ answer: TransportAnswer, now: Date) -> Outcome {
        guard let status = answer.status else { return classified(answer, now: now) }
        return switch status {
        case 200...299: .delivered
        case 400...499: .transient
        // What it says of the message itself. All else is about the sender, the login or the recipients.
        default:
            answer.header(MailAnswer.refusedCommand) == "DATA" ? .permanentMessage : .permanentChannel(gone: false)
        }
    }

    func reference(in answer: TransportAnswer) -> String? { answer.header("message-id") }

    /// Greetings are held back against senders of spam, and a message is looked through before it is taken.
    var timeout: Duration { .seconds(60) }
}

/// The texts of mails in the forms that every server passes on unchanged: ASCII, in short lines.
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
