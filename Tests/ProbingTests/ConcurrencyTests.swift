import Testing

@testable import Probing

extension ProbingTests {
    @Suite("Concurrency")
    struct ConcurrencyTests {
        @Test("the first turns go immediately, and the rest no faster than the rate")
        func pace() async throws {
            let pace = RateLimiter(perSecond: 5)
            let begin = ContinuousClock.now
            let ends = try await Probing.together(Array(0..<7)) { _ in
                try await pace.turn()
                return ContinuousClock.now - begin
            }
            #expect(ends.count { $0 < .seconds(1) } <= 5)
            #expect(ContinuousClock.now - begin >= .seconds(1))
        }

        @Test("a task that is cancelled while it waits for a turn returns immediately")
        func paceCancelled() async throws {
            let pace = RateLimiter(perSecond: 0.01)
            try await pace.turn()
            let waiting = Task { try await pace.turn() }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
        }

        @Test("the semaphore never lets in more than its count, and all get in", arguments: [1, 3])
        func places(_ count: Int) async throws {
            let places = AsyncSemaphore(count)
            let room = Room()
            _ = try await Probing.together(Array(0..<50)) { _ in
                try await places.with {
                    await room.enter()
                    for _ in 0..<5 { await Task.yield() }
                    await room.leave()
                }
            }
            #expect(await room.total == 50)
            #expect(await room.most <= count)
        }

        @Test("a task cancelled in the queue returns, and takes no slot")
        func placesCancelled() async throws {
            let places = AsyncSemaphore(1)
            try await places.with {
                let waiting = Task { try await places.with {} }
                waiting.cancel()
                await #expect(throws: CancellationError.self) { try await waiting.value }
            }
            try await places.with {}
        }

        @Test("results come in the order of the items, not in the order of completion", arguments: [nil, 1, 3])
        func together(_ limit: Int?) async throws {
            let doubled = try await Probing.together(Array(0..<20), limit: limit) { item in
                for _ in 0..<(20 - item) { await Task.yield() }
                return item * 2
            }
            #expect(doubled == (0..<20).map { $0 * 2 })
        }
    }
}

private actor Room {
    private var inside = 0
    private(set) var most = 0
    private(set) var total = 0

    func enter() {
        inside += 1
        most = max(most, inside)
        total += 1
    }

    func leave() { inside -= 1 }
}
