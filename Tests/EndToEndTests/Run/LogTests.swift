import CDispatch
import Foundation
import Lab
import Synchronization
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct LogTests {
        private func lines(_ format: String) async throws -> [Substring] {
            let result = Mutex<[Substring]>([])
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(#"<title>a "quoted" title = \\ 7</title>"#)
                let watch = try Watch(
                    stage, ["site.test"],
                    Watch.Settings(
                        interval: "1h", staleAfter: "2h", defaults: "  failure_threshold: 1",
                        more: "log: {format: \(format)}"))
                let (process, _) = try await watch.started()
                try await until("the incident", seen: { process.errors }) { process.errors.contains("incident fired") }
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                result.withLock { $0 = process.errors.split(separator: "\n") }
            }
            return result.withLock(\.self)
        }

        @Test("each line of the text log is logfmt")
        func text() async throws {
            let pair = #/[a-z_]+=(?:[^ "=\\]+|"(?:[^"\\]|\\.)*")/#
            for line in try await lines("text") {
                var rest = line
                while let match = rest.prefixMatch(of: pair) {
                    rest = rest[match.range.upperBound...].drop { $0 == " " }
                }
                #expect(rest.isEmpty, "\(line)")
                #expect(line.contains(#/^time=\S+ level=[a-z]+ msg=/#), "\(line)")
            }
        }

        @Test("log lines have a priority only if standard error is the journal")
        func journal() async throws {
            try await Stage.withoutLab { stage in
                try stage.write("faulty.yaml", "version: 1\ndomains: 7\ncolour: red\n")
                try stage.write("log", "")
                func run(_ stream: (stat) -> String) async throws -> [String] {
                    let log = try FileHandle(forWritingTo: URL(filePath: stage.path("log")))
                    try log.truncate(atOffset: 0)
                    var place = stat()
                    try #require(fstat(log.fileDescriptor, &place) == 0)
                    let process = try stage.start(
                        ["run", "--config", "faulty.yaml"], environment: ["JOURNAL_STREAM": stream(place)], errors: log)
                    #expect(try await process.ended() == .exit(78))
                    return try String(contentsOfFile: stage.path("log"), encoding: .utf8).split(separator: "\n")
                        .map(String.init)
                }
                let journal = try await run { "\($0.st_dev):\($0.st_ino)" }
                #expect(journal.count > 2 && journal.allSatisfy { $0.hasPrefix("<3>") }, "\(journal)")
                let other = try await run { "\($0.st_dev):\($0.st_ino + 1)" }
                #expect(other == journal.map { String($0.dropFirst(3)) })
            }
        }

        @Test("each line of the JSON log is an object with correct value types")
        func json() async throws {
            let objects = try await lines("json").map { try JSONValue(String($0)) }
            for object in objects {
                #expect(
                    object["time"].string != nil && object["level"].string != nil && object["message"].string != nil)
            }
            let start = try #require(objects.first { $0["message"].string?.contains("status page at") ?? false })
            #expect(start["channels"] == .number(0))
            let incident = try #require(objects.first { $0["message"] == .string("incident fired") })
            #expect(incident["domain"] == .string("site.test") && incident["severity"] == .string("error"))
            #expect(incident["diagnosis"].string?.contains(#""quoted""#) == true)
        }
    }
}
