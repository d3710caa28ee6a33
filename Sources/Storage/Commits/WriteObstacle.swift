// What may go wrong between a write and the disk, for tests: a full disk, a lock of another program, the end of the
// process between two writes.

import GRDB

package struct WriteObstacle: Sendable {
    /// Called before each write, with the connection that will write and outside of a transaction. What it throws is
    /// what the write fails with.
    let meet: @Sendable (Database) throws -> Void

    package init(_ meet: @escaping @Sendable (Database) throws -> Void) { self.meet = meet }
}
