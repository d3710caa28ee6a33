// One seed decides everything random in a run.

import Foundation
import Synchronization
import TestSupport

struct Dice {
    private var generator: SeededGenerator

    /// `stream`: a separate sequence, which does not shift when another part of the world draws once more.
    init(seed: UInt64, stream: UInt64) { generator = SeededGenerator(seed: seed &* 1_000_003 &+ stream) }

    mutating func happens(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &generator) < probability }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    mutating func share() -> Double { Double.random(in: -1...1, using: &generator) }

    /// A time in milliseconds, exponentially distributed with this mean in hours.
    mutating func hours(mean: Double) -> Int64 {
        let share = Double.random(in: 0.000_1..<1, using: &generator)
        return max(1, Int64(-log(share) * mean * 3_600_000))
    }

    mutating func hours(_ range: ClosedRange<Double>) -> Int64 {
        Int64(Double.random(in: range, using: &generator) * 3_600_000)
    }

    mutating func pick<Value>(_ values: [Value]) -> Value? { values.randomElement(using: &generator) }
}

/// Random values that the product draws itself, on its own threads.
final class Jitter: Sendable {
    private let dice: Mutex<Dice>

    init(_ dice: Dice) { self.dice = Mutex(dice) }

    /// From -1 to 1.
    func draw() -> Double { dice.withLock { $0.share() } }
}
