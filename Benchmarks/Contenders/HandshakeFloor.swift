/// OpenSSL's own loop of handshakes, one after another, the trust store read once: what a fresh connection costs before
/// anybody speaks HTTP over it.
struct HandshakeFloor: Contender {
    let premises: Premises
    /// Path of the tool.
    let openssl: String

    let name = "TLS handshakes alone"

    // The number of fetches is not used: the tool counts seconds, not handshakes.
    func sample(_ workload: Workload, fetches: Int) throws -> Sample {
        let outcome = try premises.run(
            openssl,
            [
                "s_time", "-connect", "127.0.0.1:\(workload.port)", "-new", "-time", "1", "-verify", "3", "-CAfile",
                workload.caFile,
            ])
        guard outcome.code == 0, let handshakes = Self.handshakes(in: outcome.output), handshakes > 0 else {
            throw BenchFault("openssl s_time ended with \(outcome.code): \(outcome.firstComplaint)")
        }
        return Sample(
            name: name, fetches: handshakes, connections: handshakes, wall: outcome.wall, cpu: outcome.cpu)
    }

    /// From "1774 connections in 2 real seconds, 0 bytes read per connection".
    static func handshakes(in output: String) -> Int? {
        output.split(separator: "\n").last { $0.contains(" real seconds") }?
            .split(separator: " ").first.flatMap { Int($0) }
    }
}
