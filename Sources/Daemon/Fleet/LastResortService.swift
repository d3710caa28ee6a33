import ServiceLifecycle

/// The one who tells past the store, as a service.
struct LastResortService: Service {
    let lastResort: LastResort

    func run() async throws {
        await cancelWhenGracefulShutdown { await lastResort.run() }
    }
}
