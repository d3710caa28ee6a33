// Which addresses are probed as Apple's agents, and when a second time.

import Evidence
import Facts
import Foundation
import Synchronization
import Testing

@testable import Probing

extension ProbingTests {
    @Suite("Probes as Apple's agents")
    struct AgentPlanTests {
        private static func addresses(_ four: Int, _ six: Int = 0) -> [ResolvedAddress] {
            (0..<six).map { ResolvedAddress(address: "2001:db8::\($0 + 1)", scope: .public) }
                + (0..<four).map { ResolvedAddress(address: "192.0.2.\($0 + 1)", scope: .public) }
        }

        private static func fetched(_ status: Int) -> FetchResult {
            let body = Answer.Body(
                hash: ContentHash(of: "file".utf8), decodedBytes: 4, wireBytes: 4, end: .complete)
            return FetchResult(
                retrieval: Retrieval(url: "", outcome: .answered(Answer(status: status, headers: [], body: body))))
        }

        private static func failed(
            _ kind: Failure.Kind, _ phase: Failure.Phase = .waiting, milliseconds: Double = 1
        ) -> FetchResult {
            FetchResult(
                retrieval: Retrieval(
                    url: "", outcome: .failed(Failure(kind: kind, phase: phase, detail: "")),
                    connection: connection(milliseconds)))
        }

        private static func connection(_ milliseconds: Double) -> Connection {
            Connection(
                address: nil, port: 443, httpVersion: nil, tls: nil, timings: Timings(total: milliseconds))
        }

        /// The probes in order, and their results. `answer`: to an agent or, for nil, to a plain client, by the number
        /// of its request.
        private static func run(
            _ plain: FetchResult, _ answer: @escaping @Sendable (AgentResult.Agent?, _ time: Int) -> FetchResult?
        ) async throws -> (asked: [AgentResult.Agent?], fetches: [(agent: AgentResult.Agent, fetched: FetchResult)]) {
            let asked = Asked()
            let plan = AgentPlan { agent in answer(agent, asked.note(agent)) }
            let fetches = try await plan.fetches(besides: plain)
            return (asked.all.withLock { $0 }, fetches)
        }

        private final class Asked: Sendable {
            let all = Mutex<[AgentResult.Agent?]>([])

            func note(_ agent: AgentResult.Agent?) -> Int {
                all.withLock { all in
                    all.append(agent)
                    return all.count { $0 == agent }
                }
            }
        }

        @Test(
            "all of a few addresses are probed, four of many, from both families if both exist",
            arguments: [
                (1, 0, [0]), (2, 0, [0, 1]), (9, 0, [0, 1, 2, 3]), (4, 6, [0, 1, 6, 7]), (1, 6, [0, 1, 2, 6]),
                (6, 1, [0, 1, 2, 3]), (0, 5, [0, 1, 2, 3]),
            ])
        func places(_ four: Int, _ six: Int, _ expected: [Int]) {
            #expect(AgentPlan.chosen(Self.addresses(four, six)).sorted() == expected)
        }

        @Test("an agent that gets the same answer as a plain client is probed once")
        func once() async throws {
            let (asked, fetches) = try await Self.run(Self.fetched(200)) { _, _ in Self.fetched(200) }
            #expect(asked == [.crawler, .device])
            #expect(fetches.map(\.agent) == [.crawler, .device])
        }

        @Test(
            "an agent with a different answer is probed again after a plain request, and the better answer counts",
            arguments: [200, 403])
        func onceAgain(_ second: Int) async throws {
            let (asked, fetches) = try await Self.run(Self.fetched(200)) { agent, time in
                agent == .crawler ? Self.fetched(time == 1 ? 403 : second) : Self.fetched(200)
            }
            #expect(asked == [.crawler, nil, .crawler, .device])
            #expect(fetches.map { $0.fetched.retrieval.answer?.status } == [second, 200])
        }

        @Test("answers that change because of our requests prove no rule about agents, and end the probes")
        func provoked() async throws {
            // The first request as an agent is one too many: from then on every request is refused.
            let (asked, fetches) = try await Self.run(Self.fetched(200)) { _, _ in Self.fetched(403) }
            #expect(asked == [.crawler, nil])
            #expect(fetches.isEmpty)
        }

        @Test("a server that limits requests gets no more of them", arguments: [429, 503])
        func limited(_ status: Int) async throws {
            let (asked, fetches) = try await Self.run(Self.fetched(200)) { _, _ in Self.fetched(status) }
            #expect(asked == [.crawler])
            #expect(fetches.map { $0.fetched.retrieval.answer?.status } == [status])
        }

        @Test(
            "a timed-out agent is not probed again; its time-out counts only at over twice the plain answer's time",
            arguments: [(6.0, 4.0), (6.0, 13.0)])
        func slow(_ plain: Double, _ given: Double) async throws {
            var answered = Self.fetched(200)
            answered.retrieval.connection = Self.connection(plain)
            let (asked, fetches) = try await Self.run(answered) { _, _ in Self.failed(.timedOut, milliseconds: given) }
            #expect(asked == [.crawler, .device])
            #expect(fetches.count == (given > 2 * plain ? 2 : 0))
        }

        @Test("without time for a second probe, the first one proves nothing")
        func outOfTime() async throws {
            let (asked, fetches) = try await Self.run(Self.fetched(200)) { agent, _ in
                agent == nil ? nil : Self.fetched(403)
            }
            #expect(asked == [.crawler, nil])
            #expect(fetches.isEmpty)
        }

        @Test(
            "if no server reads a request, agents are not probed",
            arguments: [Failure.Phase.connecting, .handshaking, .waiting])
        func dead(_ phase: Failure.Phase) async throws {
            let (asked, fetches) = try await Self.run(Self.failed(.connectionReset, phase)) { _, _ in
                Self.failed(.connectionReset, phase)
            }
            #expect(asked.count == (phase == .waiting ? 2 : 0))
            #expect(fetches.isEmpty)
        }
    }
}
