import ServiceLifecycle

/// All that the daemon does from its start to its end, as one service: the groups within end when it is asked to.
struct WholeRun: Service {
    let work: @Sendable () async throws -> Void

    func run() async throws { try await work() }
}
