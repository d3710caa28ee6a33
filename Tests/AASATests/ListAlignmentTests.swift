import TestSupport
import Testing

@testable import AASA

extension AASASuite {
    @Suite("List alignment")
    struct ListAlignmentTests {
        /// The length of a longest common subsequence, by the textbook table.
        private func common(_ old: [Int], _ new: [Int]) -> Int {
            var row = Array(repeating: 0, count: new.count + 1)
            for element in old {
                var diagonal = 0
                for (index, other) in new.enumerated() {
                    let above = row[index + 1]
                    row[index + 1] = element == other ? diagonal + 1 : max(above, row[index])
                    diagonal = above
                }
            }
            return row.last ?? 0
        }

        private func counts(_ list: [Int]) -> [Int: Int] {
            Dictionary(list.map { ($0, 1) }, uniquingKeysWith: +)
        }

        /// Lists of few letters, which repeat, and of many, which do not.
        private func list(_ random: inout SeededGenerator) -> [Int] {
            let letters = Int.random(in: 1...12, using: &random)
            return (0..<Int.random(in: 0...14, using: &random)).map { _ in Int.random(in: 0..<letters, using: &random) }
        }

        @Test("the numbers of additions, removals and moves are minimal", arguments: UInt64(1)...6)
        func minimal(_ seed: UInt64) {
            var random = SeededGenerator(seed: seed)
            for round in 0..<400 {
                let old = list(&random)
                let new = round % 3 == 0 ? old.shuffled(using: &random) : list(&random)
                let alignment = ListAlignment(from: old, to: new)
                let shared = counts(old).reduce(0) { $0 + min($1.value, counts(new)[$1.key] ?? 0) }
                #expect(alignment.pairs.count == shared, "\(old) \(new)")
                #expect(alignment.removed.count == old.count - shared, "\(old) \(new)")
                #expect(alignment.added.count == new.count - shared, "\(old) \(new)")
                #expect(alignment.moved.count == shared - common(old, new), "\(old) \(new)")
            }
        }

        @Test("applying the alignment to the old list gives the new one", arguments: UInt64(1)...6)
        func applied(_ seed: UInt64) {
            var random = SeededGenerator(seed: seed &+ 40)
            for _ in 0..<400 {
                let (old, new) = (list(&random), list(&random))
                let alignment = ListAlignment(from: old, to: new)
                #expect(alignment.pairs.allSatisfy { old[$0.old] == new[$0.new] })
                #expect((alignment.pairs.map(\.old) + alignment.removed).sorted() == Array(old.indices))
                #expect((alignment.pairs.map(\.new) + alignment.added).sorted() == Array(new.indices))
                #expect(alignment.pairs.map(\.new) == alignment.pairs.map(\.new).sorted())
                // Elements that did not move keep their order, so only removals and insertions remain.
                let kept = alignment.pairs.filter { !alignment.moved.contains($0) }
                #expect(kept.map(\.old) == kept.map(\.old).sorted())
            }
        }

        @Test("elements that moved far are the only ones reported")
        func readable() {
            let old = Array(0..<ListAlignment.maximumOrdered)
            let new = Array(old.dropFirst(2)) + [0, 1]
            #expect(ListAlignment(from: old, to: new).moved.map(\.old) == [0, 1])
        }

        @Test("long lists report no moves, but still additions and removals")
        func long() {
            let old = Array(0..<100_000)
            let alignment = ListAlignment(from: old, to: old.dropFirst().reversed() + [-1])
            #expect(alignment.moved.isEmpty)
            #expect(alignment.removed == [0])
            #expect(alignment.added == [99_999])
            #expect(alignment.pairs.allSatisfy { $0.old + $0.new == 99_999 })
        }
    }
}
