import Logging
import ServiceLifecycle
import UnixSignals

/// Catches SIGHUP, which would else end the process without a word.
struct ReloadSignal: Service {
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await _ in await UnixSignalsSequence(trapping: .sighup) {
                logger.warning("SIGHUP: this version does not reload its configuration; restart it instead")
            }
        }
    }
}
