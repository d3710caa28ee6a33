// Where tests that compute run. Swift's own pool has one thread a core: two tests that compute for ten seconds each would
// hold all of it on a machine of two cores, and whoever waits for an answer within a time would wait in vain.

import Foundation
import Testing

extension Trait where Self == ComputingTrait {
    /// Runs each test on threads outside Swift's pool: for suites that compute long, or wait blocking.
    package static var computing: Self { Self() }
}

package struct ComputingTrait: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(ComputingThreads.shared) { try await function() }
    }
}

private final class ComputingThreads: TaskExecutor {
    static let shared = ComputingThreads()

    private let queue = OperationQueue()

    private init() {
        queue.name = "computing tests"
        // As many as the smallest machine has cores; the system shares those fairly with Swift's pool.
        queue.maxConcurrentOperationCount = 2
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.addOperation { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
