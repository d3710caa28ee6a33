import Synchronization
import Testing

@testable import Evidence

extension EvidenceSuite {
    @Suite("Bounded cache")
    struct BoundedCacheTests {
        @Test("a cached value is made once; the oldest are dropped first, by weight")
        func bounded() {
            let made = Mutex<[Int]>([])
            let memory = BoundedCache<Int, [Int]>(capacity: 10, weight: { $0.count })
            func ask(_ key: Int, weight: Int) {
                let value = memory.value(for: key) {
                    made.withLock { $0.append(key) }
                    return Array(repeating: key, count: weight)
                }
                #expect(value == Array(repeating: key, count: weight))
            }
            for _ in 0..<3 { for key in 0..<5 { ask(key, weight: 2) } }
            #expect(made.withLock(\.self) == [0, 1, 2, 3, 4])
            // Replaces the first two.
            ask(5, weight: 3)
            for key in 2...4 { ask(key, weight: 2) }
            #expect(made.withLock(\.self) == [0, 1, 2, 3, 4, 5])
            ask(0, weight: 2)
            #expect(made.withLock(\.self).last == 0)
            // Heavier than the whole cache, so it is not kept. Later values are.
            for _ in 0..<2 { ask(6, weight: 11) }
            for _ in 0..<2 { ask(7, weight: 1) }
            #expect(made.withLock(\.self) == [0, 1, 2, 3, 4, 5, 0, 6, 6, 7])
            for key in 100..<10_000 { ask(key, weight: 1) }
            ask(9_999, weight: 1)
            #expect(made.withLock { $0.count } == 10 + 9_900)
        }
    }
}
