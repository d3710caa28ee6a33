// How a watch is told: lines, objects, and the block on a terminal.

import Evidence
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Commands

extension CommandsTests {
    @Suite struct WatchOutputTests {
        /// Takes what an output writes.
        private final class Page: Sendable {
            private let written = Mutex<[String]>([])
            var texts: [String] { written.withLock(\.self) }
            func take(_ text: String) { written.withLock { $0.append(text) } }
        }

        private static func goal(_ version: Int) -> WatchGoal {
            let reading = ContentReading(Data(SampleFile.version(version).utf8))
            return WatchGoal(meaning: reading.meaning ?? reading.hash, content: reading.hash, bytes: reading.byteCount)
        }

        private static let new = EdgeAnswer.Content.file(goal(2).meaning)
        private static let old = EdgeAnswer.Content.file(goal(1).meaning)

        private static func wording(_ seconds: [TimeInterval] = []) throws -> WatchWording {
            WatchWording(domain: try Domain("example.com"), usual: UsualTime(seconds))
        }

        /// Two looks, half a minute apart, and the end.
        private static func play(_ first: [EdgeAnswer], _ second: [EdgeAnswer], to output: WatchOutput) {
            var watch = PropagationWatch(goal: goal(2), begin: .testing)
            output.tell([WatchEvent(kind: .started, at: .testing, elapsed: 0)], nil)
            output.tell([watch.opening(at: .testing)], watch)
            output.tell(watch.result(first, at: .testing), watch)
            output.tell(watch.result(second, at: .testing + 30), watch)
            output.tell([watch.end(.inSync, at: .testing + 30)], watch)
        }

        private static func edges(_ count: Int, _ content: EdgeAnswer.Content) -> [EdgeAnswer] {
            (1...count).map { EdgeAnswer(address: "17.253.0.\($0)", content: content, age: 7200, maxAge: 21_600) }
        }

        @Test("a line is an instant, the time since the beginning, and a sentence")
        func lines() throws {
            let page = Page()
            let output = WatchOutput(
                wording: try Self.wording([3600, 7200, 10_800]), format: .text, print: page.take)
            Self.play(
                Self.edges(2, Self.old), Self.edges(1, Self.new) + [Self.edges(2, .missing("status 404"))[1]],
                to: output)
            try #require(
                page.texts.map { String($0.prefix(28)) } == [
                    "2026-11-21T07:00:00Z  +0s  e", "2026-11-21T07:00:00Z  +0s  e", "2026-11-21T07:00:00Z  +0s  1",
                    "2026-11-21T07:00:00Z  +0s  1", "2026-11-21T07:00:30Z  +30s  ", "2026-11-21T07:00:30Z  +30s  ",
                    "2026-11-21T07:00:30Z  +30s  ",
                ])
            #expect(page.texts[0].contains("every edge is asked each 30s, for 24h at most"))
            #expect(page.texts[1].contains("; usually 2 h here, between 60 min and 3 h (3 changes)"))
            #expect(page.texts[3].hasSuffix("17.253.0.2 serves another file; 0 of 2 edges in sync"))
            #expect(page.texts[4].hasSuffix("17.253.0.1 serves the new file; 1 of 2 edges in sync"))
            #expect(page.texts[5].hasSuffix("17.253.0.2 now has no copy: status 404, which is not the new file"))
        }

        @Test(
            "the usual time is the median",
            arguments: [
                ([], nil), ([60], 60), ([60, 180], 120), ([10_000, 60, 180], 180),
            ] as [([TimeInterval], TimeInterval?)])
        func usual(_ seconds: [TimeInterval], _ median: TimeInterval?) {
            #expect(UsualTime(seconds)?.median == median)
        }

        @Test("every object has every key")
        func objects() throws {
            let page = Page()
            let output = WatchOutput(wording: try Self.wording(), format: .jsonl, print: page.take)
            Self.play(Self.edges(2, .silent("refused")), Self.edges(2, Self.new), to: output)
            let objects = try page.texts.map {
                try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
            }
            try #require(
                objects.map { $0["event"] as? String } == [
                    "started", "goal_set", "edge_seen", "edge_seen", "all_unreachable", "edge_picked_up",
                    "edge_picked_up",
                    "in_sync",
                ])
            #expect(Set(objects.map { $0.keys.sorted() }).count == 1)
            #expect(objects[2]["state"] as? String == "unreachable")
            #expect(objects[2]["detail"] as? String == "refused")
            #expect(objects[5]["elapsed_seconds"] as? Double == 30)
            #expect(page.texts.allSatisfy { !$0.contains("\n") })
        }

        @Test("the block goes back over just the lines that it drew", arguments: [(80, 24), (40, 12), (120, 50)])
        func block(_ width: Int, _ height: Int) throws {
            let page = Page()
            let board = WatchBoard(
                domains: [try Domain("example.com")], style: TextStyle(isColoured: false, width: width), height: height,
                write: page.take)
            let output = WatchOutput(wording: try Self.wording([3600]), format: .text, board: (board, 0))
            Self.play(Self.edges(16, Self.old), Self.edges(15, Self.new) + [Self.edges(16, Self.old)[15]], to: output)
            try #require(page.texts.count == 5)
            for (drawn, next) in zip(page.texts, page.texts.dropFirst()) {
                let lines = drawn.split(separator: "\n", omittingEmptySubsequences: false).count - 1
                #expect(next.hasPrefix("\u{1B}[\(lines)F\u{1B}[J"))
                #expect(lines < height)
            }
            for line in page.texts[3].replacing("\u{1B}[J", with: "\n").split(separator: "\n") {
                #expect(line.count < width, "\(line)")
            }
            #expect(page.texts[3].contains("15 of 16 edges in sync"))
            #expect(page.texts[3].contains("picked up after 30s") == (width >= 80))
            #expect(page.texts[4].contains("every edge serves"))
            // The one that is waited for is shown, however little room there is.
            #expect(page.texts[3].contains("17.253.0.16"))
        }

        @Test("what edges say steers no terminal")
        func hostile() throws {
            let evil = "\u{1B}[31m\u{202E}\u{07}"
            let page = Page()
            let wording = try Self.wording()
            for format in WatchCommand.Format.allCases {
                let output = WatchOutput(wording: wording, format: format, print: page.take)
                Self.play(
                    [
                        EdgeAnswer(address: "a", content: .missing(evil)),
                        EdgeAnswer(address: "b", content: .silent(evil)),
                    ],
                    [EdgeAnswer(address: "a", content: Self.new), EdgeAnswer(address: "b", content: .missing(evil))],
                    to: output)
            }
            let board = WatchBoard(
                domains: [wording.domain], style: TextStyle(isColoured: false), height: 24,
                write: { page.take($0.replacing(#/\u{1B}\[[0-9]*[FJ]/#, with: "")) })
            Self.play(
                [EdgeAnswer(address: "a", content: .missing(evil))], Self.edges(1, .silent(evil)),
                to: WatchOutput(wording: wording, format: .text, board: (board, 0)))
            for text in page.texts {
                let bad = text.unicodeScalars.filter { scalar in
                    scalar != "\n" && [.control, .format].contains(scalar.properties.generalCategory)
                }
                #expect(bad.isEmpty, "\(text)")
            }
        }
    }
}
