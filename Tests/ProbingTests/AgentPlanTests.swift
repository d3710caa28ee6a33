// At which addresses Apple's agents are asked, and when once more.

import Evidence
import Foundation
import Testing

@testable import Probing

extension ProbingTests {
    @Suite("Where Apple's agents are asked")
    struct AgentPlanTests {
        private static func addresses(_ four: Int, _ six: Int = 0) -> [ResolvedAddress] {
            (0..<six).map { ResolvedAddress(address: "2001:db8::\($0 + 1)", scope: .public) }
                + (0..<four).map { ResolvedAddress(address: "192.0.2.\($0 + 1)", scope: .public) }
        }

        private static func sight(_ status: Int, _ text: String = "file") -> Sight {
            let answer = Answer(
                status: status, headers: [],
                body: .init(
                    hash: ContentHash(of: Data(text.utf8)), decodedBytes: text.count, wireBytes: text.count,
                    end: .complete))
            return Sight(retrieval: Retrieval(url: "", outcome: .answered(answer)), contents: [:])
        }

        private static func failed(_ kind: Failure.Kind) -> Sight {
            Sight(
                retrieval: Retrieval(url: "", outcome: .failed(Failure(kind: kind, phase: .waiting, detail: ""))),
                contents: [:])
        }

        private static func agents(_ questions: [AddressQuestion]) -> [Int] {
            Set(questions.filter { $0.agent != nil }.map(\.place)).sorted()
        }

        @Test(
            "every address of a few is asked, four of many, of both families where there are both",
            arguments: [
                (1, 0, [0]), (2, 0, [0, 1]), (9, 0, [0, 1, 2, 3]), (4, 6, [0, 1, 6, 7]), (1, 6, [0, 1, 2, 6]),
                (6, 1, [0, 1, 2, 3]), (0, 5, [0, 1, 2, 3]),
            ])
        func places(_ four: Int, _ six: Int, _ expected: [Int]) {
            let plan = AgentPlan(Self.addresses(four, six))
            #expect(Self.agents(plan.first) == expected)
            #expect(plan.first.count == four + six + 2 * expected.count)
        }

        @Test("where all answer alike, nothing is asked besides")
        func healthy() {
            var plan = AgentPlan(Self.addresses(9))
            for question in plan.first {
                plan.note(Self.sight(200), to: question)
                #expect(plan.next(mayWiden: true) == [])
            }
            #expect(plan.agentSights.count == 8)
        }

        @Test(
            "an agent that is answered otherwise is asked once more, and the better answer counts",
            arguments: [200, 403])
        func onceMore(_ second: Int) {
            var plan = AgentPlan(Self.addresses(2))
            let doubtful = AddressQuestion(place: 1, agent: .crawler)
            for question in plan.first { plan.note(Self.sight(question == doubtful ? 403 : 200), to: question) }
            #expect(plan.next(mayWiden: true) == [doubtful])
            #expect(plan.next(mayWiden: true) == [])
            plan.note(Self.sight(second), to: doubtful)
            #expect(plan.next(mayWiden: true) == [])
            #expect(plan.agentSights.first { $0.question == doubtful }?.sight.retrieval.answer?.status == second)
        }

        @Test("who took all the time there was is not asked again")
        func slow() {
            var plan = AgentPlan(Self.addresses(1))
            for question in plan.first {
                plan.note(question.agent == nil ? Self.sight(200) : Self.failed(.timedOut), to: question)
            }
            #expect(plan.next(mayWiden: true) == [])
        }

        @Test("an answer of its own beyond the first four has its agents asked, one that others give has not")
        func widened() {
            var plan = AgentPlan(Self.addresses(7))
            for place in 0..<7 {
                plan.note(Self.sight(place == 5 || place == 6 ? 503 : 200), to: AddressQuestion(place: place))
            }
            #expect(Self.agents(plan.next(mayWiden: false)) == [])
            #expect(Self.agents(plan.next(mayWiden: true)) == [5])
            #expect(plan.next(mayWiden: true) == [])
        }

        @Test("while a chosen address may still answer it speaks for others; dead ones do not for ever")
        func patience() {
            var plan = AgentPlan(Self.addresses(6))
            plan.note(Self.sight(200), to: AddressQuestion(place: 4))
            plan.note(Self.sight(200), to: AddressQuestion(place: 5))
            #expect(plan.next(mayWiden: true) == [])
            plan.isPatient = false
            #expect(Self.agents(plan.next(mayWiden: true)) == [4])
            for agent in AgentLook.Agent.allCases {
                plan.note(Self.sight(403), to: AddressQuestion(place: 4, agent: agent))
                plan.note(Self.failed(.timedOut), to: AddressQuestion(place: 0, agent: agent))
            }
            #expect(plan.agentSights.map(\.question.place) == [4, 4])
        }

        @Test("at most eight addresses see Apple's agents")
        func bounded() {
            var plan = AgentPlan(Self.addresses(20))
            for place in 0..<20 { plan.note(Self.sight(200, "file \(place)"), to: AddressQuestion(place: place)) }
            #expect(Self.agents(plan.next(mayWiden: true)) == [4, 5, 6, 7])
            #expect(plan.next(mayWiden: true) == [])
        }

        @Test("looks at an address that answers nobody are left out, unless there are no others")
        func dead() {
            var plan = AgentPlan(Self.addresses(2))
            for question in plan.first {
                plan.note(question.place == 0 ? Self.failed(.connectionRefused) : Self.sight(200), to: question)
            }
            #expect(plan.agentSights.map(\.question.place) == [1, 1])
            var all = AgentPlan(Self.addresses(2))
            for question in all.first { all.note(Self.failed(.connectionRefused), to: question) }
            #expect(all.agentSights.map(\.question.place) == [0, 0])
        }
    }
}
