// Mail: plain text and HTML with the same content. The store has the content only. Addresses, `Message-ID` and thread
// headers are added for sending.

import Evidence
import Foundation
import Monitoring

struct EmailFormat: ChannelFormat {
    /// For each text. Above the sum of all paragraph limits, so that both texts are cut at the same places.
    static let textLimit = 40_000
    static let subjectLimit = 200
    /// The maximum number of threads that a digest refers to.
    static let mostThreads = 20

    private struct Content: Codable {
        let date: String
        let subject: String
        let text: String
        /// nil in the plain form.
        let html: String?
        /// The keys of the incidents. Each one identifies a thread.
        let threads: [String]
        /// The id of the incident's first mail, if that mail is about this incident alone.
        let first: String?
    }

    func body(_ alert: Alert, plain: Bool, reference: String?) throws -> Data {
        let rendered = RenderedAlert(alert, isBrief: plain)
        let incidents = (alert.digest?.alerts ?? [alert]).prefix(Self.mostThreads).map(\.incident.id)
        return try JSONText.encoded(
            Content(
                date: MailText.date(alert.at),
                subject: PlainMarkup(unit: .utf16).cut(rendered.headline, to: Self.subjectLimit),
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
            throw ChannelFault(channel: channel.name, reason: "it needs a sender and a recipient")
        }
        let content = try JSONDecoder().decode(Content.self, from: body)
        // The sender's domain, as receivers expect. The local part makes the id unique.
        let home = mail.sender.split(separator: "@").last.map(String.init) ?? "localhost"
        let threads = content.threads.map { "<incident.\($0)@\(home)>" }
        let references = threads + [content.first].compactMap(\.self)
        let id = "<\(messageKey)@\(home)>"
        // A digest is not a reply to one mail.
        let answered = content.first ?? (threads.count == 1 ? threads.first : nil)
        let headers = [
            ("Date", content.date), ("From", mail.sender), ("To", mail.recipients.joined(separator: ",\r\n ")),
            ("Subject", MailText.subject(content.subject)), ("Message-ID", id), ("In-Reply-To", answered),
            ("References", references.joined(separator: "\r\n ")),
            // Suppresses automatic replies. RFC 3834, section 5.
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
        // A refusal after DATA concerns the message. Any other concerns the sender, the login or the recipients.
        default:
            answer.header(MailAnswer.refusedCommand) == "DATA" ? .permanentMessage : .permanentChannel(gone: false)
        }
    }

    func reference(in answer: TransportAnswer) -> String? { answer.header("message-id") }

    /// Servers delay the greeting to deter spam, and scan a message before they accept it.
    var timeout: Duration { .seconds(60) }
}

/// Text in forms that every mail server passes unchanged: ASCII in short lines.
enum MailText {
    /// `Sat, 21 Nov 2026 07:00:00 +0000`. RFC 5322, section 3.3.
    static func date(_ date: Date) -> String {
        let format = Date.VerbatimFormatStyle(
            format:
                "\(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .padded(4)) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits) +0000",
            locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt, calendar: Calendar(identifier: .gregorian))
        return date.formatted(format)
    }

    /// The value of `Subject`. Short printable ASCII stays unchanged. Other text becomes encoded words, so that it
    /// cannot start another header. RFC 2047.
    static func subject(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !text.contains("=?")
        guard !isPlain || text.utf8.count > 65 else { return text }
        // A line has 76 characters: 12 for the frame of an encoded word, some for the header's name or a space. Four
        // characters of Base64 encode three bytes.
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

    /// The content headers and the content of a mail: text, or text and HTML.
    static func parts(text: String, html: String?, boundary: String) -> String {
        func part(_ type: String, _ content: String) -> String {
            "Content-Type: text/\(type); charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
                + quotedPrintable(content) + "\r\n"
        }
        guard let html else { return part("plain", text) }
        // Readers prefer the last part.
        return "Content-Type: multipart/alternative; boundary=\"\(boundary)\"\r\n\r\n"
            + "--\(boundary)\r\n\(part("plain", text))--\(boundary)\r\n\(part("html", html))--\(boundary)--\r\n"
    }

    /// Lines of at most 76 characters. RFC 2045, section 6.7.
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
            // A line with a single dot ends a mail, and "From " starts one in a mailbox file.
            if width == 0, byte == UInt8(ascii: ".") || byte == UInt8(ascii: "F") { isPlain = false }
            result += isPlain ? String(UnicodeScalar(byte)) : String(format: "=%02X", byte)
            width += isPlain ? 1 : 3
        }
        return result
    }
}
