import Foundation
import Lab
import TestTraits

/// Programs of this machine run to their end, with none of this process's environment: a proxy or a CA bundle set there
/// must not change what the tests see.
enum Tool {
    static func run(_ name: String, _ arguments: [String]) async throws -> ChildProcess {
        try await ChildProcess.run(
            URL(filePath: "/usr/bin/env"), [name] + arguments,
            environment: ["PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C"])
    }

    /// curl, told to trust the lab and to find every host there.
    static func curl(_ lab: Lab, _ arguments: [String]) async throws -> ChildProcess {
        try await run(
            "curl",
            ["-q", "-sS", "--max-time", "10", "--cacert", lab.caFile, "--connect-to", lab.connectTo] + arguments)
    }

    /// OpenSSL's client as a verifier of one host's chain; its output has `Verify return code`.
    static func verify(_ lab: Lab, _ host: String) async throws -> ChildProcess {
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
