// What may come between a write and the disk, for tests: a disk that is full, a lock that another program holds, the end
// of the process between two writes.

import GRDB

package struct WriteObstacle: Sendable {
    /// Called before each write, with the connection that will write and outside of a transaction. What it throws is
    /// what the write fails with.
    let meet: @Sendable (Database) throws -> Void

    package init(_ meet: @escaping @Sendable (Database) throws -> Void) { self.meet = meet }
}
