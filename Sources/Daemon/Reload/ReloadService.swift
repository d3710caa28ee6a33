import Logging
import MonitorConfiguration
import Monitoring
import ServiceLifecycle
import StatusServer
import UnixSignals

/// Reads the configuration anew at each SIGHUP. One that is no good is told with every fault, and the running one stays.
struct ReloadService: Service {
    /// Trapped since the start: SIGHUP would else end the process without a word.
    let signals: UnixSignalsSequence
    /// Reads and judges; nil where there is no file to read.
    let read: (@Sendable () throws -> (ConfigurationFile, warnings: [ConfigurationProblem]))?
    let reload: Reload
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await _ in signals { await once() }
        }
    }

    private func once() async {
        guard let read else {
            logger.warning("SIGHUP: there is no configuration file to read anew")
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
            await refuse(fault.problems.first { $0.severity == .error }.map { "\($0)" } ?? "\(fault)")
        } catch {
            await refuse("\(error)")
        }
    }

    private func refuse(_ reason: String) async {
        reload.live.refuse(reason, at: reload.maker.time.now())
        reload.site.tellRefusedReload(reason)
        logger.error(
            "the configuration was not reloaded, and the former one stays in force; mend the file and send SIGHUP again",
            metadata: ["reason": "\(reason)"])
        await reload.maker.fleet.judge()
    }
}
