import Foundation
import Glibc
import TestTraits
import Testing

extension LabTests {
    @Suite
    struct Tools {
        @Test("a child process has its three streams and no other descriptor of this process")
        func descriptors() async throws {
            // Without O_CLOEXEC, like a library that does not consider child processes.
            let open = open("/dev/null", O_RDONLY)
            defer { close(open) }
            try #require(open >= 0)
            let shell = try await Tool.run("sh", ["-c", "ls /proc/$$/fd"])
            #expect(shell.output == "0\n1\n2\n", "\(shell.errors)")
        }

        @Test("a child process receives every signal, whichever thread started it")
        func signals() async throws {
            let status = try await Tool.run("grep", ["SigBlk", "/proc/self/status"])
            #expect(status.output == "SigBlk:\t0000000000000000\n")
        }

        @Test("a child's exit status is reported, and a missing program cannot be started")
        func ends() async throws {
            #expect(try await Tool.run("sh", ["-c", "echo out; echo err >&2; exit 7"]).exitCode == 7)
            #expect(try await Tool.run("sh", ["-c", "kill -9 $$"]).exitCode == 137)
            await #expect(throws: Child.CannotStart.self) {
                try await ChildProcess.run(URL(filePath: "/nonexistent"), [])
            }
        }
    }
}
