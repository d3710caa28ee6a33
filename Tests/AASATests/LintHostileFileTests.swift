import AASA
import TestSupport
import Testing

extension AASASuite {
    /// Files that try to use up time, or to manipulate the reader of the findings.
    @Suite("Lint on hostile files")
    struct LintHostileFileTests {
        private func entries(_ count: Int, _ entry: (Int) -> String) -> String {
            "{\"applinks\":{\"details\":[" + (0..<count).map(entry).joined(separator: ",") + "]}}"
        }

        private func lint(_ text: String) -> LintReport { Linter.lint(Array(text.utf8)) }

        @Test("thousands of faults become fifty per rule and a count")
        func capped() throws {
            let report = lint(entries(3_000) { #"{"appIDs":["bad\#($0)"],"paths":["/\#($0)"]}"# })
            let formats = report.findings.filter { $0.rule == "app-id-format" }
            #expect(formats.count == 51)
            #expect(formats.last?.message == "and 2950 more of this rule")
        }

        static let shapes: [(name: String, text: String)] = [
            (
                "apps",
                #"{"applinks":{"details":[{"appIDs":["# + numbered(5_000, "\"D7KQ4ZW2MX.a.") + #"],"paths":["/a"]}]}}"#
            ),
            ("paths", #"{"applinks":{"details":[{"appIDs":["A"],"paths":["# + numbered(8_000, "\"/*/") + "]}]}}"),
            (
                "equal paths",
                #"{"applinks":{"details":[{"appIDs":["A"],"paths":["# + repeated(12_000, "\"/*a*\"") + "]}]}}"
            ),
            ("entries", #"{"applinks":{"details":["# + repeated(3_500, #"{"appIDs":["A"],"paths":["*"]}"#) + "]}}"),
            ("bare entries", #"{"applinks":{"details":["# + repeated(30_000, "{}") + "]}}"),
            (
                "components",
                #"{"applinks":{"details":[{"appIDs":["A"],"components":["# + repeated(30_000, "{}") + "]}]}}"
            ),
            ("duplicates", "{" + repeated(20_000, "\"a\":1") + "}"),
            ("services", "{" + numbered(10_000, "\"s", after: ":{}") + "}"),
            ("depth", String(repeating: "{\"a\":[", count: 120) + String(repeating: "]}", count: 120)),
            ("one line of errors", #"{"webcredentials":{"apps":["# + repeated(25_000, "null") + "]}}"),
            ("one long key", #"{"applinks":{"details":[{""# + String(repeating: "x", count: 120_000) + #"":1}]}}"#),
            (
                "one long pattern",
                #"{"applinks":{"details":[{"appIDs":["A"],"paths":[""# + String(repeating: "/a?", count: 40_000)
                    + #""]}]}}"#
            ),
            (
                "wildcards",
                #"{"applinks":{"details":[{"appIDs":["A"],"paths":["#
                    + (0..<300).map { "\"/" + String(repeating: "*a?b", count: 15) + "\($0)\"" }.joined(separator: ",")
                    + "]}]}}"
            ),
            (
                "many entries with wildcards",
                #"{"applinks":{"details":["#
                    + (0..<60).map { #"{"appIDs":["A\#($0)"],"paths":["/*\#($0)*a?b*","*c*\#($0)?*"]}"# }
                    .joined(separator: ",") + "]}}"
            ),
        ]

        private static func repeated(_ count: Int, _ text: String) -> String {
            Array(repeating: text, count: count).joined(separator: ",")
        }

        private static func numbered(_ count: Int, _ text: String, after: String = "") -> String {
            (0..<count).map { "\(text)\($0)\"\(after)" }.joined(separator: ",")
        }

        @Test("a hostile file of the largest size is linted in time", arguments: shapes.map(\.name))
        func ends(_ name: String) throws {
            let text = try #require(Self.shapes.first { $0.name == name }).text
            #expect(text.utf8.count <= AssociationFile.sizeLimit)
            let report = lint(text)
            #expect(report.findings.count <= 51 * Linter.rules.count)
        }

        @Test("text of the file appears in messages only escaped and shortened")
        func escaped() {
            let steering = "\\u001b[31m\\u202e\\u200b\\u0007" + String(repeating: "x", count: 5000)
            let report = lint(
                """
                {"\(steering)": 1, "webcredentials": {"apps": ["\(steering)", "<\(steering)>"]}, "applinks": {
                "substitutionVariables": {"\(steering)": 1}, "details": [{"\(steering)": 1, "appID": "TEAMID.\(steering)",
                "components": [{"/": "\(steering)", "\(steering)": 1, "?": {"\(steering)": 1}}, {"#": "$(\(steering))"}]}]}}
                """)
            #expect(report.findings.count > 8)
            for finding in report.findings {
                let isPlain = finding.message.unicodeScalars.allSatisfy {
                    $0.value >= 0x20 && $0.value != 0x7F && $0.properties.generalCategory != .format
                }
                #expect(isPlain, "\(finding.rule)")
                #expect(finding.message.unicodeScalars.count < 900, "\(finding.rule)")
            }
        }

        @Test("linting damaged files never crashes, and always gives the same result", arguments: 0..<4)
        func damaged(_ seed: Int) {
            var random = SeededGenerator(seed: UInt64(seed) + 3)
            let seeds = MarkedFile.all.map { $0.unmarked().bytes }.filter { $0.count > 20 && $0.count < 400 }
            let spice = Array("{}[]\",:\\*?/$()#%\u{2013}\u{A0}NOT .0e".utf8)
            for _ in 0..<150 {
                var bytes = seeds.randomElement(using: &random) ?? []
                for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
                    let index = Int.random(in: bytes.indices, using: &random)
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: bytes.remove(at: index)
                    case 1: bytes.insert(contentsOf: bytes[index..<min(index + 7, bytes.count)], at: index)
                    default: bytes[index] = spice.randomElement(using: &random) ?? 0
                    }
                }
                let report = Linter.lint(bytes)
                #expect(report.findings == Linter.lint(bytes).findings)
                for finding in report.findings {
                    #expect(finding.range.lowerBound >= 0 && finding.range.upperBound <= bytes.count)
                    #expect(finding.start <= finding.end)
                }
                #expect((report.file == nil) == (fault(in: bytes) != nil))
            }
        }
    }
}
