import Foundation

/// Who types the command.
enum Operator {
    /// `user@host`.
    static var name: String { "\(NSUserName())@\(ProcessInfo.processInfo.hostName)" }
}
