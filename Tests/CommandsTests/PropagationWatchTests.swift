// What is told of a row of looks at the edges.

import Evidence
import Foundation
import TestSupport
import Testing

@testable import Commands

extension CommandsTests {
    @Suite struct PropagationWatchTests {
        private static let old = EdgeAnswer.Content.file(goal(1).meaning)
        private static let new = EdgeAnswer.Content.file(goal(2).meaning)

        private static func goal(_ version: Int) -> WatchGoal {
            let reading = ContentReading(Data(SampleFile.version(version).utf8))
            return WatchGoal(meaning: reading.meaning ?? reading.hash, content: reading.hash, bytes: reading.byteCount)
        }

        /// Looks at edges `a`, `b`, … ten seconds apart; the kinds of events of each, with the edge that they are about.
        private func told(_ results: [[EdgeAnswer.Content]]) -> ([[String]], PropagationWatch) {
            var watch = PropagationWatch(goal: Self.goal(2), begin: .testing)
            var all: [[String]] = []
            for (index, contents) in results.enumerated() {
                let events = watch.result(Self.fetches(contents), at: .testing + 10 * Double(index))
                all.append(events.map { $0.kind.rawValue + ($0.edge.map { " \($0)" } ?? "") })
            }
            return (all, watch)
        }

        private static func fetches(_ contents: [EdgeAnswer.Content]) -> [EdgeAnswer] {
            zip("abcdefgh", contents).map { address, content in
                let isSilent = if case .silent = content { true } else { false }
                return EdgeAnswer(address: String(address), content: content, isAnswer: !isSilent)
            }
        }

        @Test("each edge is told once as it picks up the file")
        func pickUp() {
            let (told, watch) = told([
                [Self.old, Self.new, .missing("no")], [Self.old, Self.new, .missing("no")],
                [Self.new, Self.new, .missing("no")], [Self.new, Self.new, Self.new],
            ])
            #expect(
                told == [
                    ["edge_seen a", "edge_seen b", "edge_seen c"], [], ["edge_picked_up a"],
                    ["edge_picked_up c"],
                ])
            #expect(watch.isComplete)
            #expect(watch.edges.map(\.inSyncSince) == [.testing + 20, .testing, .testing + 30])
        }

        @Test(
            "what an edge does between two looks is told for what it is",
            arguments: [
                (.silent("x"), new, ["edge_picked_up a"]), (.silent("x"), old, ["edge_reachable a"]),
                (.silent("x"), .silent("y"), []), (old, .missing("x"), ["edge_changed a"]),
                (.missing("x"), .missing("x"), []), (.missing("x"), .missing("y"), ["edge_changed a"]),
                (old, .noFile, ["edge_changed a"]), (new, old, ["edge_fell_back a"]),
                (new, .missing("x"), ["edge_fell_back a"]),
                (new, .silent("x"), ["edge_unreachable a", "all_unreachable"]),
                (old, .silent("x"), ["edge_unreachable a", "all_unreachable"]),
            ] as [(EdgeAnswer.Content, EdgeAnswer.Content, [String])])
        func transitions(_ first: EdgeAnswer.Content, _ second: EdgeAnswer.Content, _ expected: [String]) {
            #expect(told([[first], [second]]).0.dropFirst() == [expected])
        }

        @Test("an edge that was silent for a while is no news of the file")
        func silence() {
            let (told, watch) = told([[Self.new, Self.old], [.silent("x"), Self.old], [Self.new, Self.old]])
            #expect(told.dropFirst() == [["edge_unreachable a"], ["edge_reachable a"]])
            #expect(watch.edges.first?.inSyncSince == .testing)
            #expect(watch.inSyncCount == 1)
        }

        @Test("an edge that cannot be asked counts as not in sync")
        func unreachable() {
            let (_, watch) = told([[Self.new, .silent("connection refused")]])
            #expect(!watch.isEveryEdgeInSync)
            #expect(watch.edges.last.map(watch.standing) == .unreachable("connection refused"))
        }

        @Test("that no edge can be asked is said once, until one could be")
        func allSilent() throws {
            let silent = [EdgeAnswer.Content.silent("x"), .silent("x")]
            let (told, _) = told([silent, silent, [Self.old, .silent("x")], silent])
            try #require(told.count == 4)
            #expect(told[0].last == "all_unreachable")
            #expect(told[1].isEmpty)
            #expect(told[2] == ["edge_reachable a"])
            #expect(told[3] == ["edge_unreachable a", "all_unreachable"])
        }

