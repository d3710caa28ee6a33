import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    @Suite struct LintFixTests {
        /// A comma in line 9, a space in the app of line 4; and the text after the fixes.
        private static let text = Sample.clean.replacing("\"\(Sample.app)\"", with: "\"\(Sample.app) \"")
            .replacing(##"{"/": "/news/*", "#": "top"}"##, with: ##"{"/": "/news/*", "#": "top"},"##)

        @Test("--fix changes only the wrong bytes and shows the proof", arguments: ["\n", "\r\n"])
        func writes(_ end: String) async throws {
            try await Stage.withoutLab { stage in
                try stage.write("real", Self.text.replacing("\n", with: end))
                try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: stage.path("real"))
                try FileManager.default.createSymbolicLink(atPath: stage.path("a"), withDestinationPath: "real")
                let process = try await stage.run(["lint", "--fix", "a"])
                #expect(process.end == .exit(0), "\(process.output)")
                let written = try String(contentsOf: stage.folder.appending(path: "real"), encoding: .utf8)
                #expect(written == Sample.clean.replacing("\n", with: end))
                let attributes = try FileManager.default.attributesOfItem(atPath: stage.path("real"))
                #expect(attributes[.posixPermissions] as? Int == 0o640)
                let link = try FileManager.default.destinationOfSymbolicLink(atPath: stage.path("a"))
                #expect(link == "real")
                for part in [
                    "a:9:37: fixed: comma at 9:37 with no element after it", "[json-syntax]\n", "[app-id-blank]\n",
                    "the file was not valid before the fixes\n", "devices ignore a as it was",
                    "\(Sample.app): not opened before, opened by the app now", "a: valid, no findings\n",
                ] {
                    #expect(process.output.contains(part), "\(part): \(process.output)")
                }
            }
        }

        @Test("--dry-run prints a diff that patch accepts, and writes nothing")
        func dryRun() async throws {
            try await Stage.withoutLab { stage in
                try stage.write("a", Self.text)
                let process = try await stage.run(["lint", "--fix", "--dry-run", "a"])
                #expect(process.end == .exit(1))
                #expect(try String(contentsOf: stage.folder.appending(path: "a"), encoding: .utf8) == Self.text)
                #expect(process.output.contains("a:9:37: to fix: "))
                #expect(process.output.contains("a: not valid, 1 error; --fix corrects 2\n"), "\(process.output)")
                let start = try #require(process.output.firstRange(of: "--- a\n+++ a\n")).lowerBound
                let difference = String(process.output[start...]).components(separatedBy: "\n\n")[0]
                try stage.write("patch", difference + "\n")
                let patch = try stage.tool("patch", ["--unified", "a", "patch"])
                // `patch` may not be installed.
                guard try await patch.ended() != .exit(127) else { return }
                #expect(patch.end == .exit(0), "\(patch.output)\(patch.errors)\(difference)")
                #expect(try String(contentsOf: stage.folder.appending(path: "a"), encoding: .utf8) == Sample.clean)
            }
        }

        @Test("--dry-run shows only the changed part of a long line")
        func longLine() async throws {
            try await Stage.withoutLab { stage in
                let rules = (0..<60).map { "{\"/\":\"/p\($0)/*\"}" } + ["{\"/\":\"/buy//x\"}"]
                try stage.write(
                    "a",
                    "{\"applinks\":{\"details\":[{\"appIDs\":[\"\(Sample.app)\"],"
                        + "\"components\":[\(rules.joined(separator: ","))]}]}}")
                let lines = try await stage.run(["lint", "--fix", "--dry-run", "a"]).output.split(separator: "\n")
                #expect(lines.contains { $0.hasPrefix("-…") && $0.contains("/buy//x") }, "\(lines)")
                #expect(lines.contains { $0.hasPrefix("+…") && $0.contains("/buy/x") }, "\(lines)")
            }
        }

        @Test("--fix does not write to a pipe, but fixes the other files")
        func pipe() async throws {
            try await Stage.withoutLab { stage in
                try stage.write("a", Self.text)
                try stage.write("source", Self.text)
                let line = "mkfifo pipe; (cat source >pipe &); exec \(MonitorProcess.binary.path) lint --fix pipe a"
                let process = try stage.tool("sh", ["-c", line])
                #expect(try await process.ended() == .exit(66), "\(process.output)")
                #expect(process.errors.contains("'pipe' cannot be written: it is a pipe"), "\(process.errors)")
                #expect(try String(contentsOf: stage.folder.appending(path: "a"), encoding: .utf8) == Sample.clean)
            }
        }

        @Test("a fix that changes no URL is reported as proven")
        func tidies() async throws {
            try await Stage.withoutLab { stage in
                let twice = Sample.clean.replacing("\"\(Sample.app)\"", with: "\"\(Sample.app)\", \"\(Sample.app)\"")
                try stage.write("a", twice)
                let process = try await stage.run(["lint", "--fix", "--format", "json", "a"])
                #expect(process.end == .exit(0))
                #expect(try process.json()[0]["findings"].elements.isEmpty)
                #expect(
                    process.errors.contains("no app gains or loses a URL (proven for all URLs)"), "\(process.errors)")
                #expect(try String(contentsOf: stage.folder.appending(path: "a"), encoding: .utf8) == Sample.clean)
                let again = try await stage.run(["lint", "--fix", "a"])
                #expect(again.output == "a: valid, no findings\n")
            }
        }

        @Test("--fix accepts only files, and --dry-run needs --fix")
        func usage() async throws {
            try await Stage.withoutLab { stage in
                try stage.write("a", Sample.clean)
                #expect(try await stage.run(["lint", "--fix", "-"], input: Self.text).end == .exit(64))
                #expect(try await stage.run(["lint", "--fix", "example.com"]).end == .exit(64))
                #expect(try await stage.run(["lint", "--dry-run", "a"]).end == .exit(64))
                #expect(try await stage.run(["lint", "--fix", "none.json"]).end == .exit(66))
            }
        }

        @Test(
            "--ignore leaves out a rule by its full or short name",
            arguments: ["rule-unreachable", "aasa.rule-unreachable"])
        func ignore(_ name: String) async throws {
            try await Stage.withoutLab { stage in
                for format in ["text", "json", "github", "sarif", "codequality"] {
                    let arguments = ["lint", "--strict", "--ignore", name, "--format", format, "-"]
                    let process = try await stage.run(arguments, input: Sample.unreachable)
                    #expect(process.end == .exit(0) && !process.output.contains("7:9"), "\(process.output)")
                }
                let other = try await stage.run(["lint", "--ignore", "rule-unreachabel", "-"], input: Sample.clean)
                #expect(other.end == .exit(64) && other.errors.contains("did you mean 'rule-unreachable'?"))
            }
        }

        @Test("in GitLab's report each finding has its own fingerprint, which does not depend on the line")
        func codeQuality() async throws {
            try await Stage.withoutLab { stage in
                func report(_ text: String) async throws -> [JSONValue] {
                    try stage.write("a", text)
                    return try await stage.run(["lint", "--format", "codequality", "./a"]).json().elements
                }
                let issues = try await report(Sample.related)
                #expect(issues.count > 4)
                for issue in issues {
                    #expect(issue.keys == ["description", "check_name", "fingerprint", "severity", "location"])
                    #expect(["critical", "minor", "info"].contains(issue["severity"].string))
                    #expect(issue["location"]["path"] == .string("a"))
                    #expect(issue["location"]["lines"].keys == ["begin", "end"])
                }
                let prints = issues.compactMap { $0["fingerprint"].string }
                #expect(Set(prints).count == issues.count)
                #expect(try await report("\n\n" + Sample.related).compactMap { $0["fingerprint"].string } == prints)
                #expect(try await report(Sample.clean).isEmpty)
            }
        }

        @Test("JUnit has a test for each URL, with its actual and expected result")
        func junit() async throws {
            try await Stage.withoutLab { stage in
                try stage.write("a", Sample.clean)
                let process = try await stage.run([
                    "match", "a", "--format", "junit", "/help/1", "/help/1", "buy", "--expect-url",
                    "/help/<&\">=nothing",
                    "--expect-url", "/buy/1?coupon=x=\(Sample.app)",
                ])
                #expect(process.end == .exit(64))
                let results = try await TestResults(process.output, on: stage)
                #expect(
                    results.cases.map(\.name) == [
                        "not a URL", "/help/1", "/help/1 (2)", "/help/<&\"> opens nothing",
                        "/buy/1?coupon=x opens \(Sample.app)",
                    ])
                #expect(results.cases.map(\.isFailed) == [true, false, false, true, false])
                #expect(results.root["failures"] == .string("1") && results.root["errors"] == .string("1"))
                #expect(results.text.contains("expected to open nothing"))
            }
        }

        @Test("a comment begins with the verdict, folds the rest, and respects GitHub's size limit")
        func markdown() async throws {
            try await Stage.withoutLab { stage in
                func comment(_ old: String, _ new: String, _ code: Int32) async throws -> String {
                    try stage.write("old", old)
                    try stage.write("new", new)
                    let process = try await stage.run(["diff", "old", "new", "--format", "markdown"])
                    #expect(process.end == .exit(code), "\(process.errors)")
                    return process.output
                }
                #expect(
                    try await comment(Sample.clean, Sample.clean, 0).hasPrefix(
                        "✅ **No change**: the two files are the same"))
                #expect(
                    try await comment(Sample.clean, Sample.cleanInOneLine, 0).hasPrefix(
                        "✅ **No change**: the two files differ in formatting"))
                let noted = Sample.clean.replacing(#""exclude": true"#, with: #""exclude": true, "comment": "why""#)
                #expect(
                    try await comment(Sample.clean, noted, 1)
                        .hasPrefix("✅ **No link changes**: no app gains or loses a URL (proven for all URLs)."))
                let changed = Sample.clean.replacing("/news/*", with: "/blog/*")
                let text = try await comment(Sample.clean, changed, 1)
                #expect(
                    text.hasPrefix(
                        "⚠️ **This change opens <code>/blog\\#top</code> in an app and closes <code>/news\\#top</code>**. No other app gains or loses a URL (proven for all URLs).\n"
                    ), "\(text)")
                #expect(
                    text.components(separatedBy: "<details>").count == text.components(separatedBy: "</details>").count)
                #expect(
                    try await comment(Sample.clean, Sample.broken, 65).hasPrefix(
                        "❌ **Devices ignore the new file.**"))
                func file(_ rules: Int, _ folder: String) -> String {
                    let apps = (0..<60).map { "\"Q7X4M2K9RT.jp.shop.app\($0)\"" }.joined(separator: ", ")
                    let list = (0..<rules).map { "{\"/\": \"/\(folder)\($0)/a-rather-long-path-of-this-rule/*\"}" }
                    return
                        #"{"applinks": {"details": [{"appIDs": [\#(apps)], "components": [\#(list.joined(separator: ", "))]}]}}"#
                }
                let long = try await comment(file(1, "old"), file(20, "new"), 1)
                #expect(
                    long.utf16.count < 65_536 && long.contains("; `aasa-monitor diff` shows all"), "\(long.utf16.count)"
                )
                #expect(
                    long.components(separatedBy: "<details>").count == long.components(separatedBy: "</details>").count)
            }
        }
    }
}

/// Test results as Python's XML parser reads them.
struct TestResults {
    let root: JSONValue
    let cases: [(name: String, isFailed: Bool)]
    let text: String

    init(_ xml: String, on stage: Stage) async throws {
        let code = """
            import json, sys, xml.etree.ElementTree as tree
            root = tree.fromstring(sys.stdin.buffer.read())
            cases = [[n.attrib["name"], len(n) > 0 and n[0].tag != "system-out"] for n in root.iter("testcase")]
            print(json.dumps([root.attrib, cases, "".join(root.itertext())]))
            """
        let python = try stage.tool("python3", ["-c", code], input: xml)
        try await python.ended()
        let value = try python.json()
        root = value[0]
        cases = value[1].elements.map { ($0[0].string ?? "", $0[1] == .bool(true)) }
        text = value[2].string ?? ""
    }
}
