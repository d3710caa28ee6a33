import Synchronization

/// What somebody who comes back again and again has said of a trouble, such as a store that is away: trouble that stays is
/// told once, and not each time.
package final class ToldOnce: Sendable {
    private let told = Mutex<String?>(nil)

    package init() {}

    /// Takes note of a trouble, by its words. Returns whether it is news; another one is.
    package func isNews(_ trouble: String) -> Bool {
        told.withLock { told in
            defer { told = trouble }
            return told != trouble
        }
    }

    /// Takes note that all is well. Returns whether that is news.
    @discardableResult
    package func isOver() -> Bool {
        told.withLock { told in
            defer { told = nil }
            return told != nil
        }
    }
}
