import Foundation
import Testing

extension EndToEndTests {
    @Suite struct DemoTests {
        @Test("the demo runs to its end")
        func demo() async throws {
            try await Stage.with { stage in
                let process = try stage.start(["demo"])
                let end = try await process.ended()
                #expect(end == .exit(0), "\(process.output)\(process.errors)")
                for kind in ["cdn.stale", "origin.broken", "origin.unreachable"] {
                    for state in ["FIRING", "RESOLVED"] {
                        let line = process.output.split(separator: "\n").first {
                            $0.contains(state) && $0.contains(kind)
                        }
                        #expect(line != nil, "\(state) \(kind)")
                    }
                }
                // Apple's failure follows from the refusal, and is inhibited by it.
                #expect(!process.output.contains("cdn.missing"))
                #expect(process.errors == "")
                #expect(!process.output.contains("\u{1B}"))
            }
        }

        @Test("the program names itself and its commands")
        func help() async throws {
            try await Stage.with { stage in
                let version = try await stage.run(["--version"])
                #expect(version.end == .exit(0))
                #expect(version.output.hasPrefix("aasa-monitor "))
                let help = try await stage.run(["--help"])
                #expect(help.end == .exit(0))
                for command in ["check", "run", "watch", "config", "demo"] {
                    #expect(help.output.contains("  \(command)"))
                }
                let unknown = try await stage.run(["chekc"])
                #expect(unknown.end == .exit(64))
            }
        }
    }
}
