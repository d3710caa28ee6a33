import Foundation
import Lab
import TestTraits
import Testing

/// Runs this machine's programs until they end, without this process's environment: a proxy or a CA bundle set there
/// must not affect the tests.
enum Tool {
    static func run(_ name: String, _ arguments: [String]) async throws -> ChildProcess {
        try await ChildProcess.run(
            URL(filePath: "/usr/bin/env"), [name] + arguments,
            environment: ["PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C"])
    }

    /// curl's limit in seconds: it only ends a test that would hang.
    static let patience = "600"

    /// curl with an option to trust the lab and to find every host there.
    static func curl(_ lab: Lab, _ arguments: [String]) async throws -> ChildProcess {
        try await run(
            "curl",
            ["-q", "-sS", "--max-time", patience, "--cacert", lab.caFile, "--connect-to", lab.connectTo] + arguments)
    }

    /// OpenSSL's client verifies one host's chain; its output has `Verify return code`.
    static func verify(_ lab: Lab, _ host: String) async throws -> ChildProcess {
        try await run(
            "openssl",
            [
                "s_client", "-connect", "127.0.0.1:\(lab.port)", "-servername", host, "-verify_hostname", host,
                "-CAfile", lab.caFile, "-no-CApath", "-no-CAstore", "-verify_return_error", "-brief",
            ])
    }
}

/// The `Age` of an answer that includes its headers. It grows while a test runs.
func age(_ answer: String) throws -> Int {
    let line = try #require(answer.components(separatedBy: "\r\n").first { $0.hasPrefix("Age: ") })
    return try #require(Int(line.dropFirst("Age: ".count)))
}

func wellKnown(_ host: String) -> String { "https://\(host)/.well-known/apple-app-site-association" }

/// A lab for one test, always shut down afterwards.
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
