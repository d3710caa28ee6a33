// Servers that never stop sending must not fill the memory, even if there are many.

import Foundation
import Lab
import LabFaults
import TestTraits
import Testing

extension EndToEndTests {
    @Suite("Memory")
    struct MemoryTests {
        /// For each target, every address, user agent, path and CDN edge answers with the fault.
        @Test(
            "a server that never stops sending does not fill the memory", .inTurn(.large),
            arguments: [LabFault.endlessBody, .gzipBomb, .endlessHeaders])
        func bounded(_ fault: LabFault) async throws {
            let addresses = ["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"]
            try await Stage.with(addresses: ["127.0.0.1"] + addresses) { stage in
                let hosts = (0..<4).map { "site\($0).test" }
                var network = ["--cacert", stage.lab.caFile, "--cdn-url", stage.lab.cdnBaseURL]
                for host in hosts + [LabCDN.host] {
                    network += ["--connect-to", "\(host):443:\(host):\(stage.lab.port)"]
                    network += ["--resolve", "\(host):\(stage.lab.port):\(addresses.joined(separator: ","))"]
                }
                for host in hosts {
                    stage.lab.origin(host).behaviour = .fault(fault)
                    stage.lab.cdn.behaves(host, .fault(fault))
                }
                let process = try stage.start(["check", "--format", "jsonl", "--max-time", "20"] + network + hosts)
                var peak = 0
                while process.end == nil {
                    peak = max(peak, MemoryReading(of: process.pid, "VmHWM:").kilobytes)
                    try await Task.sleep(for: .milliseconds(2))
                }
                #expect(process.end == .exit(1), "\(process.errors)")
                #expect(process.output.split(separator: "\n").count == hosts.count)
                #expect(peak > 0)
                // About 70 MB in a debug build. Each transfer may hold 1 MiB of body; a single bomb would be 103 MB.
                #expect(peak < 150_000, "\(peak) kB")
            }
        }
    }
}
