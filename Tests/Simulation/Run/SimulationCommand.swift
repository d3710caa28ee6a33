// What `make simulate` runs: one line for each seed, and figures at the end. What `make replay` runs: the recorded
// seeds.

import Foundation
import TestSupport

package struct SimulationCommand: Sendable {
    package var seeds: ClosedRange<UInt64> = 1...20
    package var days = 20.0
    /// Prints every line of the event log.
    package var isVerbose = false
    /// The directory of recordings to compare with; nil: no comparison.
    package var recordings: URL?

    package struct Usage: Error, CustomStringConvertible {
        package let description = """
            usage: aasa-monitor-simulate [--seeds 7 | --seeds 1..200] [--days 20] [--verbose]
                   aasa-monitor-simulate --replay FOLDER [--seeds 1..56]
            """
    }

    package init(_ arguments: [String]) throws {
        var rest = arguments[...]
        var asked: ClosedRange<UInt64>?
        while let option = rest.popFirst() {
            switch option {
            case "--verbose": isVerbose = true
            case "--replay":
                guard let folder = rest.popFirst() else { throw Usage() }
                recordings = URL(filePath: folder)
            case "--seeds":
                let bounds = (rest.popFirst() ?? "").split(separator: ".").compactMap { UInt64($0) }
                guard let first = bounds.first, let last = bounds.last, first <= last else { throw Usage() }
                asked = first...last
            case "--days":
                guard let days = Double(rest.popFirst() ?? ""), days > 0 else { throw Usage() }
                self.days = days
            default: throw Usage()
            }
        }
        if let seeds = asked ?? (recordings == nil ? nil : Self.recordedSeeds) { self.seeds = seeds }
    }

    /// - Returns: the seeds that failed.
    package func run(print: (String) -> Void) async throws -> [UInt64] {
        if let recordings { return try await replay(recordings, print) }
        var total = Figures()
        var failed: [UInt64] = []
        for seed in seeds {
            let result = try await Self.simulate(seed: seed, days: days, keepsAll: isVerbose)
            total.add(result.figures)
            if isVerbose || result.violation != nil { result.tail.forEach(print) }
            guard let violation = result.violation else {
                print("seed \(seed): \(result.hash), \(result.figures.line)")
                continue
            }
            failed.append(seed)
            print("seed \(seed): \(result.hash), FAILED after \(result.figures.days) days: \(violation)")
            print("replay: make simulate SEEDS=\(seed) DAYS=\(Self.text(days))")
        }
        print("\(seeds.count) seeds, \(failed.count) failed")
        print(total.text)
        return failed
    }

    /// `keepsAll`, `isRecorded`: as in the plan.
    package static func simulate(
        seed: UInt64, days: Double, keepsAll: Bool = false, isRecorded: Bool = false
    ) async throws -> SimulationResult {
        // In memory if possible: flushing to a disk would take most of the time.
        let memory = "/dev/shm"
        let root =
            FileManager.default.isWritableFile(atPath: memory)
            ? URL(filePath: memory) : FileManager.default.temporaryDirectory
        let folder = root.appending(path: "aasa-simulation-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var plan = SimulationPlan(seed: seed, days: days, folder: folder)
        plan.keepsAll = keepsAll
        plan.isRecorded = isRecorded
        return try await Simulation(plan).run()
    }

    // MARK: - Recordings

    /// In seven of them nothing is sent, and that must not change.
    private static let recordedSeeds: ClosedRange<UInt64> = 1...56
    private static let recordedDays = 1.0

    /// Plays a seed and compares what receivers got with its recording; AASA_REWRITE_EXPECTATIONS=1 writes the
    /// recording instead.
    /// - Returns: the difference; nil if there is none.
    package static func replay(seed: UInt64, _ folder: URL) async throws -> String? {
        let result = try await simulate(seed: seed, days: recordedDays, isRecorded: true)
        if let violation = result.violation { return (result.tail + [violation.description]).joined(separator: "\n") }
        let name = (seed < 10 ? "0" : "") + "\(seed).txt"
        return try GoldenFile.difference(between: result.recording, and: folder.appending(path: name))
    }

    private func replay(_ folder: URL, _ print: (String) -> Void) async throws -> [UInt64] {
        var failed: [UInt64] = []
        var rest = seeds.makeIterator()
        try await withThrowingTaskGroup(of: (UInt64, String?).self) { group in
            func play() {
                guard let seed = rest.next() else { return }
                group.addTask { (seed, try await Self.replay(seed: seed, folder)) }
            }
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount { play() }
            for try await (seed, difference) in group {
                play()
                guard let difference else { continue }
                failed.append(seed)
                print("seed \(seed): \(difference)")
            }
        }
        print("\(seeds.count) seeds \(GoldenFile.isRewriting ? "written" : "played"), \(failed.count) differ")
        return failed.sorted()
    }

    /// Days in the format of `--days`.
    package static func text(_ days: Double) -> String {
        days == days.rounded() ? String(Int(days)) : String(days)
    }
}
