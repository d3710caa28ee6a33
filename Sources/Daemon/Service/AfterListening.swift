import Alerting
import ServiceLifecycle

/// Begins its service once the status page listens: a daemon that does not get its port checks nothing.
struct AfterListening: NamedService {
    let listening: Wakeup
    let service: any NamedService

    var name: String { service.name }

    func run() async throws {
        await cancelWhenGracefulShutdown { await listening.wait(past: 0) }
        try await service.run()
    }
}
