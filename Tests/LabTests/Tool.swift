import Foundation
import Lab

/// A program of this machine run to its end, with none of this process's environment: a proxy or a CA bundle set there
/// must not change what the tests see.
struct Tool {
    let exitCode: Int32
    let output: String
    let errors: String

    static func run(_ name: String, _ arguments: [String]) async throws -> Tool {
        let folder = FileManager.default.temporaryDirectory.appending(path: "lab-tool-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let out = folder.appending(path: "out")
        let err = folder.appending(path: "err")
        try Data().write(to: out)
        try Data().write(to: err)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [name] + arguments
        process.environment = ["PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C"]
        process.standardInput = FileHandle.nullDevice
        let outputs = (try FileHandle(forWritingTo: out), try FileHandle(forWritingTo: err))
        // `Process` holds on to them for longer than it lives.
        defer {
            try? outputs.0.close()
            try? outputs.1.close()
        }
        process.standardOutput = outputs.0
        process.standardError = outputs.1
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in done.resume() }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                done.resume(throwing: error)
            }
        }
        return Tool(
            exitCode: process.terminationStatus,
            output: String(decoding: try Data(contentsOf: out), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: err), as: UTF8.self))
    }

    /// curl, told to trust the lab and to find every host there.
    static func curl(_ lab: Lab, _ arguments: [String]) async throws -> Tool {
        try await run(
            "curl",
            ["-q", "-sS", "--max-time", "10", "--cacert", lab.caFile, "--connect-to", lab.connectTo] + arguments)
    }

    /// OpenSSL's client as a verifier of one host's chain; its output has `Verify return code`.
    static func verify(_ lab: Lab, _ host: String) async throws -> Tool {
        try await run(
            "openssl",
            [
                "s_client", "-connect", "127.0.0.1:\(lab.port)", "-servername", host, "-verify_hostname", host,
                "-CAfile", lab.caFile, "-no-CApath", "-no-CAstore", "-verify_return_error", "-brief",
            ])
    }
}

func wellKnown(_ host: String) -> String { "https://\(host)/.well-known/apple-app-site-association" }

/// A lab for one test, shut down whatever happens.
func withLab<T>(addresses: [String] = ["127.0.0.1"], _ body: (Lab) async throws -> T) async throws -> T {
    let lab = try await Lab.start(addresses: addresses)
    do {
        let result = try await body(lab)
        await lab.shutdown()
        return result
    } catch {
        await lab.shutdown()
        throw error
    }
}
