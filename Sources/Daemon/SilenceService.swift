import Alerting
import ServiceLifecycle

/// The watch over silences as a service. What it had not yet made good when the process ends, the next one does.
struct SilenceService: Service {
    let watch: SilenceWatch

    func run() async throws {
        await cancelWhenGracefulShutdown { await watch.run() }
    }
}
