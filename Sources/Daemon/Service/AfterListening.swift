import Alerting
import ServiceLifecycle

/// Begins its service once the status page listens: a daemon that does not get its port checks nothing.
struct AfterListening: Service {
    let listening: Wakeup
    let service: any Service

    func run() async throws {
        await cancelWhenGracefulShutdown { await listening.wait(past: 0) }
        try await service.run()
    }
}
