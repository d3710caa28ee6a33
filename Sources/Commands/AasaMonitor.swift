import ArgumentParser
import Foundation
import Glibc

/// The command `aasa-monitor`. Each subcommand has its own file. This file holds their list and ends the process.
package struct AasaMonitor: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "aasa-monitor",
        abstract: "Checks and monitors universal links: what your origin serves, and what Apple's CDN serves.",
        discussion: """
            iOS does not read your site's apple-app-site-association file. It reads the copy in Apple's CDN, which \
            lags by hours to weeks and disappears when something blocks Apple's crawler. `check` runs one check, \
            `watch` waits until a change reaches every edge, `run` monitors and alerts, `demo` shows all of it on an \
            embedded lab.

            Exit codes: 0 nothing at severity error, 1 at least one error finding, 64 usage, 65 a file that is not an \
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
        // When a reader goes away, the write fails; otherwise the signal would kill the daemon.
        signal(SIGPIPE, SIG_IGN)
        raiseLimitOfOpenFiles()
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            // For an unknown command ArgumentParser would show the help of its parent and end with 0.
            if arguments.first == "help", let complaint = CommandPath(arguments).complaint {
                throw ValidationError(complaint)
            }
            // A command group alone shows its help. `silence` has a default command, which would ask for targets.
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
        // Help, or a failure that the command has already explained.
        if code == .success || error is ExitCode { exit(withError: error) }
        if code == .validationFailure { end(with: CommandFailure(error, in: arguments)) }
        end(with: CommandFailure(.software, message(for: error)))
    }

    private static func end(with failure: CommandFailure) -> Never {
        if !failure.message.isEmpty { Console.complain(failure.message) }
        Foundation.exit(failure.exit.rawValue)
    }
}

// The limit on open files. Each transfer and each client of the status page takes one. libdispatch ends the process if
// none is left.
extension AasaMonitor {
    /// Enough for a thousand transfers, the status page's clients and the store.
    private static let openFiles: rlim_t = 8192

    /// Raises the soft limit, which many systems set to 1024, as far as the hard limit allows. If that fails, the limit
    /// stays unchanged.
    private static func raiseLimitOfOpenFiles() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < openFiles else {
            return
        }
        limit.rlim_cur = min(openFiles, limit.rlim_max)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
