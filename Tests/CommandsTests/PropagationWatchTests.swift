// What is told of a row of looks at the edges.

import Evidence
import Foundation
import Probing
import TestSupport
import Testing

@testable import Commands

extension CommandsTests {
    @Suite struct PropagationWatchTests {
        private static let old = Served.version(1)
        private static let new = Served.version(2)
        private static let silent = Served.noAnswer("x")

        /// Looks at edges `a`, `b`, … ten seconds apart; the kinds of events of each, with the edge that they are about.
        private func told(_ looks: [[Served]]) throws -> ([[String]], PropagationWatch) {
            var watch = try PropagationWatch(waitingFor: 2)
            let all = looks.enumerated().map { index, served in
                watch.look(served, at: .testing + 10 * Double(index))
                    .map { $0.kind.rawValue + ($0.edge.map { " \($0)" } ?? "") }
            }
            return (all, watch)
        }

        @Test("each edge is told once as it picks up the file")
        func pickUp() throws {
            let (told, watch) = try told([
                [Self.old, Self.new, .status(404)], [Self.old, Self.new, .status(404)],
                [Self.new, Self.new, .status(404)], [Self.new, Self.new, Self.new],
            ])
            #expect(told == [["edgeSeen a", "edgeSeen b", "edgeSeen c"], [], ["edgePickedUp a"], ["edgePickedUp c"]])
            #expect(watch.isComplete)
            #expect(watch.edges.map(\.inSyncSince) == [.testing + 20, .testing, .testing + 30])
        }

        @Test(
            "what an edge does between two looks is told for what it is",
            arguments: [
                (silent, new, ["edgePickedUp a"]), (silent, old, ["edgeReachable a"]), (silent, .noAnswer("y"), []),
                (old, .status(404), ["edgeChanged a"]), (.status(404), .status(404), []),
                (.status(404), .status(410), ["edgeChanged a"]), (old, .version(3), ["edgeChanged a"]),
                (old, .noFile, ["edgeChanged a"]), (new, old, ["edgeFellBack a"]),
                (new, .status(404), ["edgeFellBack a"]), (new, silent, ["edgeUnreachable a", "allUnreachable"]),
                (old, .status(500), ["edgeUnreachable a", "allUnreachable"]),
            ] as [(Served, Served, [String])])
        func transitions(_ first: Served, _ second: Served, _ expected: [String]) throws {
            #expect(try told([[first], [second]]).0.dropFirst() == [expected])
        }

        @Test("an edge that was silent for a while is no news of the file, and counts as not in sync meanwhile")
        func silence() throws {
            let (told, watch) = try told([[Self.new, Self.old], [Self.silent, Self.old], [Self.new, Self.old]])
            #expect(told.dropFirst() == [["edgeUnreachable a"], ["edgeReachable a"]])
            #expect(watch.edges.first?.inSyncSince == .testing)
            #expect(watch.tally == "1 of 2 edges in sync")
            #expect(try self.told([[Self.new, Self.silent]]).1.isComplete == false)
        }

        @Test("that no edge can be asked is said once, until one could be")
        func allSilent() throws {
            let none = [Self.silent, Self.silent]
            let (told, _) = try told([none, none, [Self.old, Self.silent], none])
            try #require(told.count == 4)
            #expect(told[0].last == "allUnreachable")
            #expect(told[1].isEmpty)
            #expect(told[2] == ["edgeReachable a"])
            #expect(told[3] == ["edgeUnreachable a", "allUnreachable"])
        }

        @Test("edges that answer something else are told by what they answer, not as a dead network")
        func troubledEdges() throws {
            var watch = try PropagationWatch(waitingFor: 2)
            let events = watch.look([.status(500), .status(500), .status(500), .noAnswer("connection refused")])
            #expect(events.last?.kind == .allUnreachable)
            #expect(events.last?.detail == "status 500")
            let words = watch.edges.map { $0.state(watch.goal).words }
            #expect(words.first == "says nothing about the file: status 500")
            #expect(words.last == "cannot be reached: connection refused")
        }

        @Test("edges come and go with the CDN's addresses")
        func roll() throws {
            var watch = try PropagationWatch(waitingFor: 2)
            _ = watch.look([Self.new, Self.old])
            let events = watch.look([("a", Self.new), ("z", Self.new)])
            #expect(events.map(\.kind) == [.edgeAdded, .edgeRemoved])
            #expect(events.map(\.edge) == ["z", "b"])
            #expect(events.map { $0.state?.name } == ["in_sync", nil])
            #expect(watch.isComplete)
        }

