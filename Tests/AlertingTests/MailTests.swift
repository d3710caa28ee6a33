import Curl
import Evidence
import Foundation
import Lab
import LabFaults
import Monitoring
import TestSupport
import TestTraits
import Testing

@testable import Alerting

extension AlertingSuite {
    /// Mails that a real server accepts, and that Python's standard library parses.
    @Suite("Mail", .enabled(if: MailServer.isInstalled, MailServer.absence))
    struct MailTests {
        private static let headers = [
            "Date", "From", "To", "Subject", "Message-ID", "In-Reply-To", "References", "Auto-Submitted",
            "MIME-Version",
            "Content-Type",
        ]

        @Test(
            "a mail arrives over each kind of connection, with the headers that every reader needs",
            arguments: [(nil, false), ("starttls", false), ("starttls", true), ("smtps", true)] as [(String?, Bool)])
        func arrives(tls: String?, isNamed: Bool) async throws {
            let server = try await MailServer(.init(tls: tls))
            // The certificate is for the host name only.
            let channel = try server.channel(
                tls == "smtps" ? "smtps" : "smtp", isNamed: isNamed, to: ["ops@example.net", "b@example.net"])
            let answer = try await server.send(alert(), channel)
            if tls == "starttls", !isNamed {
                // On this machine, too, STARTTLS is used if offered, and then verified.
                #expect(answer.fault?.kind == .certificate, "\(answer)")
                return
            }
            #expect(channel.format.judge(answer, now: noon) == .delivered, "\(answer)")
            #expect(answer.status == 250 && answer.text == "2.0.0 queued as 4F2A")
            let mail = try #require(try server.mails.first)
            #expect(mail.encrypted == (tls != nil))
            #expect(mail.sender == "monitor@example.net" && mail.from == "monitor@example.net")
            #expect(mail.recipients == ["ops@example.net", "b@example.net"] && mail.to == mail.recipients)
            #expect(mail.subject == "example.com: Apple's CDN still serves the old file")
            #expect(mail.date == "2026-11-21T07:00:00+00:00")
            #expect(mail.id == "<abc123@example.net>")
            #expect(mail.automatic == "auto-generated")
            #expect(mail.type == "multipart/alternative")
            #expect(mail.names?.sorted() == Self.headers.sorted())
            #expect(mail.plain?.contains("example.com: Apple's CDN still serves the old file") == true)
            #expect(mail.html?.contains("<b>example.com: Apple's CDN still serves the old file</b>") == true)
        }

        @Test("whatever text an alert contains, the mail is well formed and no text gets into the headers")
        func wellFormed() async throws {
            let server = try await MailServer()
            let channel = try server.channel()
            var sent: [(name: Comment, plain: Bool)] = []
            for kind in MessageKind.allCases {
                for text in ForeignText.allCases {
                    for plain in [false, true] {
                        let answer = try await server.send(try kind.alert(text), channel, plain: plain)
                        #expect(channel.format.judge(answer, now: noon) == .delivered, "\(kind) \(text) \(answer)")
                        sent.append(("\(kind) \(text) \(plain)", plain))
                    }
                }
            }
            let mails = try server.mails
            try #require(mails.count == sent.count)
            for ((name, plain), mail) in zip(sent, mails) {
                #expect(mail.defects == [] && mail.ascii == true && mail.bare == 0, name)
                #expect((mail.longest ?? .max) <= 100, name)
                #expect(Set(mail.names ?? []).subtracting(Self.headers + ["Content-Transfer-Encoding"]) == [], name)
                #expect(mail.names?.count == Set(mail.names ?? []).count, name)
                #expect((mail.subject?.count ?? .max) <= 201, name)
                #expect(mail.subject?.unicodeScalars.contains { $0.value < 0x20 } == false, name)
                #expect((mail.html == nil) == plain, name)
                if let html = mail.html {
                    #expect(!html.contains("<x>") && !html.contains("<b>x</b>"), name)
                    #expect(Self.words(ofHTML: html) == Self.words(ofPlain: mail.plain ?? ""), name)
                }
            }
        }

        /// Without links, which HTML has behind their names, and without bullets.
        private static func words(ofPlain text: String) -> [Substring] {
            text.replacing(/: https?:\/\/\S+/, with: "").replacing("• ", with: "").split(whereSeparator: \.isWhitespace)
        }

        private static func words(ofHTML html: String) -> [Substring] {
            html.replacing(/: https?:\/\/\S+/, with: "").replacing(/<[^>]*>/, with: " ").replacing("&lt;", with: "<")
                .replacing("&gt;", with: ">").replacing("&quot;", with: "\"").replacing("&amp;", with: "&")
                .split(whereSeparator: \.isWhitespace)
        }

