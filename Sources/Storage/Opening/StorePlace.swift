import Foundation
import Glibc

/// Which file lies at the store's path. SQLite would go on with the one that it opened, though nobody finds it there again.
struct StorePlace: Equatable, Sendable {
    private let device: dev_t
    private let number: ino_t

    /// nil where no file is there.
    init?(_ path: String) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        device = facts.st_dev
        number = facts.st_ino
    }
}