        @Test("a newer deploy moves the goal, and what was in sync is so no longer")
        func newerDeploy() throws {
            var watch = try PropagationWatch(waitingFor: 1)
            _ = watch.look([Self.old, Self.new])
            #expect(watch.inSyncCount == 1)
            let events = watch.onOrigin(try Self.new.atOrigin(), at: .testing + 5)
            #expect(events.map(\.kind) == [.goalMoved])
            #expect(events.first?.watch.goal?.hash == ContentHash(of: Data(SampleFile.version(2).utf8)))
            #expect(events.first?.watch.inSyncCount == 1)
            #expect(watch.edges.map(\.inSyncSince) == [nil, .testing + 5])
            #expect(watch.onOrigin(try Self.new.atOrigin(), at: .testing + 6).isEmpty)
        }

        @Test("a goal in other bytes of the same meaning does not move")
        func reformatted() throws {
            var watch = try PropagationWatch(waitingFor: 2)
            #expect(watch.onOrigin(try Self.new.atOrigin(body: SampleFile.spaced(2)), at: .testing).isEmpty)
        }

        @Test("an origin that breaks is told once, and nothing is complete while it is so")
        func brokenOrigin() throws {
            var watch = try PropagationWatch(waitingFor: 2)
            _ = watch.look([Self.new])
            let broken = watch.onOrigin(try Served.status(500).atOrigin(), at: .testing)
            #expect(broken.map(\.kind) == [.originUnreadable])
            #expect(broken.first?.detail == "status 500")
            #expect(watch.onOrigin(try Self.silent.atOrigin(), at: .testing).isEmpty)
            #expect(!watch.isComplete)
            #expect(watch.onOrigin(try Self.new.atOrigin(), at: .testing).map(\.kind) == [.originReadable])
            #expect(watch.isComplete)
        }

        @Test(
            "without a file at the first look there is nothing to wait for",
            arguments: [
                (.status(404), "the origin has no file"), (.status(500), "the origin serves no file that can be read"),
            ] as [(Served, String)])
        func nothing(_ served: Served, _ words: String) throws {
            var watch = PropagationWatch(begin: .testing)
            let events = watch.onOrigin(try served.atOrigin(), at: .testing)
            #expect(events.map(\.kind) == [.nothingToWaitFor])
            #expect(events.first?.detail == words)
            #expect(events.first?.findings.isEmpty == false)
        }

        @Test("the origin is asked again at every tenth look, and before a success")
        func originNowAndThen() throws {
            var watch = try PropagationWatch(waitingFor: 2)
            let asked = (1...25).filter { _ in
                _ = watch.look([Self.old])
                return watch.wantsOrigin
            }
            #expect(asked == [10, 20])
            _ = watch.look([Self.new])
            #expect(watch.wantsOrigin)
        }

        @Test(
            "each edge is told as it answers, of how many it is known from the start, in the order of addresses after")
        func oneByOne() throws {
            var watch = try PropagationWatch(waitingFor: 2)
            _ = watch.on(.asking(["b", "a", "c"]), at: .testing)
            let events = [("b", Self.old), ("a", Self.new), ("c", Self.new)].flatMap {
                watch.on($1.at($0), at: .testing)
            }
            #expect(events.map(\.edge) == ["b", "a", "c"])
            #expect(events.map(\.kind) == [.edgeSeen, .edgeSeen, .edgeSeen])
            #expect(events.map(\.watch.inSyncCount) == [0, 1, 2])
            #expect(events.map(\.watch.count) == [3, 3, 3])
            #expect(watch.edges.map(\.address) == ["a", "b", "c"])
        }

        @Test(
            "an edge that never answered is not waited for after three looks, one that did is",
            arguments: [
                ([silent], false), ([silent, silent], false), ([silent, .noAnswer("y"), silent], true),
                ([old, silent, silent, silent], false), ([silent, silent, silent, old], false),
                ([silent, silent, silent, new], true),
                ([.status(503), .status(503), .status(503), .status(503)], false),
            ] as [([Served], Bool)])
        func neverAnswered(_ course: [Served], _ isComplete: Bool) throws {
            #expect(try told(course.map { [Self.new, $0] }).1.isComplete == isComplete)
        }

        @Test("where no edge ever answered there is no success")
        func noneAnswered() throws {
            #expect(try !told(Array(repeating: [Self.silent, Self.silent], count: 5)).1.isComplete)
        }

        @Test("the end names who has not answered yet, and a success whom nobody could ask")
        func lastWord() throws {
            var watch = try PropagationWatch(waitingFor: 2)
            _ = watch.on(.asking(["192.0.2.1", "192.0.2.2"]), at: .testing)
            _ = watch.on(Self.old.at("192.0.2.1"), at: .testing)
            #expect(!watch.isComplete)
            #expect(watch.end(.timeLimit, at: .testing + 60).detail == "no answer yet: 192.0.2.2")
            let (_, done) = try told(Array(repeating: [Self.new, .noAnswer("connection refused")], count: 3))
            #expect(done.end(.inSync, at: .testing).detail == "could not be reached: b (connection refused)")
        }
    }
}
