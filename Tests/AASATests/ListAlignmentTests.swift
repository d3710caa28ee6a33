import TestSupport
import Testing

@testable import AASA

extension AASASuite {
    @Suite("List alignment")
    struct ListAlignmentTests {
        /// The length of a longest common subsequence, by the table that everyone knows.
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

        /// Lists of a few letters, so that they repeat, and of many, so that they do not.
        private func list(_ random: inout SeededGenerator) -> [Int] {
            let letters = Int.random(in: 1...12, using: &random)
            return (0..<Int.random(in: 0...14, using: &random)).map { _ in Int.random(in: 0..<letters, using: &random) }
        }

        @Test("added, removed and moved are as few as a plain table finds", arguments: UInt64(1)...6)
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

        @Test("what is said of the older list makes the newer one", arguments: UInt64(1)...6)
        func applied(_ seed: UInt64) {
            var random = SeededGenerator(seed: seed &+ 40)
            for _ in 0..<400 {
                let (old, new) = (list(&random), list(&random))
                let alignment = ListAlignment(from: old, to: new)
                #expect(alignment.pairs.allSatisfy { old[$0.old] == new[$0.new] })
                #expect((alignment.pairs.map(\.old) + alignment.removed).sorted() == Array(old.indices))
                #expect((alignment.pairs.map(\.new) + alignment.added).sorted() == Array(new.indices))
                #expect(alignment.pairs.map(\.new) == alignment.pairs.map(\.new).sorted())
                // Those that did not move keep their order, so taking out and putting in is all that is left to do.
                let kept = alignment.pairs.filter { !alignment.moved.contains($0) }
                #expect(kept.map(\.old) == kept.map(\.old).sorted())
            }
        }

        enum Shape: String, CaseIterable {
            case shuffled, reversed, rotated, replaced, repeating, equal

            func lists(_ count: Int) -> (old: [Int], new: [Int]) {
                var random = SeededGenerator(seed: 9)
                let old = Array(0..<count)
                return switch self {
                case .shuffled: (old, old.shuffled(using: &random))
                case .reversed: (old, old.reversed())
                case .rotated: (old, Array(old.dropFirst(count / 3) + old.prefix(count / 3)))
                case .replaced: (old, old.map { $0 + count })
                case .repeating: (old.map { $0 % 7 }, old.map { $0 * 3 % 7 })
                case .equal: (old.map { _ in 1 }, old.dropLast().map { _ in 1 } + [2])
                }
            }
        }

        @Test("twice the elements cost about twice the steps", arguments: Shape.allCases)
        func linear(_ shape: Shape) {
            func steps(_ count: Int) -> Int {
                let (old, new) = shape.lists(count)
                return ListAlignment(from: old, to: new).steps
            }
            #expect(steps(8_000) <= 3 * steps(4_000) + 100)
            #expect(steps(16_000) <= 40 * 16_000)
        }

        @Test("one element that moved far is the only one that is told")
        func readable() {
            let old = Array(0..<10_000)
            let new = Array(old.dropFirst(2)) + [0, 1]
            #expect(ListAlignment(from: old, to: new).moved.map(\.old) == [0, 1])
        }
    }
}
