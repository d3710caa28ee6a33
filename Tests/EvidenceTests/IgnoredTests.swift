// Ignored findings: they are shown, but change nothing.

import AASA
import Evidence
import Foundation
import TestSupport
import Testing

extension EvidenceSuite {
    @Suite("Ignored findings")
    struct IgnoredTests {
        private func verdict(_ origin: Reply, ignoring rules: [IgnoredRule], now: Date = .testing) throws -> Verdict {
            Verdict(
                of: Readings(try Observation.of(at: now, origin: origin, cdn: origin)), history: .none,
                checks: CheckSettings(certificateWarning: .seconds(86_400), ignore: rules), now: now)
        }

        private static let page = Reply.file("<html>").with {
            $0.headers = ["Content-Type": "text/html", "Apple-From": "https://example.com/x"]
        }

        @Test("an ignored finding does not count and keeps its reason; effect and cause stay")
        func ignored() throws {
            let plain = try verdict(Self.page, ignoring: [])
            #expect(plain.level == .failing && plain.ignored.isEmpty)
            let day = try #require(CalendarDay("2027-01-01"))
            let rules = Set(plain.findings.map(\.rule)).map { IgnoredRule($0, reason: "meant so", until: day) }
            let verdict = try verdict(Self.page, ignoring: rules)
            #expect(verdict.findings.isEmpty && verdict.level == .ok)
            #expect(verdict.ignored.map(\.finding) == plain.findings)
            #expect(verdict.ignored.allSatisfy { $0.reason == "meant so" && $0.until == day })
            #expect(verdict.comparison == plain.comparison && verdict.diagnosis == plain.diagnosis)
            #expect(verdict.text == plain.text)
        }

        @Test("an ignored late answer explains nothing: the file came", arguments: [2500.0, 6000])
        func late(_ firstByte: Double) throws {
            let late = Reply.file(SampleFile.version(1)).with { $0.firstByte = firstByte }
            let plain = try verdict(late, ignoring: [])
            let rule = IgnoredRule(Rule(rawValue: "origin.slow"), reason: "far away")
            #expect(plain.diagnosis.cause.rule == rule.rule)
            let verdict = try verdict(late, ignoring: [rule])
            #expect(verdict.level == .ok && verdict.ignored.map(\.finding.rule) == [rule.rule])
            #expect(verdict.diagnosis == (try self.verdict(late.with { $0.firstByte = 100 }, ignoring: []).diagnosis))
            var later = plain.ignoring([rule], at: .testing).diagnosis
            #expect(later.outlook == nil)
            later.outlook = verdict.diagnosis.outlook
            #expect(later == verdict.diagnosis)
        }

        @Test("only the findings of the named rule are ignored")
        func others() throws {
            let plain = try verdict(Self.page, ignoring: [])
            let rules = Set(plain.findings.map(\.rule))
            #expect(rules.count > 1)
            let one = try #require(plain.findings.last?.rule)
            let verdict = try verdict(Self.page, ignoring: [IgnoredRule(one, reason: "x")])
            #expect(Set(verdict.findings.map(\.rule)) == rules.subtracting([one]))
            #expect(verdict.level == .failing)
        }

        @Test("the date is the last day of ignoring, in UTC")
        func until() throws {
            let day = try #require(CalendarDay("2026-11-21"))
            let rules = [IgnoredRule(Rule(rawValue: "origin.content-type"), reason: "x", until: day)]
            let last = try Date("2026-11-21T23:59:59Z", strategy: .iso8601)
            #expect(try verdict(Self.page, ignoring: rules, now: last).ignored.count == 1)
            #expect(try verdict(Self.page, ignoring: rules, now: last + 1).ignored.isEmpty)
        }

        @Test("a changed list gives what a new check would", arguments: [[], ["origin.content-type"]])
        func again(_ names: [String]) throws {
            let rules = names.map { IgnoredRule(Rule(rawValue: $0), reason: "x") }
            let other = IgnoredRule(Rule(rawValue: "aasa.json-syntax"), reason: "y")
            let before = try verdict(Self.page, ignoring: [other])
            let (again, anew) = (before.ignoring(rules, at: .testing), try verdict(Self.page, ignoring: rules))
            #expect(Set(again.told) == Set(anew.told) && again.level == anew.level)
            #expect(again.ignored == anew.ignored)
            #expect(again.ignoring(rules, at: .testing) == again)
        }

        @Test("a verdict without ignored findings is stored in the old format")
        func stored() throws {
            let plain = try verdict(Self.page, ignoring: [])
            let bytes = try JSONEncoder().encode(plain)
            #expect(!String(decoding: bytes, as: UTF8.self).contains("ignored"))
            #expect(try JSONDecoder().decode(Verdict.self, from: bytes) == plain)
            let some = try verdict(Self.page, ignoring: [IgnoredRule(plain.findings[0].rule, reason: "x")])
            #expect(try JSONDecoder().decode(Verdict.self, from: JSONEncoder().encode(some)) == some)
        }

        @Test("many ignored findings about the file do not hide those that count")
        func manyOfTheFile() throws {
            let paths = (0..<40).map { _ in #""/b\\u00fccher""# }.joined(separator: ",")
            let text =
                #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"paths":[\#(paths),"NOT/help"]}]}}"#
            let plain = try verdict(.file(text), ignoring: [])
            let frequent = try #require(
                Dictionary(grouping: plain.findings, by: \.rule).max { $0.value.count < $1.value.count })
            #expect(plain.findings.contains { $0.rule.rawValue == "aasa.more" } && frequent.value.count > 5)
            let verdict = try verdict(.file(text), ignoring: [IgnoredRule(frequent.key, reason: "x")])
            // On an example domain, an invented app is not worth a finding.
            let others = Linter.lint(Array(text.utf8)).findings.map { "aasa.\($0.rule)" }
                .filter { $0 != frequent.key.rawValue && $0 != "aasa.app-id-example" }
            #expect(!others.isEmpty && others.count < 15)
            #expect(
                verdict.findings.map(\.rule.rawValue).filter { $0.hasPrefix("aasa.") }.sorted() == others.sorted())
        }

        @Test(
            "a date has one form", arguments: ["2027-1-1", "2027-02-29", "01-01-2027", "2027-01-01T00:00", ""])
        func days(_ text: String) { #expect(CalendarDay(text) == nil) }

        @Test("the rules that can be ignored are the documented ones")
        func documented() throws {
            let folder = URL(filePath: #filePath).appending(path: "../../../docs/reference").standardized
            let page = try String(contentsOf: folder.appending(path: "rules.md"), encoding: .utf8)
            let named = page.matches(of: /(?m)^\| `([a-z]+\.[a-z0-9-]+)` \|/).map { Rule(rawValue: String($0.1)) }
            let isOfDomain: (Rule) -> Bool = { !$0.rawValue.hasPrefix("monitor.") && $0.rawValue != "cdn.wide" }
            #expect(Set(named.filter(isOfDomain)).isSubset(of: Rule.ofDomains))
            #expect(Rule.ofDomains.filter { !$0.rawValue.hasPrefix("aasa.") }.isSubset(of: named))
            #expect(Rule.ofDomains.contains(Rule(rawValue: "aasa.whole-site")))
        }
    }
}
