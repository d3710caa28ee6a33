import Foundation

/// A loop that has nothing to do for now.
struct Nap: Equatable, Sendable {
    /// The rings that it heard before it looked for work.
    let rings: UInt64
    /// When it wakes by itself; nil: only a ring wakes it.
    let due: Date?

    func isUndisturbed(at now: Date, rings: UInt64) -> Bool { self.rings == rings && due.map { $0 > now } ?? true }
}

/// All loops nap.
struct Rest: Equatable, Sendable {
    /// When the first of them wakes by itself.
    let next: Date?
}
