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
                stage.lab.origin("site.test").serve(file())
                let watch = try Watch(
                    stage, ["site.test"],
                    Watch.Settings(interval: "1h", staleAfter: "2h", more: "log: {format: \(format)}"))
                let (process, _) = try await watch.started()
                try await watch.checks(1, of: "site.test")
                let reason = #"a "quoted" reason = \\ 7"#
                let silenced = try await stage.run(
                    ["silence", "site.test", "--for", "1h", "--by", "12", "--reason", reason, "--config", watch.file])
                #expect(silenced.end == .exit(0), "\(silenced.errors)")
                try await until("the silence", seen: { process.errors }) { process.errors.contains("silence added") }
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

        @Test("each line of the JSON log is an object, with numbers as numbers and texts as texts")
        func json() async throws {
            let objects = try await lines("json").map { try JSONValue(String($0)) }
            for object in objects {
                #expect(
                    object["time"].string != nil && object["level"].string != nil && object["message"].string != nil)
            }
            let start = try #require(objects.first { $0["message"].string?.contains("status page at") ?? false })
            #expect(start["channels"] == .number(0))
            let silence = try #require(objects.first { $0["message"] == .string("silence added") })
            #expect(silence["silence"] == .number(1) && silence["by"] == .string("12"))
            #expect(silence["why"].string?.contains(#""quoted""#) == true)
        }
    }
}
