// Where lint, match and diff read their files from.

import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct SourceTests {
        @Test("a source is a path, standard input, a domain, or Apple's copy of it")
        func sources() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(Sample.clean)
                stage.lab.cdn.holds("site.test", body: Sample.broken)
                try stage.write("own file.aasa", Sample.unreachable)
                let process = try await stage.command(
                    "lint", ["--format", "json", "own file.aasa", "-", "site.test", "cdn:site.test"],
                    input: Sample.cleanInOneLine)
                #expect(process.end == .exit(1))
                let results = try process.json().elements
                #expect(
                    results.map { $0["source"].string } == ["own file.aasa", "<stdin>", "site.test", "cdn:site.test"])
                #expect(results.map { $0["valid"] } == [.bool(true), .bool(true), .bool(true), .bool(false)])
                #expect(results.map(\.rules) == [["aasa.rule-unreachable"], [], [], ["aasa.json-syntax"]])
                #expect(!stage.lab.cdn.requests(for: "site.test").isEmpty)
            }
        }

        @Test("a missing file is not taken for a domain and needs no network")
        func missing() async throws {
            try await Stage.withoutLab { stage in
                try FileManager.default.createDirectory(
                    at: stage.folder.appending(path: "folder"), withIntermediateDirectories: true)
                try stage.write("good.json", Sample.clean)
                for name in ["nowhere", "nowhere.json", "./nowhere.txt", "folder/nowhere.aasa", "folder"] {
                    for words in [["lint", name], ["match", name, "/a"], ["diff", "good.json", name]] {
                        let process = try await stage.run(words)
                        #expect(process.end == .exit(66), "\(words)")
                        #expect(process.output == "", "\(words)")
                        #expect(process.errors.contains("'\(name)'"), "\(words): \(process.errors)")
                    }
                }
                // A good file does not hide the missing one.
                #expect(try await stage.run(["lint", "good.json", "nowhere.json"]).end == .exit(66))
            }
        }

        @Test(
            "a source that cannot be read does not change lint's output for the others",
            arguments: ["text", "json", "sarif", "github"])
        func unreadable(_ format: String) async throws {
            try await Stage.with { stage in
                _ = stage.lab.origin("none.test")
                try stage.write("own.json", Sample.unreachable)
                for (other, code) in [("nowhere.json", Int32(66)), ("none.test", 1)] {
                    let alone = try await stage.command("lint", ["--format", format, "own.json"])
                    for sources in [["own.json", other], [other, "own.json"]] {
                        let process = try await stage.command("lint", ["--format", format] + sources)
                        #expect(process.end == .exit(code), "\(sources)")
                        #expect(process.errors.contains(other), "\(process.errors)")
                        guard format == "sarif" else {
                            #expect(process.output == alone.output, "\(sources)")
                            continue
                        }
                        let runs = try process.json()["runs"].elements
                        #expect(runs.map { $0["results"] } == (try alone.json()["runs"].elements.map { $0["results"] }))
                        let call = runs.first?["invocations"].elements.first
                        #expect(call?["executionSuccessful"] == .bool(false))
                        let told = call?["toolExecutionNotifications"].elements.first?["message"]["text"].string
                        #expect(told?.contains(other) == true)
                    }
                }
            }
        }

        @Test("a folder named like a domain does not hide the domain")
        func folders() async throws {
            try await Stage.with { stage in
                try FileManager.default.createDirectory(
                    at: stage.folder.appending(path: "site.test"), withIntermediateDirectories: true)
                stage.lab.origin("site.test").serve(Sample.clean)
                let process = try await stage.command("lint", ["site.test"])
                #expect(process.end == .exit(0))
                #expect(process.output == "site.test: valid, no findings\n")
            }
        }

        @Test("a site without a file fails, with the reason and what Apple reports")
        func noFile() async throws {
            try await Stage.with { stage in
                _ = stage.lab.origin("none.test")
                stage.lab.origin("dead.test").handshake = .reset
                stage.lab.origin("copy.test").serve(Sample.clean)
                stage.lab.cdn.fails("copy.test", reason: "SWCERR00101 Bad HTTP Response: 403 Forbidden")
                let expected = [
                    ("none.test", "status 404"), ("dead.test", "could not be read"), ("cdn:copy.test", "SWCERR00101"),
                ]
                for (source, reason) in expected {
                    for words in [["lint", source], ["match", source, "/a"], ["diff", source, source]] {
                        let process = try await stage.command(words[0], Array(words.dropFirst()))
                        // 1 would mean that the files differ, or that an expectation failed.
                        #expect(process.end == .exit(words[0] == "lint" ? 1 : 66), "\(words)")
                        #expect(process.output == "", "\(words)")
                        #expect(process.errors.contains(reason), "\(words): \(process.errors)")
                    }
                }
            }
        }

        @Test(
            "invalid argument values are usage errors",
            arguments: [
                ["lint", "cdn:"], ["lint", "cdn:a b"], ["lint", "--format", "xml", "a"],
                ["match", "-"], ["match", "-", "javascript:alert(1)"], ["match", "-", "site.test/a"],
                ["match", "-", ""], ["match", "-", "https://"], ["match", "-", "ftp://site.test/a"],
                ["match", "-", "--expect-url", "/a"], ["match", "-", "--expect-url", "/a="],
                ["match", "-", "--expect-url", "=\(Sample.app)"], ["match", "-", "--expect-url", "/a?b=c"],
                ["match", "-", "/a", "--expect", ""], ["match", "-", "/a", "--expect", "Nothing"],
                ["match", "-", "/a", "--format", "sarif"],
                ["check", "site.test", "--expect-url", "nonsense=nothing"],
                ["check", "site.test", "--expect-app", ""],
                ["check", "site.test", "--expect-app", "jp.shop.app"],
                ["check", "site.test", "--expect-app", "\(Sample.app) "],
            ])
        func usage(_ arguments: [String]) async throws {
            try await Stage.withoutLab { stage in
                let process = try await stage.run(arguments, input: Sample.clean)
                #expect(process.end == .exit(64))
                #expect(process.output == "")
                #expect(process.errors != "")
            }
        }
    }
}
