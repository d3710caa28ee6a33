import Synchronization

/// Keeps a log free of repetitions: trouble that stays, such as a store that takes no writes, is logged once.
package final class LogDeduplicator: Sendable {
    private let last = Mutex<String?>(nil)

    package init() {}

    /// Remembers a trouble by its words. Returns whether it differs from the last one.
    package func isNews(_ trouble: String) -> Bool {
        last.withLock { last in
            defer { last = trouble }
            return last != trouble
        }
    }

    /// Forgets the trouble. Returns whether there was one.
    @discardableResult
    package func isOver() -> Bool {
        last.withLock { last in
            defer { last = nil }
            return last != nil
        }
    }
}
