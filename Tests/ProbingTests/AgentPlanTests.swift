// At which addresses Apple's agents are asked, and when once more.

import Evidence
import Facts
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

        private static func sight(_ status: Int, _ text: String = "file") -> FetchResult {
            let answer = Answer(
                status: status, headers: [],
                body: .init(
                    hash: ContentHash(of: Data(text.utf8)), decodedBytes: text.count, wireBytes: text.count,
                    end: .complete))
            return FetchResult(retrieval: Retrieval(url: "", outcome: .answered(answer)), contents: [:])
        }

        private static func failed(_ kind: Failure.Kind, _ phase: Failure.Phase = .waiting) -> FetchResult {
            FetchResult(
                retrieval: Retrieval(url: "", outcome: .failed(Failure(kind: kind, phase: phase, detail: ""))),
                contents: [:])
        }

        private static func agents(_ questions: [AddressQuestion]) -> [Int] {
            Set(questions.filter { $0.agent != nil }.map(\.place)).sorted()
        }

        /// Answers all questions until there are none, and tells what was asked behind the plain requests, in order.
        @discardableResult
        private static func run(
            _ plan: inout AgentPlan, _ answer: (AddressQuestion, _ number: Int) -> FetchResult
        ) -> [AddressQuestion] {
            for question in plan.first { plan.note(answer(question, 0), to: question, took: .seconds(1)) }
            var asked: [AddressQuestion] = []
            while let questions = Optional(plan.next(mayWiden: true)), !questions.isEmpty {
                for question in questions {
                    asked.append(question)
                    plan.note(answer(question, asked.count), to: question, took: .seconds(1))
                }
            }
            return asked
        }

        @Test(
            "every address of a few is asked, four of many, of both families where there are both",
            arguments: [
                (1, 0, [0]), (2, 0, [0, 1]), (9, 0, [0, 1, 2, 3]), (4, 6, [0, 1, 6, 7]), (1, 6, [0, 1, 2, 6]),
                (6, 1, [0, 1, 2, 3]), (0, 5, [0, 1, 2, 3]),
            ])
        func places(_ four: Int, _ six: Int, _ expected: [Int]) {
            var plan = AgentPlan(Self.addresses(four, six))
            #expect(plan.first.count == four + six)
            let asked = Self.run(&plan) { _, _ in Self.sight(200) }
            #expect(Self.agents(asked) == expected)
            #expect(asked.count == 2 * expected.count)
            #expect(plan.agentSights.count == asked.count)
        }

        @Test("agents wait for the plain answers, and for each other at one address")
        func order() {
            var plan = AgentPlan(Self.addresses(2))
            let plain = plan.first
            plan.note(Self.sight(200), to: plain[0], took: .seconds(1))
            #expect(plan.next(mayWiden: true) == [])
            plan.note(Self.sight(200), to: plain[1], took: .seconds(1))
            let first = plan.next(mayWiden: true)
            #expect(first.map(\.place) == [0, 1])
            #expect(plan.next(mayWiden: true) == [])
            plan.note(Self.sight(200), to: first[0], took: .seconds(1))
            let second = plan.next(mayWiden: true)
            #expect(second.map(\.place) == [0])
            #expect(second.first?.agent != first.first?.agent)
        }

        @Test(
            "an agent that is answered otherwise is asked once more behind a plain request, and the better answer counts",
            arguments: [200, 403])
        func onceMore(_ second: Int) {
            var plan = AgentPlan(Self.addresses(2))
            let asked = Self.run(&plan) { question, _ in
                switch (question.place, question.purpose) {
                case (1, .agent(.crawler)): Self.sight(403)
                case (1, .agentAgain(.crawler)): Self.sight(second)
                default: Self.sight(200)
                }
            }
            #expect(
                asked.filter { $0.place == 1 }.map(\.purpose) == [
                    .agent(.crawler), .plainAfter(.crawler), .agentAgain(.crawler), .agent(.device),
                ])
            let sight = plan.agentSights.first { $0.place == 1 && $0.agent == .crawler }?.sight
            #expect(sight?.retrieval.answer?.status == second)
        }

        @Test("answers that change under our requests show no rule about agents, and end the asking")
        func provoked() {
            var plan = AgentPlan(Self.addresses(1))
            // The first request under an agent's name is one too many; then everybody is refused.
            let asked = Self.run(&plan) { _, number in Self.sight(number == 0 ? 200 : 403) }
            #expect(asked.map(\.purpose) == [.agent(.crawler), .plainAfter(.crawler)])
            #expect(plan.agentSights.isEmpty)
        }

        @Test("a server that has had enough is asked no more", arguments: [429, 503], [0, 1])
        func limited(_ status: Int, _ from: Int) {
            var plan = AgentPlan(Self.addresses(2))
            let asked = Self.run(&plan) { _, number in Self.sight(number >= from ? status : 200) }
            #expect(asked.count <= 2 * from)
        }

        @Test("who took all the time there was is not asked again")
        func slow() {
            var plan = AgentPlan(Self.addresses(1))
            let asked = Self.run(&plan) { question, _ in
                question.agent == nil ? Self.sight(200) : Self.failed(.timedOut)
            }
            #expect(asked.allSatisfy { $0.agent != nil } && asked.count == 2)
        }

        @Test("an agent that had less than twice the time of the plain answer refuses nothing by running out of it")
        func hurried() {
            var plan = AgentPlan(Self.addresses(1))
            for question in plan.first { plan.note(Self.sight(200), to: question, took: .seconds(6)) }
            for seconds in [4, 13] {
                let question = plan.next(mayWiden: true)[0]
                plan.note(Self.failed(.timedOut), to: question, took: .seconds(seconds))
            }
            #expect(plan.agentSights.count == 1)
        }

        @Test("an answer of its own beyond the first four has its agents asked, one that others give has not")
        func widened() {
            var plan = AgentPlan(Self.addresses(7))
            for place in 0..<7 {
                plan.note(
                    Self.sight(place == 5 || place == 6 ? 500 : 200),
                    to: AddressQuestion(place: place, purpose: .plain),
                    took: .seconds(1))
            }
            #expect(Self.agents(plan.next(mayWiden: false)) == [0, 1, 2, 3])
            #expect(Self.agents(plan.next(mayWiden: true)) == [5])
            #expect(plan.next(mayWiden: true) == [])
        }

        @Test("while a chosen address may still answer it speaks for others; dead ones do not for ever")
        func patience() {
            var plan = AgentPlan(Self.addresses(6))
            for place in 4...5 {
                plan.note(Self.sight(200), to: AddressQuestion(place: place, purpose: .plain), took: .seconds(1))
            }
            #expect(plan.next(mayWiden: true) == [])
            plan.isPatient = false
            #expect(Self.agents(plan.next(mayWiden: true)) == [4])
            plan.note(
                Self.sight(403), to: AddressQuestion(place: 4, purpose: .agent(.crawler)), took: .seconds(1))
            #expect(plan.agentSights.map(\.place) == [4])
            // One that answers late has its turn.
            plan.note(Self.sight(200), to: AddressQuestion(place: 0, purpose: .plain), took: .seconds(2))
            #expect(Self.agents(plan.next(mayWiden: true)) == [0])
        }

        @Test("at most eight addresses see Apple's agents")
        func bounded() {
            var plan = AgentPlan(Self.addresses(20))
            let asked = Self.run(&plan) { question, _ in Self.sight(200, "file \(question.place)") }
            #expect(Self.agents(asked) == Array(0..<8))
        }

        @Test(
            "where no server reads a request, agents are not asked",
            arguments: [Failure.Phase.connecting, .handshaking, .waiting])
        func dead(_ phase: Failure.Phase) {
            var plan = AgentPlan(Self.addresses(2))
            let asked = Self.run(&plan) { question, _ in
                question.place == 0 ? Self.failed(.connectionReset, phase) : Self.sight(200)
            }
            #expect(Self.agents(asked) == (phase == .waiting ? [0, 1] : [1]))
            #expect(plan.agentSights.map(\.place) == [1, 1])
        }
    }
}
