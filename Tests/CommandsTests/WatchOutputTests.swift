// The output of a watch: lines, objects, and the board on a terminal.

import Evidence
import Foundation
import Probing
import Synchronization
import TestSupport
import Testing

@testable import Commands
@testable import FileCommands

extension CommandsTests {
    @Suite struct WatchOutputTests {
        /// Collects what an output writes.
        private final class Page: Sendable {
            private let written = Mutex<[String]>([])
            var texts: [String] { written.withLock(\.self) }
            func take(_ text: String) { written.withLock { $0.append(text) } }
            /// The current board.
            var shown: [Substring] {
                texts.last?.split(separator: "\u{1B}[J").last?.split(separator: "\n") ?? []
            }
        }

        private static func output(
            _ page: Page, _ names: [String] = ["site.test"], format: OutputFormat = .text, usual: [TimeInterval] = [],
            width: Int = 100, height: Int? = nil
        ) throws -> WatchOutput {
            WatchOutput(
                format: format, subjects: try names.map { (try Domain($0), UsualTime(usual)) },
                style: TextStyle(isColoured: false, width: width), height: height, print: page.take)
        }

        private static func edges(_ count: Int, _ served: Served) -> [(address: String, served: Served)] {
            (1...count).map { ("17.253.0.\($0)", served) }
        }

        /// Two rounds, half a minute apart, and the end.
        private static func play(
            _ first: [(address: String, served: Served)], _ second: [(address: String, served: Served)],
            to output: WatchOutput
        ) throws {
            var watch = PropagationWatch(begin: .testing)
            output.tell(watch.event(.started, at: .testing), of: 0)
            let events =
                watch.onOrigin(try Served.version(2).atOrigin(), at: .testing) + watch.look(first)
                + watch.look(second, at: .testing + 30) + [watch.end(.inSync, at: .testing + 30)]
            for event in events { output.tell(event, of: 0) }
        }

        /// A round after 90 seconds in which `inSync` edges have the file, and its last event.
        private static func look(_ inSync: Int, of count: Int, end: WatchEvent.Kind = .lookEnded) throws -> WatchEvent {
            var watch = try PropagationWatch(waitingFor: 2)
            _ = watch.look(
                (1...count).map { ("17.253.0.\($0)", $0 <= inSync ? .version(2) : .status(404)) }, at: .testing + 90)
            return watch.end(end, at: .testing + 90)
        }

        @Test("a line has the time, the time since the start, and a sentence")
        func lines() throws {
            let page = Page()
            try Self.play(
                Self.edges(2, .version(1)), [("17.253.0.1", .version(2)), ("17.253.0.2", .status(404))],
                to: try Self.output(page, usual: [3600, 7200, 10_800]))
            try #require(
                page.texts.map { String($0.prefix(28)) } == [
                    "2026-11-21T07:00:00Z  +0s  s", "2026-11-21T07:00:00Z  +0s  s", "2026-11-21T07:00:00Z  +0s  1",
                    "2026-11-21T07:00:00Z  +0s  1", "2026-11-21T07:00:30Z  +30s  ", "2026-11-21T07:00:30Z  +30s  ",
                    "2026-11-21T07:00:30Z  +30s  ",
                ])
            #expect(page.texts[0].contains("then asking every edge every 30s, for at most 24h"))
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

