// A short run of the simulation; `make simulate` runs as many seeds and days as wanted.

import Foundation
import Simulation
import TestSupport
import TestTraits
import Testing

@Suite("Simulation", .computing)
struct SimulationSuite {
    /// Few sites and many, single and grouped messages, escalation, and a feed.
    @Test(
        "days of trouble lose nothing, repeat nothing under another key, and leave nothing open",
        arguments: Rounds.of([(UInt64(1), 0.5), (34, 0.5)], soak: [(1, 1.0), (5, 0.5), (17, 0.5), (34, 0.5)]))
    func seeds(_ seed: UInt64, days: Double) async throws {
        let result = try await SimulationCommand.simulate(seed: seed, days: days)
        let story = result.tail.joined(separator: "\n")
        #expect(
            result.violation == nil,
            "replay: make simulate SEEDS=\(seed) DAYS=\(SimulationCommand.text(days))\n\(story)\n\(result.violation.map(\.description) ?? "")"
        )
        // A run without alerts proves nothing.
        #expect(result.figures["alerts delivered"] > 0)
        if seed == 1 { #expect(result.figures.sum("machine: killed") > 0) }
        #expect(result.figures.sum("sites: ") > 0)
    }

    @Test("the same seed gives the same run, in this process and in another")
    func determinism() async throws {
        let here = try await SimulationCommand.simulate(seed: 7, days: 0.1)
        let there = try await Self.run(["--seeds", "7", "--days", "0.1"])
        #expect(there.contains("seed 7: \(here.hash),"), "\(here.hash) here, but there: \(there)")
    }

    @Test(
        "receivers get what they got when the recordings were written",
        arguments: Rounds.of([UInt64(3)], soak: [3, 8, 11]))
    func recordings(_ seed: UInt64) async throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Recordings")
        let difference = try await SimulationCommand.replay(seed: seed, folder)
        #expect(difference == nil, "\(difference ?? "")")
    }

    @Test(
        "invalid arguments are refused",
        arguments: [["--seeds"], ["--seeds", "9..3"], ["--days", "0"], ["--replay"], ["--faster"]])
    func usage(_ arguments: [String]) {
        #expect(throws: SimulationCommand.Usage.self) { _ = try SimulationCommand(arguments) }
    }

    /// Runs the command next to this test bundle.
    private static func run(_ arguments: [String]) async throws -> String {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let command = URL(filePath: own).deletingLastPathComponent().appending(path: "aasa-monitor-simulate")
        let run = try await ChildProcess.run(command, arguments)
        try #require(run.exitCode == 0, "\(run.errors)")
        return run.output
    }
}
