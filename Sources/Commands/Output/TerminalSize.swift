import Foundation

/// The terminal at standard output.
struct TerminalSize: Equatable, Sendable {
    let columns: Int
    let rows: Int

    /// nil where standard output is no terminal, or one that cannot move its cursor.
    static var standardOutput: TerminalSize? {
        guard isatty(STDOUT_FILENO) == 1, ProcessInfo.processInfo.environment["TERM"] != "dumb" else { return nil }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return TerminalSize(columns: 80, rows: 24)
        }
        return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }
}
