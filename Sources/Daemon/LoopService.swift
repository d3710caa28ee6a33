import ServiceLifecycle

/// A loop as a service: it is cancelled when the daemon ends.
struct LoopService: NamedService {
    let name: String
    let body: @Sendable () async -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown { await body() }
    }
}
