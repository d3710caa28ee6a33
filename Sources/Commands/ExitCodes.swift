import ArgumentParser

/// The exit codes of the contract; 64 is ArgumentParser's own for usage, and ours for targets that are no domains.
enum MonitorExit: Int32, CaseIterable {
    case fine = 0
    /// At least one error finding.
    case found = 1
    case usage = 64
    /// `match`, `diff`: a source is not an association file.
    case notAFile = 65
    /// An input file is missing or cannot be read.
    case noInput = 66
    /// A fault of the program or of its machine.
    case software = 70
    case configuration = 78
    /// Ctrl-C, in a command that would have gone on: 128 and the number of the signal, as shells count.
    case interrupted = 130
    /// The reader of a command that would have gone on has gone: 128 and the number of SIGPIPE.
    case unread = 141

    var code: ExitCode { ExitCode(rawValue) }
}

/// An end that the command has already explained on standard error.
struct CommandFailure: Error, CustomStringConvertible {
    let exit: MonitorExit
    let message: String

    var description: String { message }

    init(_ exit: MonitorExit, _ message: String) {
        self.exit = exit
        self.message = message
    }
}
