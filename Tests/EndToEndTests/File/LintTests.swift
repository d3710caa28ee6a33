import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct LintTests {
        @Test("a file without findings passes")
        func clean() async throws {
            try await Stage.withoutLab { stage in
                try stage.write("a", Sample.clean)
                let process = try await stage.run(["lint", "--strict", "a"])
                #expect(process.end == .exit(0))
                #expect(process.output == "a: valid, no findings\n")
                #expect(process.errors == "")
            }
        }

        @Test(
            "an error fails; a warning fails only with --strict",
            arguments: [(Sample.broken, 1, 1), (Sample.unreachable, 0, 1), (Sample.clean, 0, 0), ("", 1, 1)])
        func exitCodes(_ text: String, _ lenient: Int32, _ strict: Int32) async throws {
            try await Stage.withoutLab { stage in
                for format in ["text", "json", "github", "sarif"] {
                    let process = try await stage.run(["lint", "--format", format, "-"], input: text)
                    #expect(process.end == .exit(lenient), "\(format)")
                    let other = try await stage.run(["lint", "--strict", "--format", format, "-"], input: text)
                    #expect(other.end == .exit(strict), "\(format)")
                }
            }
        }

        @Test("--explain accepts a rule's full and short name, but not a misspelt one")
        func explain() async throws {
            try await Stage.withoutLab { stage in
                for name in ["rule-unreachable", "aasa.rule-unreachable"] {
                    let process = try await stage.run(["lint", "--explain", name])
                    #expect(process.end == .exit(0) && process.output.hasPrefix("rule-unreachable (warning): "))
                    for part in ["\nflagged:\n    {", "\naccepted:\n    {", "\nfix: ", "\nsee: https://"] {
                        #expect(process.output.contains(part), "\(process.output)")
                    }
                }
                let kind = try await stage.run(["lint", "--explain", "file.broken"])
                #expect(
                    kind.end == .exit(0) && kind.output.hasPrefix("file.broken: a kind of alert\n\nthe file has an"))
                let misspelt = try await stage.run(["lint", "--explain", "rule-unreachabel"])
                #expect(misspelt.end == .exit(64) && misspelt.errors.contains("did you mean 'rule-unreachable'?"))
                #expect(try await stage.run(["lint", "--explain", "rule-unreachable", "a"]).end == .exit(64))
                #expect(try await stage.run(["lint"]).end == .exit(64))
            }
        }

        @Test("text looks like a compiler's message, with the line and a mark under the place")
        func text() async throws {
            try await Stage.withoutLab { stage in
                try stage.write("app.json", Sample.unreachable)
                let process = try await stage.run(["lint", "app.json"])
                let lines = process.output.split(separator: "\n").map(String.init)
                try #require(lines.count == 5, "\(process.output)")
                #expect(
                    try /app\.json:7:9: warning: .+ \[rule-unreachable\]/.wholeMatch(in: lines[0]) != nil, "\(lines)")
                #expect(lines[1] == #"            {"/": "/buy/*", "?": {"coupon": "a"}},"#)
                #expect(lines[2].hasPrefix(String(repeating: " ", count: 12) + "^"))
                #expect(lines[3].hasPrefix("    fix: "))
                #expect(lines[4] == "app.json: valid, 1 warning")
                #expect(!process.output.contains("\u{1B}"))
            }
        }

        @Test("a finding in JSON has the documented keys")
        func json() async throws {
            try await Stage.withoutLab { stage in
                let process = try await stage.run(["lint", "--format", "json", "-"], input: Sample.unreachable)
                let results = try process.json()
                #expect(results.elements.count == 1)
                #expect(results[0].keys == ["source", "valid", "findings"])
                let finding = results[0].finding("aasa.rule-unreachable")
                let keys = ["rule", "severity", "message", "evidence", "fix", "reference", "line", "column", "pointer"]
                #expect(finding.keys.isSuperset(of: keys))
                #expect(finding["severity"] == .string("warning"))
                #expect(finding["line"] == .number(7))
                #expect(finding["column"] == .number(9))
                #expect(finding["pointer"] == .string("/applinks/details/0/components/1"))
                #expect(finding["reference"].string?.hasPrefix("https://") == true)
                #expect(finding["fix"].string?.isEmpty == false)
                #expect(
                    finding["evidence"]
                        == .object([
                            "example": .string("/buy?coupon=a"), "related_place_1": .string("6:9"),
                            "related_pointer_1": .string("/applinks/details/0/components/0"),
                        ]))
            }
        }

        @Test("in a one-line file the other rule is named by its column")
        func minified() async throws {
            try await Stage.withoutLab { stage in
                let text = Sample.unreachable.replacing(/\n */, with: "")
                let process = try await stage.run(["lint", "-"], input: text)
                #expect(process.end == .exit(0))
                let range = try #require(text.firstRange(of: #"{"/": "/buy/*""#))
                let column = text.distance(from: text.startIndex, to: range.lowerBound) + 1
                #expect(
                    process.output.contains("the rule at 1:\(column) already opens every URL"), "\(process.output)")
            }
        }

        @Test("a finding shows its line with every kind of line ending", arguments: ["\n", "\r\n", "\r"])
        func lineEnds(_ end: String) async throws {
            try await Stage.withoutLab { stage in
                try stage.write("a", Sample.unreachable.replacing("\n", with: end))
                let process = try await stage.run(["lint", "a"])
                let lines = process.output.split(separator: "\n").map(String.init)
                try #require(lines.count == 5, "\(process.output)")
                #expect(lines[0].hasPrefix("a:7:9: warning: "))
                #expect(lines[1] == #"            {"/": "/buy/*", "?": {"coupon": "a"}},"#)
                #expect(lines[2] == String(repeating: " ", count: 12) + "^")
            }
        }

        @Test("of a long line only the part around the mark is shown")
        func longLine() async throws {
            try await Stage.withoutLab { stage in
                let padding = String(repeating: "é😀", count: 300)
                let text = #"{"x": "\#(padding)", "webcredentials": {"apps": ["é", "com.acme"]}, "y": "\#(padding)"}"#
                let process = try await stage.run(["lint", "-"], input: text)
                let lines = process.output.split(separator: "\n").map(String.init)
                let index = try #require(
                    lines.firstIndex { $0.contains(#"com.acme" is not a valid app ID"#) }, "\(lines)")
                try #require(lines.count > index + 2)
                let (shown, mark) = (lines[index + 1], lines[index + 2])
                #expect(shown.unicodeScalars.count == 94)
                let start = try #require(mark.firstIndex(of: "^"))
                let place = shown.dropFirst(mark.distance(from: mark.startIndex, to: start))
                #expect(place.hasPrefix(#""com.acme"]"#) && mark.hasSuffix("^~~~~~~~~~"), "\(shown)\n\(mark)")
            }
        }

        @Test("a syntax error is located at the wrong character")
        func syntax() async throws {
            try await Stage.withoutLab { stage in
                let process = try await stage.run(["lint", "--format", "json", "-"], input: Sample.broken)
                let finding = try process.json()[0].finding("aasa.json-syntax")
                #expect(finding["severity"] == .string("error"))
                #expect(finding["line"] == .number(3))
                #expect(finding["column"] == .number(18))
            }
        }

        @Test("each finding is one GitHub command, and a file name cannot inject another")
        func github() async throws {
            try await Stage.withoutLab { stage in
                let name = "a,b:c%d\n::error::x\u{1B}[31m"
                try stage.write(name, Sample.broken)
                try stage.write("b", Sample.unreachable)
                let process = try await stage.run(["lint", "--format", "github", name, "b"])
                #expect(process.end == .exit(1))
                expectHarmless(process)
                let lines = process.output.split(separator: "\n")
                try #require(lines.count == 2, "\(process.output)")
                #expect(
                    lines[0].hasPrefix("::error file=a%2Cb%3Ac%25d%0A%3A%3Aerror%3A%3Ax\u{FFFD}[31m,line=3,col=18,"),
                    "\(lines[0])")
                #expect(lines[0].contains(",title=aasa.json-syntax::"))
                #expect(lines[1].hasPrefix("::warning file=b,line=7,col=9,"))
            }
        }

        @Test("SARIF describes each result's rule and location")
        func sarif() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(Sample.broken)
                try stage.write("my file:1.aasa", Sample.unreachable)
                let process = try await stage.command("lint", ["--format", "sarif", "my file:1.aasa", "site.test"])
                #expect(process.end == .exit(1))
                let log = try process.json()
                #expect(log["version"] == .string("2.1.0"))
                #expect(log["runs"].elements.count == 1)
                let run = log["runs"][0]
                let driver = run["tool"]["driver"]
                #expect(driver["name"] == .string("aasa-monitor"))
                let rules = driver["rules"].elements
                #expect(Set(rules.map { $0["id"].string }).count == rules.count)
                for rule in rules {
                    #expect(rule["shortDescription"]["text"].string?.isEmpty == false)
                    #expect(["error", "warning", "note"].contains(rule["defaultConfiguration"]["level"].string))
                    #expect(rule["helpUri"].string?.hasPrefix("https://") == true)
                }
                let results = run["results"].elements
                #expect(results.map { $0["ruleId"].string } == ["aasa.rule-unreachable", "aasa.json-syntax"])
                #expect(results.map { $0["level"].string } == ["warning", "error"])
                for result in results {
                    let index = result["ruleIndex"].int ?? -1
                    #expect(driver["rules"][index]["id"] == result["ruleId"])
                    #expect(result["message"]["text"].string?.isEmpty == false)
                }
                let places = results.map { $0["locations"][0]["physicalLocation"] }
                let uris = places.map { $0["artifactLocation"]["uri"].string ?? "" }
                #expect(uris == ["my%20file%3A1.aasa", "https://site.test\(LabOrigin.wellKnownPath)"])
                #expect(places.map { $0["region"]["startLine"].int } == [7, 3])
                #expect(places.map { $0["region"]["startColumn"].int } == [9, 18])
            }
        }

        @Test("SARIF has a finding's second place as a related location")
        func relatedLocations() async throws {
            try await Stage.withoutLab { stage in
                try stage.write("a.json", Sample.related)
                let process = try await stage.run(["lint", "--format", "sarif", "a.json"])
                #expect(process.end == .exit(1))
                let results = try process.json()["runs"][0]["results"].elements
                let expected = [
                    "rule-unreachable": 5, "exclude-after-include": 5, "shared-url-space": 5,
                    "app-in-several-entries": 3,
                    "json-duplicate-key": 8, "app-id-duplicate": 3,
                ]
                for (rule, line) in expected {
                    let result = try #require(results.first { $0["ruleId"] == .string("aasa.\(rule)") }, "\(rule)")
                    let related = result["relatedLocations"].elements
                    try #require(!related.isEmpty, "\(rule)")
                    for (index, location) in related.enumerated() {
                        #expect(location.keys == ["id", "message", "physicalLocation"])
                        #expect(location["id"].int == index + 1)
                        #expect(location["message"].keys == ["text"])
                        #expect(location["message"]["text"].string?.isEmpty == false)
                        let place = location["physicalLocation"]
                        #expect(place["artifactLocation"] == .object(["uri": .string("a.json")]))
                        let region = place["region"]
                        #expect(region.keys == ["startLine", "startColumn", "endLine", "endColumn"])
                        let start = try #require(region["startColumn"].int)
                        #expect(start >= 1 && region["endColumn"].int ?? 0 > start)
                        #expect(region["endLine"] == region["startLine"])
                    }
                    #expect(related[0]["physicalLocation"]["region"]["startLine"].int == line, "\(rule)")
                }
                let others = results.filter { result in
                    !expected.keys.contains { "aasa.\($0)" == result["ruleId"].string }
                }
                #expect(others.allSatisfy { $0["relatedLocations"] == .absent })
            }
        }

        @Test("SARIF names Apple's copy by its URL")
        func copy() async throws {
            try await Stage.with { stage in
                stage.lab.cdn.holds("site.test", body: Sample.broken)
                let process = try await stage.command("lint", ["--format", "sarif", "cdn:site.test"])
                let location = try process.json()["runs"][0]["results"][0]["locations"][0]
                #expect(
                    location["physicalLocation"]["artifactLocation"]["uri"]
                        == .string("\(stage.lab.cdnBaseURL)/site.test"))
            }
        }

        @Test("terminal escape codes never reach the terminal", arguments: ["text", "json", "github", "sarif"])
        func hostile(_ format: String) async throws {
            try await Stage.withoutLab { stage in
                try stage.write("evil", Sample.hostile)
                let process = try await stage.run(
                    ["lint", "--format", format, "evil", "-"], input: "{\u{9B}2J\u{1B}[31m")
                #expect(process.end == .exit(1))
                #expect(process.output.contains("evil"))
                expectHarmless(process)
            }
        }

        @Test("a terminal gets colours")
        func colours() async throws {
            try await Stage.withoutLab { stage in
                try stage.write("a", Sample.unreachable)
                let terminal = try Terminal()
                let process = try stage.start(["lint", "a"], output: terminal.child)
                #expect(try await process.ended() == .exit(0))
                #expect(terminal.read().contains("\u{1B}[33mwarning\u{1B}[0m"))
            }
        }
    }
}
