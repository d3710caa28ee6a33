import Evidence
import Foundation
import Monitoring
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("Text from outside")
    struct InertTests {
        private func texts(_ service: Service, _ value: String) throws -> [String] {
            let change = AssociationChange(kind: .added, summary: value, pointer: "/a")
            var alert = try alert(changes: [change], findings: [finding(fix: value)], diagnosis: value)
            alert.labels = ["note": value]
            alert.acknowledgement = Acknowledgement(by: value, reason: value, at: noon)
            let channel = try service.channel()
            var texts = try service.texts(channel.format.body(alert, plain: false))
            // Telegram's plainest form is sent without markup.
            if service != .telegram { texts += try service.texts(channel.format.body(alert, plain: true)) }
            return texts
        }

        @Test(
            "text from outside mentions nobody", arguments: Service.allCases,
            ["@everyone", "@here", "@channel", "@all", "@someone", "@e\u{301}veryone", "＠here"])
        func mentions(service: Service, value: String) throws {
            for text in try texts(service, "see \(value) now") {
                #expect(!text.contains(value), "\(text)")
            }
        }

        @Test(
            "a service's tags and entities stay text",
            arguments: [
                (Service.slack, "<!channel>"), (.slackBot, "<@U123>"), (.slack, "<https://evil.test|x>"),
                (.telegram, "<b>bold</b>"), (.telegram, "<a href=\"tg://user?id=1\">x</a>"), (.telegram, "a & b &lt;"),
                (.googleChat, "<a href=\"https://evil.test\">x</a>"), (.googleChat, "<users/all>"),
                (.googleChat, "<\u{301}b>x"), (.chatwork, "[To:123]"), (.chatwork, "[toall]"),
                (.chatwork, "[/info][info]x"), (.chatwork, "[/code]"), (.chatwork, "[\u{301}To:1]"),
                (.opsgenie, "<a href=\"https://evil.test\">x</a>"), (.opsgenie, "<\u{301}b>x"),
            ])
        func tags(service: Service, value: String) throws {
            for text in try texts(service, value) {
                // One tag of this name is ours.
                let foreign = text.replacing("[/code]", with: "", maxReplacements: 1)
                #expect(!foreign.contains(value), "\(text)")
            }
        }

        @Test(
            "Markdown from outside stays text", arguments: [Service.discord, .mattermost],
            [
                "**bold**", "[x](https://evil.test)", "# title", "`code`", "~~x~~", "||x||", "> quote", "<@123>",
                "<:a:1>", "*\u{301}x*", "![](https://evil.test/p.png)",
            ])
        func markdown(service: Service, value: String) throws {
            for text in try texts(service, value) {
                // Outside code each mark has a backslash. Inside code only the closing mark appears.
                let outside = text.split(separator: "\n").filter { !$0.contains("• `") }.joined(separator: "\n")
                    .replacing("**example.com: Apple's CDN still serves the old file**", with: "")
                    .replacing(
                        /\*\*(Acknowledged|Why|Do|Until|Labels|To acknowledge|What the CDN does not have yet):\*\*/,
                        with: ""
                    )
                    .replacing(/\[(file at the origin|Apple's copy)\]\([^)]*\)/, with: "")
                var previous: Unicode.Scalar = " "
                for scalar in outside.unicodeScalars {
                    if "*`[]<#~|>!".unicodeScalars.contains(scalar) { #expect(previous == "\\", "\(outside)") }
                    previous = scalar
                }
                for line in text.split(separator: "\n") where line.contains("• `") {
                    #expect(line.filter { $0 == "`" }.count == 2)
                }
            }
        }

        @Test("an address that could break out of a link is shown as text", arguments: Service.allCases)
        func links(service: Service) throws {
            var alert = try alert()
            alert.links.cdn = "https://cdn.test/\"><b>*x*](javascript:alert(1))|y"
            let channel = try service.channel()
            for text in try service.texts(channel.format.body(alert, plain: false)) where service != .alertmanager {
                #expect(!text.contains("href=\"https://cdn.test"))
                #expect(!text.contains("](https://cdn.test") && !text.contains("<https://cdn.test"))
                #expect(!text.hasPrefix("https://cdn.test"))
            }
        }

        @Test("control and direction characters are removed", arguments: Service.allCases)
        func controls(service: Service) throws {
            for text in try texts(service, "a\u{202E}b\u{7}c\u{1B}[31m") {
                #expect(!text.unicodeScalars.contains { ["\u{202E}", "\u{7}", "\u{1B}"].contains($0) })
            }
        }
    }
}