        @Test("the sentence at the end names edges that are behind, have not answered, or could not be asked")
        func ends() throws {
            let output = try Self.output(Page())
            var watch = try PropagationWatch(waitingFor: 2)
            _ = watch.on(.asking(["192.0.2.1", "192.0.2.2"]), at: .testing)
            _ = watch.on(Served.version(1).at("192.0.2.1"), at: .testing)
            #expect(
                output.sentence(for: watch.end(.timeLimit, at: .testing + 60), of: 0)
                    == "site.test: timed out: 0 of 2 edges have the new file; 192.0.2.2 has not answered yet; "
                    + "192.0.2.1 serves another file")
            var other = try PropagationWatch(waitingFor: 2)
            for _ in 0..<3 { _ = other.look([.version(2), .noAnswer("connection refused")]) }
            #expect(
                output.sentence(for: other.end(.inSync, at: .testing), of: 0)
                    == "site.test: every edge that answers this machine serves the origin's file, after 0s; 1 of 2 edges "
                    + "in sync, could not be reached: b (connection refused); devices that have the app ask again within 5 to 7 days"
            )
            #expect(
                output.sentence(for: PropagationWatch(begin: .testing).end(.timeLimit, at: .testing), of: 0)
                    == "site.test: timed out: the origin has not answered yet")
        }

        @Test("edges that answer with an error get no hint about the network")
        func trouble() throws {
            let output = try Self.output(Page())
            for (served, hint) in [(Served.status(500), "(status 500)"), (.noAnswer("x"), "check the network")] {
                var watch = try PropagationWatch(waitingFor: 2)
                let events = watch.look([served, served])
                #expect(events.last.map { output.sentence(for: $0, of: 0).contains(hint) } == true)
            }
        }

        @Test("every object has every key")
        func objects() throws {
            let page = Page()
            try Self.play(
                Self.edges(2, .noAnswer("refused")), Self.edges(2, .version(2)),
                to: try Self.output(page, format: .jsonl))
            let objects = try page.texts.map {
                try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
            }
            try #require(
                objects.map { $0["event"] as? String } == [
                    "started", "goal_set", "edge_seen", "edge_seen", "all_unreachable", "edge_picked_up",
                    "edge_picked_up", "in_sync",
                ])
            #expect(Set(objects.map { $0.keys.sorted() }).count == 1)
            #expect(objects[2]["state"] as? String == "unreachable")
            #expect(objects[2]["detail"] as? String == "refused")
            #expect(objects[5]["elapsed_seconds"] as? Double == 30)
            #expect(page.texts.allSatisfy { !$0.contains("\n") })
        }

        @Test("with several domains each line names its domain once")
        func named() throws {
            let page = Page()
            let output = try Self.output(page, ["site.test", "other.test"])
            var watch = PropagationWatch(begin: .testing)
            let events =
                watch.onOrigin(try Served.version(2).atOrigin(), at: .testing)
                + watch.look([("17.253.0.1", .status(404))]) + [watch.end(.timeLimit, at: .testing)]
            for event in events { output.tell(event, of: 0) }
            #expect(page.texts.count == 3)
            for text in page.texts { #expect(text.components(separatedBy: "site.test: ").count == 2, "\(text)") }
        }

        // MARK: - The board

        @Test("the board moves back by exactly the lines that it drew", arguments: [(80, 24), (40, 12), (120, 50)])
        func block(_ width: Int, _ height: Int) throws {
            let page = Page()
            let output = try Self.output(page, usual: [3600], width: width, height: height)
            try Self.play(
                Self.edges(16, .version(1)), Self.edges(15, .version(2)) + [("17.253.0.16", .version(1))], to: output)
            for (drawn, next) in zip(page.texts, page.texts.dropFirst()) {
                let lines = drawn.replacing(#/.*\u{1B}\[J/#, with: "").split(separator: "\n").count
                #expect(next.hasPrefix("\u{1B}[\(lines)F\u{1B}[J"))
                #expect(lines < height)
            }
            let last = try #require(page.texts.dropLast().last).replacing(#/.*\u{1B}\[J/#, with: "")
            for line in last.split(separator: "\n") { #expect(line.count < width, "\(line)") }
            #expect(last.contains("15 of 16 edges in sync"))
            #expect(last.contains("picked up after 30s") == (width >= 80))
            // The board shows the pending edge, however little room there is.
            #expect(last.contains("17.253.0.16"))
            #expect(page.texts.last?.contains("every edge serves") == true)
        }

        @Test("each of several domains has a line, and those in sync are counted")
        func several() throws {
            let page = Page()
            let output = try Self.output(page, ["site1.test", "site2.test", "site3.test"], width: 80, height: 24)
            for index in 0..<3 {
                output.tell(PropagationWatch(begin: .testing).event(.started, at: .testing), of: index)
            }
            output.tell(try Self.look(2, of: 2, end: .inSync), of: 1)
            output.tell(try Self.look(1, of: 3), of: 0)
            output.tell(PropagationWatch(begin: .testing).end(.timeLimit, at: .testing), of: 2)
            #expect(
                page.shown == [
                    "1 of 3 domains in sync", "  site1.test  1 of 3 edges in sync after 1m30s",
                    "  site2.test  in sync after 1m30s", "  site3.test  the origin has not answered yet",
                ])
        }

        @Test("a terminal with few lines shows the domains that are not in sync")
        func fewLines() throws {
            let page = Page()
            let output = try Self.output(page, (1...20).map { "site\($0).test" }, width: 40, height: 12)
            for index in 0..<19 { output.tell(try Self.look(1, of: 1, end: .inSync), of: index) }
            let lines = page.shown
            #expect(lines.count == 7)
            #expect(lines.first == "19 of 20 domains in sync")
            #expect(lines.dropFirst().first?.hasPrefix("  site20.test  reading the origin") == true)
            #expect(lines.last == "  and 15 more")
            #expect(lines.allSatisfy { $0.count < 40 })
        }

        @Test("text from edges cannot control the terminal")
        func hostile() throws {
            let evil = "\u{1B}[31m\u{202E}\u{07}"
            let page = Page()
            for (format, height) in [(OutputFormat.text, nil), (.jsonl, nil), (.github, nil), (.text, 24)] {
                var output = try Self.output(page, format: format, height: height)
                output.print = { page.take($0.replacing(#/\u{1B}\[[0-9]*[FJ]/#, with: "")) }
                try Self.play(
                    [("a", .refusal(evil)), ("b", .noAnswer(evil))], [("a", .version(2)), ("b", .refusal(evil))],
                    to: output)
            }
            for text in page.texts {
                let bad = text.unicodeScalars.filter { scalar in
                    scalar != "\n" && [.control, .format].contains(scalar.properties.generalCategory)
                }
                #expect(bad.isEmpty, "\(text)")
            }
        }
    }
}
