// Text that belongs elsewhere or was never filled in: Android's file, hosts in paths, a guide's placeholders.

import AASA
import Testing

extension AASASuite {
    @Suite("Lint of text from elsewhere")
    struct LintForeignFileTests {
        private func findings(_ text: String) -> [LintFinding] { Linter.lint(Array(text.utf8)).findings }

        private func findings(ofPath path: String) -> [LintFinding] {
            findings(
                #"{"applinks":{"details":[{"appIDs":["D7KQ4ZW2MX.com.acme.shop"],"components":[{"/":"\#(path)"},{"/":"/buy"}]}]}}"#
            )
        }

        @Test(
            "assetlinks.json is recognised, whether it is valid JSON or not",
            arguments: [
                #"[{"relation": ["delegate_permission/common.handle_all_urls"], "target": {"namespace": "android_app"}}]"#,
                #"[{"relation": ["delegate_permission/common.handle_all_urls"],}]"#,
                #"{"target": {"namespace": "android_app", "sha256_cert_fingerprints": ["14:6D"]}}"#,
                "\n [{'relation': [\"delegate_permission/common.get_login_creds\"]",
            ])
        func assetLinks(_ text: String) throws {
            let findings = findings(text)
            #expect(findings.map(\.rule) == ["other-file"])
            #expect(findings.first?.message.hasPrefix("this is assetlinks.json") == true)
        }

        @Test(
            "services inside the wrapper of a function or an API are found",
            arguments: [
                (
                    #"{"statusCode": 200, "body": "{\"applinks\": {}}"}"#,
                    "serve only the value of \"body\", as JSON and not as a string"
                ),
                (#"{"data": {"webcredentials": {"apps": []}}}"#, "serve only the value of \"data\""),
            ])
        func wrapped(_ text: String, _ fix: String) throws {
            let finding = try #require(findings(text).first { $0.rule == "no-service" })
            #expect(finding.fix == fix)
        }

        @Test("a file with a service is the association file, whatever else it contains")
        func beside() {
            let text =
                #"{"webcredentials": {"apps": ["D7KQ4ZW2MX.com.acme.shop"]}, "target": {"namespace": "android_app"}}"#
            #expect(!findings(text).contains { $0.rule == "other-file" })
            #expect(findings(String(text.dropLast())).map(\.rule) == ["json-syntax"])
        }

        @Test(
            "a host in a path is reported, even after a slash, with the path to write",
            arguments: [
                ("/links.acme.com/*", "/*"), ("/acme.com/buy/*", "/buy/*"), ("//acme.com/buy", "/buy"),
                ("/www.acme.museum", "/"), ("/links.acme.co.uk", "/"), ("/*.acme.com/*", "/*"), ("acme.shop/a", "/a"),
                ("https://acme.com/buy/*", "/buy/*"), ("/https://acme.com/a", "/a"),
            ])
        func host(_ path: String, _ wanted: String) throws {
            let finding = try #require(findings(ofPath: path).first { $0.rule == "host-in-path" })
            #expect(finding.fix == "write \"\(wanted)\"; each domain has its own file")
        }

        @Test(
            "a path that only looks like a host is accepted",
            arguments: [
                "/com.acme.shop/callback", "/io.acme/callback", "/v1.2/buy", "/sitemap.xml", "/jquery.min.js/",
                "/acme.com", "/buy/acme.com/*", "/.well-known/x", "/a..com/", "/@acme.com/", "/readme.md/x",
                "/com.acme.io/callback", "/about.us/team", "/check.in/now",
            ])
        func path(_ path: String) { #expect(!findings(ofPath: path).contains { $0.rule == "host-in-path" }) }

        @Test(
            "two slashes with only wildcards match the whole site except the home page",
            arguments: [("/*/", true), ("/*/*", true), ("*/*/", true), ("/*/*/*", false), ("/*/a/", false)])
        func wholeSite(_ path: String, _ isWhole: Bool) {
            let finding = findings(ofPath: path).first { $0.rule == "whole-site" }
            #expect((finding != nil) == isWhole)
            if let finding { #expect(finding.message.contains("except the home page: \"*\" also matches slashes")) }
        }

        @Test(
            "placeholder text of a guide is recognised in any script, with or without spaces",
            arguments: [
                "你的第一个APPTeamID.你的Bundle ID", "チームID.バンドルID", "команда.com.acme.shop", "équipe.com.acme.shop",
                "팀.com.acme.shop", "D7KQ4ZW2MX.你的应用", "Your Team ID.com.acme.shop", "D7KQ4ZW2MX.Bundle ID",
            ])
        func placeholder(_ id: String) {
            #expect(findings(#"{"webcredentials":{"apps":["\#(id)"]}}"#).map(\.rule) == ["app-id-placeholder"])
        }

        @Test(
            "a typing error is not a placeholder",
            arguments: [
                ("D7KQ4ZW2MX.com.acme.shop ", "app-id-blank"), ("D7KQ4ZW2M\u{425}.com.acme.shop", "app-id-format"),
                ("D7KQ4ZW2MX.com.acm\u{435}.shop", "app-id-format"), ("D7KQ4ZW2MX.com.caf\u{e9}", "app-id-format"),
            ])
        func typingError(_ id: String, _ rule: String) {
            #expect(findings(#"{"webcredentials":{"apps":["\#(id)"]}}"#).map(\.rule) == [rule])
        }
    }
}