        @Test("lines that begin with a dot arrive unchanged")
        func dots() async throws {
            let server = try await MailServer()
            let channel = try server.channel()
            let request = try channel.format.request(
                body: channel.format.body(alert(), plain: true), messageKey: "k", timestamp: noon, userAgent: "t",
                channel: channel)
            let lines = ["first", ".", "..", ".hidden", "", "last", "."]
            let text = lines.joined(separator: "\r\n")
            let answer = try await server.send(
                MessageRequest(
                    way: request.way, url: request.url, headers: [], userAgent: "t",
                    body: Data(
                        "To: a@b.test\r\nDate: \(MailText.date(noon))\r\nMessage-ID: <a@b>\r\n\r\n\(text)\r\n".utf8)))
            #expect(answer.status == 250)
            #expect(try server.mails.first?.plain == text + "\r\n")
        }

        @Test("the mails about an incident form a thread; each has its own id, which a retry keeps")
        func threads() async throws {
            let server = try await MailServer()
            let channel = try server.channel()
            let first = try await server.send(alert(.firing), channel, key: "k1")
            let reference = channel.format.reference(in: first)
            for (reason, key) in [(NotificationReason.reminder, "k2"), (.resolved, "k3"), (.resolved, "k3")] {
                _ = try await server.send(alert(reason), channel, key: key, reference: reference)
            }
            _ = try await server.send(alert(.firing, incident: "b2"), channel, key: "k4")
            let both = try [alert(), alert(incident: "b2", domain: "www.example.com")]
            let digest = try #require(Alert(digestOf: both, key: "k"))
            _ = try await server.send(digest, channel, key: "k5")
            let mails = try server.mails
            #expect(mails.map(\.id) == ["k1", "k2", "k3", "k3", "k4", "k5"].map { "<\($0)@example.net>" })
            #expect(reference == mails[0].id)
            let root = try #require(mails[0].references?.first)
            #expect(mails[0].references == [root] && mails[0].answered == root)
            for mail in mails[1...3] {
                #expect(mail.references == [root, mails[0].id ?? ""] && mail.answered == mails[0].id)
            }
            let other = try #require(mails[4].references?.first)
            #expect(other != root)
            #expect(mails[5].references == [root, other] && mails[5].answered == nil)
        }

        // MARK: - Refusals

        @Test("accepted recipients get the mail, and the response names the others")
        func someRefused() async throws {
            let server = try await MailServer()
            let channel = try server.channel(to: ["unknown@example.net", "ops@example.net", "later@example.net"])
            let answer = try await server.send(alert(), channel)
            #expect(channel.format.judge(answer, now: noon) == .delivered)
            #expect(
                channel.words(of: answer)
                    == "unknown@example.net refused: 550 5.1.1 no such user here; "
                    + "later@example.net refused: 450 4.2.1 mailbox busy")
            #expect(try server.mails.first?.recipients == ["ops@example.net"])
        }

        struct Refusal: Sendable, CustomTestStringConvertible {
            var to = ["ops@example.net"]
            var settings = MailServer.Settings()
            let status: Int
            let outcome: Outcome
            let words: String

            var testDescription: String { words }
        }

        private static let refused = Outcome.permanentChannel(gone: false)

        @Test(
            "permanent and temporary refusals are distinguished, and neither mail may have arrived",
            arguments: [
                Refusal(
                    to: ["unknown@a.test", "unknown2@a.test"], status: 550, outcome: refused,
                    words: "unknown2@a.test refused: 550 5.1.1"),
                Refusal(
                    to: ["unknown@a.test", "later@a.test", "unknown2@a.test"], status: 450, outcome: .transient,
                    words: "later@a.test refused: 450 4.2.1"),
                Refusal(
                    settings: .init(sender_reply: "553 5.7.1 not your address"), status: 553, outcome: refused,
                    words: "MAIL FROM refused: 553 5.7.1 not your address"),
                Refusal(
                    settings: .init(sender_reply: "451 4.3.0 try later"), status: 451, outcome: .transient,
                    words: "MAIL FROM refused: 451 4.3.0 try later"),
                Refusal(
                    settings: .init(message_reply: "554 5.7.1 spam"), status: 554, outcome: .permanentMessage,
                    words: "DATA refused: 554 5.7.1 spam"),
                Refusal(
                    settings: .init(message_reply: "452 4.3.1 disk full"), status: 452, outcome: .transient,
                    words: "DATA refused: 452 4.3.1 disk full"),
            ])
        func refusals(_ row: Refusal) async throws {
            let server = try await MailServer(row.settings)
            let channel = try server.channel(to: row.to)
            let answer = try await server.send(alert(), channel)
            #expect(answer.status == row.status && answer.fault == nil, "\(answer)")
            #expect(channel.format.judge(answer, now: noon) == row.outcome)
            #expect(!answer.mayHaveArrived)
            #expect(answer.text.contains(row.words), "\(answer.text)")
            #expect(try server.mails.isEmpty)
        }

        // MARK: - Login and TLS

