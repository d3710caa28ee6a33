import ArgumentParser
import Foundation
import Glibc

/// The command `aasa-monitor`. Each subcommand has a file of its own; this one only knows their list and how they end.
package struct AasaMonitor: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "aasa-monitor",
        abstract: "Checks and monitors universal links: what your origin serves, and what Apple's CDN serves.",
        discussion: """
            iOS does not read your site's apple-app-site-association file: it reads the copy in Apple's CDN, which lags \
            by hours to weeks and goes missing when something keeps Apple's crawler out. `check` looks once, `watch` \
            waits for a change to reach every edge, `run` watches and alerts, `demo` shows it all on a lab of its own.

            Exit codes: 0 nothing at severity error, 1 at least one error finding, 64 usage, 65 a file that is no \
            association file, 66 an input file that is missing or cannot be read, 70 our own fault, 78 configuration.
            """,
        version: Version.text,
        subcommands: [
            CheckCommand.self, RunCommand.self, WatchCommand.self, StatusCommand.self, IncidentsCommand.self,
            HistoryCommand.self,
            LintCommand.self, MatchCommand.self, DiffCommand.self, DeviceCommand.self, AuditCommand.self,
            InitCommand.self, ConfigCommand.self, AlertCommand.self, SilenceCommand.self, AcknowledgeCommand.self,
            UnacknowledgeCommand.self, DeliveriesCommand.self, StoreCommand.self, DemoCommand.self,
        ])

    package init() {}

    /// Parses the command line, runs the command, ends the process with the contract's exit code.
    package static func start() async {
        // A reader that goes away shows as a failed write, not as a signal that kills the daemon.
        signal(SIGPIPE, SIG_IGN)
        raiseLimitOfOpenFiles()
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            // ArgumentParser shows the help of what it knows, and ends with 0.
            if arguments.first == "help", let complaint = CommandPath(arguments).complaint {
                throw ValidationError(complaint)
            }
            // A group of commands without one shows its help; `silence` would ask for the targets of a new one.
            var command = try await asyncParseAsRoot(arguments == ["silence"] ? ["silence", "--help"] : arguments)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let failure as CommandFailure {
            end(with: failure)
        } catch {
            end(with: error, arguments)
        }
    }

    private static func end(with error: any Error, _ arguments: [String]) -> Never {
        let code = exitCode(for: error)
        // Help, or an end that has been explained already.
        if code == .success || error is ExitCode { exit(withError: error) }
        if code == .validationFailure { end(with: CommandFailure(error, in: arguments)) }
        end(with: CommandFailure(.software, message(for: error)))
    }

    private static func end(with failure: CommandFailure) -> Never {
        if !failure.message.isEmpty { Console.complain(failure.message) }
        Foundation.exit(failure.exit.rawValue)
    }
}

// The limit on open files. Each transfer and each reader of the status page takes one, and libdispatch ends the process where
// it finds none left.
extension AasaMonitor {
    /// Enough for a thousand transfers, the status page's readers and the store.
    private static let openFiles: rlim_t = 8192

    /// Raises the soft limit, which many systems set to 1024, as far as the hard one allows. Where that fails the limit
    /// stays what it was.
    private static func raiseLimitOfOpenFiles() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < openFiles else {
            return
        }
        limit.rlim_cur = min(openFiles, limit.rlim_max)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
