// A value that several threads share, for macOS 13 too.

import Foundation

/// Like `Mutex` of the standard library, which needs macOS 15. For modules that build on a Mac.
package final class Locked<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    // Only `withLock` reads or changes it, while it holds the lock.
    private var value: Value

    package init(_ value: Value) { self.value = value }

    /// Runs `body` with the value while no other thread can use it.
    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
