// Which edges of the CDN are asked, and in what order.

import Evidence
import Facts
import Foundation
import Testing

@testable import Probing

extension ProbingTests {
    @Suite("Edges that do not answer")
    struct EdgeHealthTests {
        private static let answered = Retrieval(
            url: "",
            outcome: .answered(
                Answer(status: 404, headers: [], body: .init(hash: nil, decodedBytes: 0, wireBytes: 0, end: .complete)))
        )

        private static func failed(_ kind: Failure.Kind) -> Retrieval {
            Retrieval(url: "", outcome: .failed(Failure(kind: kind, phase: .connecting, detail: "")))
        }

        private let health = CircuitBreaker()
        private let start = ContinuousClock.now

        @Test("after three time-outs in a row an edge is asked once a minute, until it answers")
        func silent() {
            for count in 0..<3 {
                #expect(health.mayAsk("a", at: start), "\(count)")
                health.note(Self.failed(.timedOut), from: "a", at: start)
            }
            #expect(!health.mayAsk("a", at: start + .seconds(59)))
            #expect(health.mayAsk("b", at: start))
            #expect(health.mayAsk("a", at: start + .seconds(60)))
            // One request stands for all.
            #expect(!health.mayAsk("a", at: start + .seconds(61)))
            health.note(Self.failed(.timedOut), from: "a", at: start + .seconds(70))
            #expect(!health.mayAsk("a", at: start + .seconds(129)))
            #expect(health.mayAsk("a", at: start + .seconds(130)))
            health.note(Self.answered, from: "a", at: start + .seconds(131))
            #expect(health.mayAsk("a", at: start + .seconds(131)))
        }

        @Test(
            "other results than a time-out reset the count", arguments: [Failure.Kind.connectionRefused, .tlsHandshake])
        func others(_ kind: Failure.Kind) {
            for kind in [Failure.Kind.timedOut, .timedOut, kind, .timedOut] {
                health.note(Self.failed(kind), from: "a", at: start)
            }
            #expect(health.mayAsk("a", at: start))
        }

        @Test("the first edge is tried first, unless it was skipped within the last minute or is silent")
        func order() {
            #expect(health.ordered(["a", "b", "c"], at: start) == ["a", "b", "c"])
            health.notePassedOver("a", at: start)
            #expect(health.ordered(["a", "b", "c"], at: start + .seconds(59)) == ["b", "c", "a"])
            #expect(health.ordered(["a", "b", "c"], at: start + .seconds(60)) == ["a", "b", "c"])
            #expect(health.mayAsk("a", at: start))
            for _ in 0..<3 { health.note(Self.failed(.timedOut), from: "b", at: start) }
            #expect(health.ordered(["a", "b", "c"], at: start + .seconds(3600)) == ["a", "c", "b"])
            health.note(Self.answered, from: "b", at: start)
            #expect(health.ordered(["a", "b", "c"], at: start + .seconds(60)) == ["a", "b", "c"])
        }
    }
}
