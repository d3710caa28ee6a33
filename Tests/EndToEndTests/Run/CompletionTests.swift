// Shell completion.

import Foundation
import Lab
import Testing

extension EndToEndTests {
    @Suite("Completion") struct CompletionTests {
        /// Completes the last of `words` like bash: sources the generated script and calls its function.
        private static func offered(_ words: [String], on stage: Stage) async throws -> Set<String> {
            let script = """
                PATH="$1:$PATH"; shift
                source <(aasa-monitor --generate-completion-script bash)
                COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; COMP_TYPE=9; COMP_KEY=9
                $(complete -p aasa-monitor | sed -n 's/.*-F \\([^ ]*\\).*/\\1/p') aasa-monitor "${COMP_WORDS[COMP_CWORD]}" \
                  "${COMP_WORDS[COMP_CWORD - 1]}"
                printf '%s\\n' "${COMPREPLY[@]}"
                """
            let folder = MonitorProcess.binary.deletingLastPathComponent().path
            let process = try stage.tool("bash", ["-c", script, "bash", folder, "aasa-monitor"] + words)
            try await process.ended()
            return Set(
                process.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
        }

        @Test("values, files and the store's domains are completed")
        func values() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                let watch = try Watch(stage, ["site.test"], Watch.Settings())
                let (process, _) = try await watch.started()
                try await watch.checks(2, of: "site.test")
                #expect(try await Self.offered(["check", "--format", "j"], on: stage) == ["json", "jsonl", "junit"])
                #expect(try await Self.offered(["check", "--depth", ""], on: stage) == ["light", "full"])
                #expect(try await Self.offered(["silence", "add", "--kind", "cdn.st"], on: stage) == ["cdn.stale"])
                #expect(try await Self.offered(["run", "--config", "moni"], on: stage).contains("monitor.yaml"))
                #expect(try await Self.offered(["lint", "moni"], on: stage).contains("monitor.yaml"))
                for command in ["check", "watch", "status", "history", "ack"] {
                    let words = [command, "--config", "monitor.yaml", "si"]
                    #expect(try await Self.offered(words, on: stage).contains("site.test"), "\(command)")
                }
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
            }
        }
    }
}
