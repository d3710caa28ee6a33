import ArgumentParser
import Foundation

/// The command `aasa-monitor` in a build without the network, which a Mac can build (the trait `Files`).
package struct FileMonitor: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "aasa-monitor",
        abstract: "Checks apple-app-site-association files: this build reads files only.",
        discussion: """
            Exit codes: 0 nothing at severity error, 1 at least one error finding, 64 usage, 65 a file that is not an \
            association file, 66 an input file that is missing or cannot be read, 70 our own fault.
            """,
        version: "aasa-monitor \(Version.number), for files only",
        subcommands: commands(FilesOnly.self))

    package init() {}

    /// The commands that read files. `Network`: how they reach sites.
    package static func commands<Network: Remote>(_: Network.Type) -> [any ParsableCommand.Type] {
        [LintCommand<Network>.self, MatchCommand<Network>.self, DiffCommand<Network>.self, AuditCommand<Network>.self]
    }

    /// Runs the command line, as `AasaMonitor.start()` does.
    package static func start() async {
        signal(SIGPIPE, SIG_IGN)
        await runToEnd(complaining: Console.remark)
    }
}

extension AsyncParsableCommand {
    /// Parses the command line, runs the command, ends the process with the contract's exit code. `complaining`: writes the
    /// message of a failure.
    package static func runToEnd(
        _ arguments: [String] = Array(CommandLine.arguments.dropFirst()), complaining: (String) -> Void
    ) async {
        do {
            // For an unknown command ArgumentParser would show the help of its parent and end with 0.
            if arguments.first == "help", let complaint = CommandPath(arguments, of: self).complaint {
                throw ValidationError(complaint)
            }
            var command = try await asyncParseAsRoot(arguments)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let failure as CommandFailure {
            end(with: failure, complaining)
        } catch {
            end(with: error, arguments, complaining)
        }
    }

    private static func end(
        with error: any Error, _ arguments: [String], _ complaining: (String) -> Void
    ) -> Never {
        let code = exitCode(for: error)
        // Help, or a failure that the command has already explained.
        if code == .success || error is ExitCode { exit(withError: error) }
        if code == .validationFailure { end(with: CommandFailure(error, in: arguments, of: self), complaining) }
        end(with: CommandFailure(.software, message(for: error)), complaining)
    }

    private static func end(with failure: CommandFailure, _ complaining: (String) -> Void) -> Never {
        if !failure.message.isEmpty { complaining(failure.message) }
        Foundation.exit(failure.exit.rawValue)
    }
}
