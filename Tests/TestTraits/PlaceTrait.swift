// When and where a test runs. Each suite says whether its tests compute or wait. Then a test that waits for its turn
// blocks no other, and a test that computes holds no thread that others need to meet a time limit.

import Foundation
import Testing

extension Trait where Self == PlaceTrait {
    /// Runs each test on threads outside Swift's pool, one test for each core, for suites that compute long or block.
    /// Swift's pool has one thread per core: on a machine of two cores, two tests that compute for ten seconds would
    /// hold all of it.
    package static var computing: Self { Self(kind: .computing) }

    /// Runs each test when this share of the machine is free, for suites that wait for servers, timers or programs.
    package static var inTurn: Self { .inTurn(.small) }

    /// For a test that waits for a timeout, such as a server that never answers. It blocks no other, and begins early.
    package static var waitsForTimeout: Self { .inTurn(.waiting, first: true) }

    /// Replaces the suite's turn. `first`: before other waiting tests. A long test would otherwise run last and alone.
    package static func inTurn(_ share: MachineShare = .small, first: Bool = false) -> Self {
        Self(kind: .inTurn(share, isFirst: first))
    }
}

package struct PlaceTrait: SuiteTrait, TestTrait, TestScoping {
    enum Kind {
        case computing
        case inTurn(MachineShare, isFirst: Bool)
    }

    @TaskLocal private static var isPlaced = false

    let kind: Kind

    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        // The outermost suite's trait runs first, and uses the innermost one's settings.
        guard !Self.isPlaced else { return try await function() }
        let kind = test.traits.compactMap { $0 as? Self }.last?.kind ?? self.kind
        try await Self.$isPlaced.withValue(true) {
            switch kind {
            case .computing:
                try await Machine.computing.withShare(.small, first: false) {
                    try await withTaskExecutorPreference(ComputingThreads.shared) {
                        try await TestTimes.measure(test, function)
                    }
                }
            case .inTurn(let share, let isFirst):
                try await Machine.shared.withShare(share, first: isFirst) {
                    try await TestTimes.measure(test, function)
                }
            }
        }
    }
}

private final class ComputingThreads: TaskExecutor {
    static let shared = ComputingThreads()

    private let queue = OperationQueue()

    private init() {
        queue.name = "computing tests"
        // The system divides the cores fairly between this queue and Swift's pool.
        queue.maxConcurrentOperationCount = Machine.cores
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.addOperation { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
