// Who is due when: a heap, so that ten thousand domains cost one comparison a level and no task each.

import Evidence
import Foundation
import HeapModule

struct DueQueue {
    /// By its instant alone.
    struct Item: Comparable {
        let at: Date
        let domain: Domain
        /// Of the watcher that it was entered for: one that ended leaves its item behind.
        let watcher: UInt64

        static func < (left: Item, right: Item) -> Bool { left.at < right.at }
    }

    private var heap = Heap<Item>()

    /// The one that is due first.
    var first: Item? { heap.min }

    mutating func add(_ item: Item) { heap.insert(item) }

    mutating func removeFirst() { heap.removeMin() }
}
