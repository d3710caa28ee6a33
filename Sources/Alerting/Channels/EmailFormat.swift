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
        let parts = layout.paragraphs(alert, room: layout.limit).map { part in
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
            .mail(
                MailEnvelope(
                    id: id, sender: mail.sender, recipients: mail.recipients, username: mail.username,
                    password: channel.token, requiresTLS: channel.isRemote)),
            url: channel.url, headers: [], userAgent: userAgent, body: Data((headers.joined() + parts).utf8),
            connectTimeout: .seconds(30), timeout: timeout)
    }

    func judge(_ answer: TransportAnswer, now: Date) -> Outcome {
        guard let status = answer.status else { return Classification.outcome(of: answer, now: now) }
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
