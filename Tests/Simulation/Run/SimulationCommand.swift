// What `make simulate` runs: seed after seed, a line each, and figures at the end.

import Foundation

package struct SimulationCommand: Sendable {
    package var seeds: ClosedRange<UInt64> = 1...20
    package var days = 20.0
    /// Prints every line of the event log.
    package var isVerbose = false

    package struct Usage: Error, CustomStringConvertible {
        package let description = "usage: aasa-monitor-simulate [--seeds 7 | --seeds 1..200] [--days 20] [--verbose]"
    }

    package init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            switch option {
            case "--verbose": isVerbose = true
            case "--seeds":
                let bounds = (rest.popFirst() ?? "").split(separator: ".").compactMap { UInt64($0) }
                guard let first = bounds.first, let last = bounds.last, first <= last else { throw Usage() }
                seeds = first...last
            case "--days":
                guard let days = Double(rest.popFirst() ?? ""), days > 0 else { throw Usage() }
                self.days = days
            default: throw Usage()
            }
        }
    }

    /// - Returns: the seeds that failed.
    package func run(print: (String) -> Void) async throws -> [UInt64] {
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

    /// `keepsAll`: as in the plan.
    package static func simulate(
        seed: UInt64, days: Double, keepsAll: Bool = false
    ) async throws -> SimulationResult {
        // In memory where there is such a place: flushes to a disk would be most of the time.
        let memory = "/dev/shm"
        let root =
            FileManager.default.isWritableFile(atPath: memory)
            ? URL(filePath: memory) : FileManager.default.temporaryDirectory
        let folder = root.appending(path: "aasa-simulation-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var plan = SimulationPlan(seed: seed, days: days, folder: folder)
        plan.keepsAll = keepsAll
        return try await Simulation(plan).run()
    }

    private static func text(_ days: Double) -> String {
        days == days.rounded() ? String(Int(days)) : String(days)
    }
}
