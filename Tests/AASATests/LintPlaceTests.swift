// Findings that refer to another position. They name it so that people find it even in a file of one line, and give it
// to programs.

import AASA
import Testing

extension AASASuite {
    @Suite("Lint places")
    struct LintPlaceTests {
        private func findings(_ rule: String, _ text: String) -> [LintFinding] {
            Linter.lint(Array(text.utf8)).findings.filter { $0.rule == rule }
        }

        private func components(_ components: String) -> String {
            #"{"applinks":{"details":[{"appIDs":["D7KQ4ZW2MX.com.acme.shop"],"components":["# + components + "]}]}}"
        }

        private func paths(_ paths: String) -> String {
            #"{"applinks":{"apps":[],"details":[{"appID":"D7KQ4ZW2MX.com.acme.shop","paths":["# + paths + "]}]}}"
        }

        @Test("an unused rule names the positions of the rules that match its URLs")
        func unreachable() throws {
            let one = try #require(findings("rule-unreachable", paths(#""/a/*","/a/b""#)).first)
            #expect(one.message == "never used: the rule at 1:80 already opens every URL this rule could open")
            #expect(one.related.map(\.start) == [SourcePosition(line: 1, column: 80)])
            #expect(one.related.map(\.pointer) == ["/applinks/details/0/paths/0"])
            #expect(one.example == "/a/b")
            let two = try #require(
                findings(
                    "rule-unreachable",
                    paths(#""/a$(upper)/*","/a$(lower)/*","/a$(alpha)/*""#)
                ).first)
            #expect(
                two.message
                    == "never used: the rules at 1:80 and 1:95 already open every URL this rule could open")
            #expect(two.related.count == 2)
            let blocked = try #require(findings("rule-unreachable", paths(#""NOT /a/*","/a/b","*""#)).first)
            #expect(
                blocked.message
                    == "never used: the exclusion at 1:80 already excludes every URL this rule could open")
        }

        @Test("only the first few of many rules are named")
        func many() throws {
            let digits = (0..<6).map { "\"/\($0)\"" }.joined(separator: ",")
            let text =
                #"{"applinks":{"substitutionVariables":{"d":["0","1","2","3","4","5"]},"details":[{"appID":"A","paths":["#
                + digits + #","/$(d)"]}]}}"#
            let finding = try #require(findings("rule-unreachable", text).first)
            #expect(
                finding.message.contains(
                    "the rules at 1:103, 1:108, 1:113, 1:118 and 2 more already open"),
                "\(finding.message)")
            #expect(finding.related.count == 4)
        }

        @Test("a catch-all before other rules is one finding that lists the rules it hides")
        func catchAll() throws {
            let report = findings("exclude-after-include", paths(#""*","NOT /a","/b","NOT /c""#))
            #expect(
                report.map(\.message) == [
                    #""*" already matches every URL, so the 3 rules after it (2 exclusions) are never used: "#
                        + "at 1:84, 1:93, 1:98"
                ])
            #expect(report.first?.related.count == 3)
            #expect(findings("rule-unreachable", paths(#""*","NOT /a","/b","NOT /c""#)).isEmpty)
            let part = findings("rule-unreachable", paths(#""/c","NOT *","/a","/b""#))
            #expect(part.map(\.start.column) == [85])
            #expect(
                part.first?.message
                    == #""NOT *" already matches every URL, so the 2 rules after it are never used: at 1:93, 1:98"#
            )
        }

        @Test(
            "an entry that opens nothing is one finding that names the exclusions responsible",
            arguments: [
                (#""NOT *","/a""#, "the exclusion at 1:80 already excludes every URL"),
                (#""NOT *","/a","/b","NOT /c""#, "the exclusion at 1:80 already excludes every URL"),
                (#""NOT /a","NOT /b","/a","/b""#, "the exclusions at 1:80 and 1:89 already exclude every URL"),
                (#""NOT *","NOT /a""#, "all rules of this entry are exclusions"),
            ])
        func shut(_ list: String, _ cause: String) throws {
            let text = paths(list)
            let finding = try #require(findings("entry-opens-nothing", text).first)
            #expect(finding.message.hasPrefix(cause) && finding.message.hasSuffix("; its apps open no URL"))
            #expect(!finding.fix.contains("defaults"))
            #expect(findings("rule-unreachable", text).isEmpty)
        }

        @Test("of two components with one path, the finding names the one that opens the URLs")
        func component() throws {
            let text = components(#"{"/":"/a/*","?":{"b":"1"}},{"/":"/a/*","caseSensitive":false},{"/":"/a/c"}"#)
            let finding = try #require(findings("rule-unreachable", text).first)
            #expect(
                finding.message.hasPrefix("never used: the rule at 1:105 already opens"), "\(finding.message)")
        }

        @Test("an unused exclusion names the rule that opens its URLs")
        func exclusion() throws {
            let finding = try #require(findings("exclude-after-include", paths(#""*","NOT /a""#)).first)
            #expect(
                finding.message
                    == "never used: the rule at 1:80 already opens every URL this exclusion could exclude, such as /a"
            )
            #expect(finding.related.map(\.pointer) == ["/applinks/details/0/paths/0"])
            #expect(finding.evidence.map(\.name) == ["example", "related_place_1", "related_pointer_1"])
            #expect(finding.evidence.map(\.value) == ["/a", "1:80", "/applinks/details/0/paths/0"])
        }

        @Test("each rule about two positions gives the other one")
        func others() throws {
            let entries =
                #"{"applinks":{"details":[{"appIDs":["D7KQ4ZW2MX.a","D7KQ4ZW2MX.b"],"paths":["/a","/b"]},{"appIDs":["D7KQ4ZW2MX.c","D7KQ4ZW2MX.a"],"paths":["/a"]}]}}"#
            let several = try #require(findings("app-in-several-entries", entries).first)
            #expect(
                several.message.hasPrefix(
                    #"the app "D7KQ4ZW2MX.a" already has an entry at 1:36, with "/a", "/b"; Apple does"#))
            #expect(several.related.map(\.start.column) == [36])
            let shared = try #require(findings("shared-url-space", entries).first)
            #expect(shared.message.contains(#"the rule "/a" (1:76) opens it too"#), "\(shared.message)")
            #expect(shared.related.map(\.pointer) == ["/applinks/details/0/paths/0"])
            #expect(shared.example == "/a")
            let key = try #require(findings("json-duplicate-key", #"{"a":1,"a":2}"#).first)
            #expect(key.message.hasPrefix(#"duplicate key "a", first used at 1:2"#))
            #expect(key.related.map(\.range) == [1..<4])
            let app = try #require(findings("app-id-duplicate", #"{"webcredentials":{"apps":["A","A"]}}"#).first)
            #expect(app.message == #""A" is already listed at 1:28"#)
            #expect(app.related.map(\.pointer) == ["/webcredentials/apps/0"])
        }

        @Test("text from another position is shortened and cleaned")
        func hostile() throws {
            let long = String(repeating: "\\u202e", count: 20) + String(repeating: "x", count: 500)
            let text =
                #"{"applinks":{"details":[{"appIDs":["A"],"paths":["/\#(long)"]},{"appIDs":["A"],"paths":["*"]}]}}"#
            let finding = try #require(findings("app-in-several-entries", text).first)
            #expect(finding.message.contains("x…"))
            #expect(finding.message.unicodeScalars.count < 400)
            #expect(!finding.message.unicodeScalars.contains("\u{202E}"))
            let shadowed = try #require(
                findings("rule-unreachable", paths("\"/\(long)*\",\"/\(long)a\"").replacing("\\u202e", with: "y")).first
            )
            #expect(shadowed.message.unicodeScalars.count < 200)
        }
    }
}
