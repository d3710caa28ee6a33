// Addresses that showed wrong tokens wait before another token of theirs is looked at, a right one too.

import Evidence

/// The first few mistakes cost nothing; each further one doubles the wait. What an address did is forgotten after a while,
/// and with its first right token.
struct WrongTokens: Sendable {
    private struct Record {
        var count = 0
        var last: ContinuousClock.Instant
        var waitsUntil: ContinuousClock.Instant
        var isLogged = false
    }

    private var records: [HostAddress: Record] = [:]

    private static let free = 5
    private static let longest = Duration.seconds(30)
    private static let memory = Duration.seconds(600)
    /// Addresses that are remembered. Of more the one is forgotten whose last mistake is oldest.
    private static let capacity = 1024

    /// How long a client still waits; nil: not at all.
    func pause(of client: HostAddress, at now: ContinuousClock.Instant) -> Duration? {
        guard let record = records[client], record.waitsUntil > now else { return nil }
        return now.duration(to: record.waitsUntil)
    }

    /// Whether it is the first request of this wait, which alone is logged.
    mutating func isNews(_ client: HostAddress) -> Bool {
        defer { records[client]?.isLogged = true }
        return records[client]?.isLogged == false
    }

    mutating func note(_ client: HostAddress, at now: ContinuousClock.Instant) {
        var record = records[client] ?? Record(last: now, waitsUntil: now)
        if record.last.duration(to: now) > Self.memory { record.count = 0 }
        record.count += 1
        record.last = now
        record.isLogged = false
        let beyond = record.count - Self.free
        record.waitsUntil = beyond < 0 ? now : now + min(Self.longest, .seconds(1 << min(beyond, 10)))
        if records[client] == nil, records.count >= Self.capacity,
            let oldest = records.min(by: { $0.value.last < $1.value.last })?.key
        {
            records[oldest] = nil
        }
        records[client] = record
    }

    mutating func forget(_ client: HostAddress) { records[client] = nil }
}