        @Test("edges that answer something else are told by what they answer, not as a dead network")
        func troubledEdges() throws {
            var watch = PropagationWatch(goal: Self.goal(2), begin: .testing)
            let fetches = ["a", "b", "c"].map { EdgeAnswer(address: $0, content: .silent("status 500")) }
            let dead = EdgeAnswer(address: "d", content: .silent("connection refused"), isAnswer: false)
            let events = watch.result(fetches + [dead], at: .testing)
            let wording = WatchWording(domain: try Domain("example.com"), usual: nil)
            let said = events.map { wording.sentence(for: $0, watch) }
            #expect(said.first?.contains("a says nothing about the file: status 500") == true)
            #expect(events.last?.kind == .allUnreachable)
            #expect(said.last?.contains("(3 edges: status 500)") == true)
            #expect(said.last?.contains("whether this machine reaches the network") == false)
            #expect(watch.standing(of: dead).words == "cannot be asked: connection refused")
        }

        @Test("edges come and go with the CDN's addresses")
        func roll() {
            var watch = PropagationWatch(goal: Self.goal(2), begin: .testing)
            _ = watch.result(Self.fetches([Self.new, Self.old]), at: .testing)
            let events = watch.result(
                [EdgeAnswer(address: "a", content: Self.new), EdgeAnswer(address: "z", content: Self.new)], at: .testing
            )
            #expect(events.map(\.kind) == [.edgeAdded, .edgeRemoved])
            #expect(events.map(\.edge) == ["z", "b"])
            #expect(watch.isComplete)
        }

        @Test("a newer deploy moves the goal, and what was in sync is so no longer")
        func newerDeploy() {
            var watch = PropagationWatch(goal: Self.goal(1), begin: .testing)
            _ = watch.result(Self.fetches([Self.old, Self.new]), at: .testing)
            #expect(watch.inSyncCount == 1)
            let events = watch.onOrigin(.file(Self.goal(2)), at: .testing + 5)
            #expect(events.map(\.kind) == [.goalMoved])
            #expect(events.first?.goal == Self.goal(2))
            #expect(events.first?.inSync == 1)
            #expect(watch.edges.map(\.inSyncSince) == [nil, .testing + 5])
            #expect(watch.onOrigin(.file(Self.goal(2)), at: .testing + 6).isEmpty)
        }

        @Test("a goal in other bytes of the same meaning does not move")
        func reformatted() {
            var watch = PropagationWatch(goal: Self.goal(2), begin: .testing)
            let reading = ContentReading(Data(SampleFile.spaced(2).utf8))
            let other = WatchGoal(meaning: reading.meaning ?? reading.hash, content: reading.hash, bytes: 1)
            #expect(watch.onOrigin(.file(other), at: .testing).isEmpty)
        }

        @Test("an origin that breaks is told once, and nothing is complete while it is so")
        func brokenOrigin() {
            var watch = PropagationWatch(goal: Self.goal(2), begin: .testing)
            _ = watch.result(Self.fetches([Self.new]), at: .testing)
            #expect(watch.onOrigin(.broken("status 500"), at: .testing).map(\.kind) == [.originUnreadable])
            #expect(watch.onOrigin(.broken("status 502"), at: .testing).isEmpty)
            #expect(!watch.isComplete)
            #expect(watch.onOrigin(.file(Self.goal(2)), at: .testing).map(\.kind) == [.originReadable])
            #expect(watch.isComplete)
        }

        @Test("the origin is asked again at every tenth look, and before a success")
        func originNowAndThen() {
            var watch = PropagationWatch(goal: Self.goal(2), begin: .testing)
            let asked = (1...25).filter { _ in
                _ = watch.result(Self.fetches([Self.old]), at: .testing)
                return watch.wantsOrigin
            }
            #expect(asked == [10, 20])
            _ = watch.result(Self.fetches([Self.new]), at: .testing)
            #expect(watch.wantsOrigin)
        }

