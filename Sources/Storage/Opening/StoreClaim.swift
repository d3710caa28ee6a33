// The right to a store from the first try to open it on. A monitor that gave it back between its tries would lose the store
// to whoever tries it then, and two that wait side by side would each tell of it under an id of its own.

import Synchronization

/// One monitor's claim on a store, over any number of tries to open it. It ends with the store that was opened under it, and
/// with itself where none was.
package final class StoreClaim: Sendable {
    private let path: String
    private let lock = Mutex<FileLock?>(nil)

    /// Nothing is claimed yet.
    package init(path: String) { self.path = path }

    /// The lock, taken at the first call that can have it.
    func held() throws(StoreError) -> FileLock {
        try lock.withLock { known throws(StoreError) in
            if let known { return known }
            let taken = try FileLock(path: path + ".lock", store: path)
            known = taken
            return taken
        }
    }
}
