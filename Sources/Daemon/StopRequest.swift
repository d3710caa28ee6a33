import ServiceLifecycle

/// Ends the group when its host asks for it.
struct StopRequest: Service {
    let untilStopped: @Sendable () async -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown { await untilStopped() }
    }
}
