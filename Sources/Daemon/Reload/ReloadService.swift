import Logging
import MonitorConfiguration
import Monitoring
import ServiceLifecycle
import StatusServer
import UnixSignals

/// Reads the configuration anew at each SIGHUP. A file with faults is refused with all of them in the log, and the running
/// configuration stays.
struct ReloadService: NamedService {
    /// Trapped since the start: SIGHUP would otherwise end the process.
    let signals: UnixSignalsSequence
    /// Reads and checks; nil where there is no file to read.
    let read: (@Sendable () throws -> (ConfigurationFile, warnings: [ConfigurationProblem]))?
    let reload: Reload
    let notifier: ServiceNotifier?
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await _ in signals {
                notifier?.reloading()
                await once()
                notifier?.ready()
            }
        }
    }

    private func once() async {
        guard let read else {
            logger.warning("SIGHUP ignored: there is no configuration file")
            return
        }
        do {
            let (configuration, warnings) = try read()
            for warning in warnings { logger.warning("\(warning)") }
            try await reload.apply(configuration)
        } catch is CancellationError {
            return
        } catch let fault as ConfigurationFault {
            for problem in fault.problems { logger.error("\(problem)") }
            refuse(fault.problems.first { $0.severity == .error }.map { "\($0)" } ?? "\(fault)")
        } catch {
            refuse("\(error)")
        }
    }

    private func refuse(_ reason: String) {
        reload.live.refuse(reason, at: reload.factory.time.now())
        reload.site.tellRefusedReload(reason)
        logger.error(
            "configuration not reloaded: the running one stays in force. Correct the file and send SIGHUP again.",
            metadata: ["reason": "\(reason)"])
    }
}
