import Foundation
import Monitoring
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("Mail text")
    struct MailTextTests {
        @Test(
            "quoted-printable lines are short ASCII, never begin with a dot or From, and never end with a space",
            arguments: [
                ("a=b", "a=3Db"), (".", "=2E"), ("..x", "=2E.x"), ("From here", "=46rom here"),
                ("a \nb\t", "a=20\r\nb=09"),
                ("é", "=C3=A9"), ("a\n\nb", "a\r\n\r\nb"), ("", ""),
                (String(repeating: "x", count: 80), String(repeating: "x", count: 75) + "=\r\nxxxxx"),
                (String(repeating: "x", count: 75) + ".y", String(repeating: "x", count: 75) + "=\r\n=2Ey"),
                (String(repeating: "x", count: 74) + "é", String(repeating: "x", count: 74) + "=\r\n=C3=A9"),
            ])
        func quotedPrintable(text: String, encoded: String) {
            #expect(MailText.quotedPrintable(text) == encoded)
        }

        @Test(
            "a subject is plain ASCII, or encoded words of whole characters in lines of at most 76 characters",
            arguments: [
                "example.com: ok", "漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字", "a\r\nBcc: x@y.test", "=?utf-8?Q?x?=",
                String(repeating: "long ", count: 40), "",
            ])
        func subject(text: String) throws {
            let value = MailText.subject(text)
            #expect(
                !value.replacing("\r\n ", with: "").contains { $0.isNewline } && value.utf8.allSatisfy { $0 < 0x7F })
            var decoded = ""
            for (index, line) in value.components(separatedBy: "\r\n ").enumerated() {
                #expect((index == 0 ? "Subject: " : " ").count + line.utf8.count <= 76)
                guard line.hasPrefix("=?utf-8?B?") else {
                    decoded += line
                    continue
                }
                let word = try #require(Data(base64Encoded: String(line.dropFirst(10).dropLast(2))))
                decoded += try #require(String(data: word, encoding: .utf8))
            }
            #expect(decoded == text)
            #expect((value == text) == (text == "example.com: ok" || text.isEmpty))
        }

        @Test("dates are Gregorian and English, whatever this machine's language")
        func date() {
            #expect(MailText.date(noon) == "Sat, 21 Nov 2026 07:00:00 +0000")
            #expect(MailText.date(Date(timeIntervalSince1970: 1_798_761_599)) == "Thu, 31 Dec 2026 23:59:59 +0000")
        }

        @Test("mail to another machine is distinguished from mail to this one")
        func channels() {
            let mail = MailAddresses(sender: "a@b.test", recipients: ["c@d.test"])
            for (url, isRemote) in [
                ("smtp://mail.test", true), ("smtp://127.0.0.1:25", false), ("smtp://localhost", false),
                ("smtp://[::1]:25", false), ("smtps://10.0.0.1", true),
            ] {
                #expect(Channel(name: "m", kind: .email, url: url, mail: mail).isRemote == isRemote)
            }
        }
    }
}
