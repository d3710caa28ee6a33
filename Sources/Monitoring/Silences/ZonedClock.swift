// From what clocks on walls show to instants, across changes of a zone's offset. Foundation's `Calendar` could do it, but
// its answers in skipped and repeated hours depend on policies that differ between its versions; a few lines do not.

import Foundation

/// The wall clocks of one zone. Days are counted from 1970-01-01 as the zone's own calendar has it.
struct ZonedClock {
    let zone: TimeZone

    static let secondsPerDay = 86_400

    /// The day that the zone's clocks show.
    func day(at instant: Date) -> Int {
        let reading = instant.timeIntervalSince1970 + offset(instant.timeIntervalSince1970)
        return Int((reading / Double(Self.secondsPerDay)).rounded(.down))
    }

    /// When the zone's clocks first show a second of a day. What they show twice is taken the first time; what they never
    /// show, in a skipped hour or on a skipped day, is the instant of the change.
    func instant(day: Int, second: Int) -> Date {
        let reading = Double(day * Self.secondsPerDay + second)
        // Offsets lie between -12 h and +14 h, and no zone changes twice in two days: these are before and after any change.
        let before = offset(reading - Double(Self.secondsPerDay))
        let after = offset(reading + Double(Self.secondsPerDay))
        for candidate in [reading - before, reading - after] where candidate + offset(candidate) == reading {
            return Date(timeIntervalSince1970: candidate)
        }
        return Date(timeIntervalSince1970: change(between: reading - after, and: reading - before))
    }

    /// The instant of the only change in `(early, late]`, to the second.
    private func change(between early: Double, and late: Double) -> Double {
        let old = offset(early)
        var early = early
        var late = late
        while late - early > 1 {
            let middle = ((early + late) / 2).rounded(.down)
            if offset(middle) == old { early = middle } else { late = middle }
        }
        return late
    }

    private func offset(_ instant: Double) -> Double {
        Double(zone.secondsFromGMT(for: Date(timeIntervalSince1970: instant)))
    }
}
