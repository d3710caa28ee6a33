// What happens when. Instants of the simulated machine are whole milliseconds, because rounding must not decide an
// order.

/// Something that is due.
enum Happening: Equatable, Sendable {
    case site(Int, SiteTurn)
    case receiver(String)
    case check(Int, life: Int)
    case step(String, life: Int)
    case refreshSilences(life: Int)
    case noticeClock(life: Int)
    case retention(life: Int)
    case silence
    case acknowledgement
    case many(isOver: Bool)
    case evaluate(life: Int)
    case machine
    case reload(life: Int)
    /// The audit checks what is due although nothing has happened.
    case audit
    case backup
    case restore
    case crash
    case start
}

/// A queue of events: earlier ones first; at equal instants, the first one that was added.
struct Agenda {
    private struct Entry {
        let at: Int64
        let number: Int
        let what: Happening

        func precedes(_ other: Entry) -> Bool { (at, number) < (other.at, other.number) }
    }

    private var heap: [Entry] = []
    private var count = 0

    mutating func add(_ what: Happening, at instant: Int64) {
        count += 1
        heap.append(Entry(at: instant, number: count, what: what))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].precedes(heap[parent]) else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// The next event that is due by an instant.
    mutating func next(by limit: Int64) -> (at: Int64, what: Happening)? {
        guard let first = heap.first, first.at <= limit else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sink()
        }
        return (first.at, first.what)
    }

    /// Removes what the world does by itself, which calms it down.
    mutating func keep(_ isKept: (Happening) -> Bool) {
        let kept = heap.filter { isKept($0.what) }.sorted { $0.precedes($1) }
        // A sorted list is a valid heap.
        heap = kept
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].precedes(heap[least])
            {
                least = child
            }
            guard least != parent else { return }
            heap.swapAt(least, parent)
            parent = least
        }
    }
}