        private static let login = ["monitor", "PLANTED-password"]

        @Test("credentials are sent only over TLS; wrong ones are the channel's fault, and no password is shown")
        func logins() async throws {
            let server = try await MailServer(.init(tls: "starttls", login: Self.login))
            let good = try server.channel(isNamed: true, login: Self.login)
            #expect(good.format.judge(try await server.send(alert(), good), now: noon) == .delivered)
            #expect(try server.logins.map(\.encrypted) == [true])
            let bad = try server.channel(isNamed: true, login: ["monitor", "PLANTED-other"])
            let answer = try await server.send(alert(), bad)
            #expect(answer.status == 535 && bad.format.judge(answer, now: noon) == Self.refused, "\(answer)")
            #expect(answer.text.hasPrefix("AUTH refused: 535"))
            let without = try server.channel(isNamed: true)
            let refusal = try await server.send(alert(), without)
            #expect(refusal.status == 530 && without.format.judge(refusal, now: noon) == Self.refused, "\(refusal)")
            #expect(try server.mails.count == 1)
            var shown = "\(good) \(String(reflecting: bad)) \(answer) \(answer.text)"
            dump(good, to: &shown)
            #expect(!shown.contains("PLANTED"))
            let echoed = Data("\u{0}monitor\u{0}PLANTED-password".utf8).base64EncodedString()
            #expect(good.redacted("AUTH PLAIN \(echoed) PLANTED-password") == "AUTH PLAIN [hidden] [hidden]")
        }

        @Test(
            "the monitor sends nothing to another machine without TLS or with a wrong certificate",
            arguments: [
                (nil, LabCertificate.valid), ("starttls", .wrongName), ("starttls", .untrustedRoot),
                ("starttls", .expired), ("smtps", .wrongName),
            ] as [(String?, LabCertificate)])
        func insecure(tls: String?, certificate: LabCertificate) async throws {
            let server = try await MailServer(.init(tls: tls, login: Self.login), certificate: certificate)
            let channel = try server.channel(tls == "smtps" ? "smtps" : "smtp", isNamed: true, login: Self.login)
            let answer = try await server.send(alert(), channel)
            #expect(answer.status == nil && answer.fault?.kind == .certificate, "\(answer)")
            #expect(!answer.mayHaveArrived)
            #expect(try server.logins.isEmpty && server.mails.isEmpty)
        }

        // MARK: - Servers that hang

        @Test(
            "if the server hangs, an attempt ends in time; only a sent mail may have arrived", .waitsForTimeout)
        func hangs() async throws {
            for (place, wasSent) in [("greeting", false), ("message", true)] {
                let server = try await MailServer(.init(hang: place))
                let channel = try server.channel()
                // Enough time for the steps before the server hangs.
                let answer = try await server.send(alert(), channel, within: .seconds(20))
                #expect(channel.format.judge(answer, now: noon) == .transient)
                #expect(answer.status == nil && answer.mayHaveArrived == wasSent, "\(place): \(answer)")
            }
        }

        @Test("a server that never answers QUIT has accepted the message")
        func goodbye() async throws {
            let server = try await MailServer(.init(hang: "quit"))
            let answer = try await server.send(alert(), server.channel())
            #expect(answer.status == 250)
        }

        @Test(
            "a server that delays its response blocks no other message, and cancelling ends the wait"
        )
        func apart() async throws {
            let server = try await MailServer(.init(hang: "message"))
            let driver = try CurlDriver(network: NetworkSettings(caFile: server.caFile))
            let transport = ReceiverTransport(driver: driver)
            let channel = try server.channel()
            var request = try channel.format.request(
                body: channel.format.body(alert(), plain: false), messageKey: "k", timestamp: Date(), userAgent: "t",
                channel: channel)
            request.connectTimeout = .seconds(600)
            request.timeout = .seconds(600)
            let mail = Task { [request] in try await transport.post(request) }
            try await until { try server.holds }
            let receiver = try await LabReceiver.start()
            let answer = try await transport.post(
                MessageRequest(
                    url: receiver.url("/"), headers: [], userAgent: "t", body: Data("{}".utf8),
                    connectTimeout: .seconds(600), timeout: .seconds(600)))
            #expect(answer.status == 200)
            mail.cancel()
            await #expect(throws: CancellationError.self) { try await mail.value }
            await receiver.shutdown()
            await driver.shutdown()
        }

        @Test("without a server nothing was sent")
        func absent() async throws {
            let server = try await MailServer()
            let mail = MailAddresses(sender: "a@b.test", recipients: ["c@d.test"])
            let channel = Channel(name: "mail", kind: .email, url: "smtp://127.0.0.1:1", mail: mail)
            let answer = try await server.send(alert(), channel)
            #expect(channel.format.judge(answer, now: noon) == .transient && !answer.mayHaveArrived)
        }
    }
}
