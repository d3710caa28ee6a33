// When and where a test runs. Each suite says whether its tests compute or wait: a test that waits for its turn then keeps no
// other out, and one that computes holds no thread that others need for an answer within a time.

import Foundation
import Testing

extension Trait where Self == PlaceTrait {
    /// Runs each test on threads outside Swift's pool: for suites that compute long, or wait blocking. Swift's own pool has one
    /// thread a core: two tests that compute for ten seconds each would hold all of it on a machine of two cores.
    package static var computing: Self { Self(kind: .computing) }

    /// Runs each test when so much of the machine is free: for suites that wait for servers, timers or programs.
    package static var inTurn: Self { .inTurn(.small) }

    /// For a test that waits until a limit is over, as for a server that never answers: it holds up nobody, and begins early.
    package static var waitsForTimeout: Self { .inTurn(.waiting, first: true) }

    /// In place of its suite's turn. `first`: before others that wait, for a test that takes long: begun last, it would run alone.
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
        // The outermost suite's trait is asked first, and obeys the innermost.
        guard !Self.isPlaced else { return try await function() }
        let kind = test.traits.compactMap { $0 as? Self }.last?.kind ?? self.kind
        try await Self.$isPlaced.withValue(true) {
            switch kind {
            case .computing:
                try await withTaskExecutorPreference(ComputingThreads.shared) {
                    try await TestTimes.measure(test, function)
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
        // The system shares the cores fairly with Swift's pool.
        queue.maxConcurrentOperationCount = Machine.cores
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.addOperation { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