        @Test("each edge is told as it answers, of how many it is known from the start")
        func oneByOne() {
            var watch = PropagationWatch(goal: Self.goal(2), begin: .testing)
            #expect(watch.opening(at: .testing).kind == .goalSet)
            watch.onResult(at: ["b", "a", "c"])
            let fetches = Self.fetches([Self.new, Self.old, Self.new])
            let events = [fetches[1], fetches[0], fetches[2]].flatMap { watch.on($0, at: .testing) }
            #expect(events.map(\.edge) == ["b", "a", "c"])
            #expect(events.map(\.kind) == [.edgeSeen, .edgeSeen, .edgeSeen])
            #expect(events.map(\.inSync) == [0, 1, 2])
            #expect(events.map(\.edges) == [3, 3, 3])
            #expect(watch.edges.map(\.fetched.address) == ["a", "b", "c"])
            #expect(watch.onRoundEnd(at: .testing).isEmpty)
        }

        @Test("an edge that has not answered yet is not overlooked")
        func notYet() {
            var watch = PropagationWatch(goal: Self.goal(2), begin: .testing)
            watch.onResult(at: ["a", "b"])
            _ = watch.on(Self.fetches([Self.new])[0], at: .testing)
            #expect(!watch.isComplete)
        }

        @Test(
            "an edge that never answered is not waited for after three looks, one that did is",
            arguments: [
                ([.silent("x")], false), ([.silent("x"), .silent("x")], false),
                ([.silent("x"), .silent("y"), .silent("z")], true),
                ([old, .silent("x"), .silent("x"), .silent("x")], false),
                ([.silent("x"), .silent("x"), .silent("x"), old], false),
                ([.silent("x"), .silent("x"), .silent("x"), new], true),
            ] as [([EdgeAnswer.Content], Bool)])
        func neverAnswered(_ course: [EdgeAnswer.Content], _ isComplete: Bool) {
            let (_, watch) = told(course.map { [Self.new, $0] })
            #expect(watch.isComplete == isComplete)
        }

        @Test("where no edge ever answered there is no success")
        func noneAnswered() {
            let (_, watch) = told(Array(repeating: [.silent("x"), .silent("x")], count: 5))
            #expect(!watch.isComplete)
        }

        @Test("an edge that answers with trouble of its own is waited for")
        func trouble() {
            var watch = PropagationWatch(goal: Self.goal(2), begin: .testing)
            for _ in 0..<5 {
                _ = watch.result(
                    [
                        EdgeAnswer(address: "a", content: Self.new),
                        EdgeAnswer(address: "b", content: .silent("status 503")),
                    ],
                    at: .testing)
            }
            #expect(!watch.isComplete)
        }

        @Test("an edge that is still listed is not taken for gone, and one that is not is")
        func listed() {
            var watch = PropagationWatch(goal: Self.goal(2), begin: .testing)
            _ = watch.result(Self.fetches([Self.new, Self.old]), at: .testing)
            watch.onResult(at: ["a"])
            _ = watch.on(EdgeAnswer(address: "a", content: Self.new), at: .testing)
            #expect(watch.onRoundEnd(at: .testing).map(\.kind) == [.edgeRemoved])
            #expect(watch.count == 1)
        }

        @Test("the sentence at the end names who has not answered")
        func sentence() throws {
            var watch = PropagationWatch(goal: Self.goal(2), begin: .testing)
            watch.onResult(at: ["192.0.2.1", "192.0.2.2"])
            _ = watch.on(EdgeAnswer(address: "192.0.2.1", content: Self.old), at: .testing)
            let wording = WatchWording(domain: try Domain("site.test"), usual: nil)
            #expect(
                wording.sentence(for: watch.end(.timeLimit, at: .testing + 60), watch)
                    == "site.test: not in sync in time; 0 of 2 edges in sync; 192.0.2.2 has not answered yet; "
                    + "192.0.2.1 serves another file")
        }

        @Test("the last word names the edges that could not be asked")
        func lastWord() throws {
            let (_, watch) = told(Array(repeating: [Self.new, .silent("connection refused")], count: 3))
            let end = watch.end(.inSync, at: .testing)
            #expect(end.detail == "could not be asked: b (connection refused)")
            let sentence = WatchWording(domain: try Domain("example.com"), usual: nil).sentence(for: end, watch)
            #expect(sentence.contains("every edge that answers this machine serves the origin's file"))
            #expect(sentence.contains("1 of 2 edges in sync, could not be asked: b (connection refused)"))
        }
    }
}

extension PropagationWatch {
    /// One look at these edges, all of it.
    mutating func result(_ fetches: [EdgeAnswer], at now: Date) -> [WatchEvent] {
        onResult(at: fetches.map(\.address))
        return fetches.flatMap { on($0, at: now) } + onRoundEnd(at: now)
    }
}
