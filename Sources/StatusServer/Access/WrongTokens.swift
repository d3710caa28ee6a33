// After wrong tokens, an address must wait before another token from it is checked, even a right one.

import Evidence
import Facts
import Foundation

/// The first few mistakes cost nothing; each further one doubles the wait. The mistakes of an address are forgotten after a
/// while, or after a right token.
struct WrongTokens: Sendable {
    private struct Record {
        var count = 0
        var last: Date
        var waitsUntil: Date
        var isLogged = false
    }

    private var records: [HostAddress: Record] = [:]

    private static let free = 5
    /// Seconds.
    private static let longest = 30.0
    private static let memory = 600.0
    /// The most addresses remembered. At the limit, the one with the oldest last mistake is forgotten.
    private static let capacity = 1024

    /// How many seconds a client still waits; nil: none.
    func pause(of client: HostAddress, at now: Date) -> TimeInterval? {
        guard let record = records[client], record.waitsUntil > now else { return nil }
        return record.waitsUntil.timeIntervalSince(now)
    }

    /// Whether it is the first request of this wait: only that one is logged.
    mutating func isNews(_ client: HostAddress) -> Bool {
        defer { records[client]?.isLogged = true }
        return records[client]?.isLogged == false
    }

    mutating func note(_ client: HostAddress, at now: Date) {
        var record = records[client] ?? Record(last: now, waitsUntil: now)
        if now.timeIntervalSince(record.last) > Self.memory { record.count = 0 }
        record.count += 1
        record.last = now
        record.isLogged = false
        let beyond = record.count - Self.free
        record.waitsUntil = beyond < 0 ? now : now + min(Self.longest, TimeInterval(1 << min(beyond, 10)))
        if records[client] == nil, records.count >= Self.capacity,
            let oldest = records.min(by: { $0.value.last < $1.value.last })?.key
        {
            records[oldest] = nil
        }
        records[client] = record
    }

    mutating func forget(_ client: HostAddress) { records[client] = nil }
}
