import ArgumentParser
import Daemon
// Every file of this module needs its output and its exit codes.
@_exported import FileCommands
import Glibc
import Logging

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
            association file, 66 an input file that is missing or cannot be read, 70 a fault of ours or of this machine \
            alone, 78 configuration.
            """,
        version: Version.text,
        subcommands: [
            CheckCommand.self, RunCommand.self, WatchCommand.self, StatusCommand.self, IncidentsCommand.self,
            HistoryCommand.self,
        ] + FileMonitor.commands(Network.self) + [
            DeviceCommand.self, InitCommand.self, ConfigCommand.self, AlertCommand.self, SilenceCommand.self,
            AcknowledgeCommand.self,
            UnacknowledgeCommand.self, DeliveriesCommand.self, StoreCommand.self, DemoCommand.self,
        ])

    package init() {}

    /// Parses the command line, runs the command, ends the process with the contract's exit code.
    package static func start() async {
        // When a reader goes away, the write fails; otherwise the signal would kill the daemon.
        signal(SIGPIPE, SIG_IGN)
        raiseLimitOfOpenFiles()
        let arguments = Array(CommandLine.arguments.dropFirst())
        // A command group alone shows its help. `silence` has a default command, which would ask for targets.
        await runToEnd(
            arguments == ["silence"] ? ["silence", "--help"] : arguments, complaining: Console.complain)
    }
}

extension Console {
    /// A remark about the failure that ends the command; an error in the journal, line by line.
    static func complain(_ text: String) {
        guard Journal.takesStandardError else { return remark(text) }
        let lines = "aasa-monitor: \(text)".split(separator: "\n", omittingEmptySubsequences: false)
        note(lines.map { Journal.priority(.error) + $0 }.joined(separator: "\n"))
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
