// Several domains on a terminal, and the last line of their watch.

import Evidence
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Commands

extension CommandsTests {
    @Suite struct WatchBoardTests {
        private final class Page: Sendable {
            private let written = Mutex<[String]>([])
            var texts: [String] { written.withLock(\.self) }
            func take(_ text: String) { written.withLock { $0.append(text) } }
        }

        /// The places of so many domains on a board.
        private static func outputs(_ count: Int, width: Int, height: Int, _ page: Page) throws -> [WatchOutput] {
            let domains = try (1...count).map { try Domain("site\($0).test") }
            let board = WatchBoard(
                domains: domains, style: TextStyle(isColoured: false, width: width), height: height, write: page.take)
            return domains.enumerated().map {
                WatchOutput(
                    wording: WatchWording(domain: $0.element, usual: nil), format: .text, board: (board, $0.offset))
            }
        }

        private static func first(_ kind: WatchEvent.Kind) -> WatchEvent {
            WatchEvent(kind: kind, at: .testing, elapsed: 0)
        }

        private static func goal() -> WatchGoal {
            let reading = ContentReading(Data(SampleFile.version(2).utf8))
            return WatchGoal(meaning: reading.meaning ?? reading.hash, content: reading.hash, bytes: reading.byteCount)
        }

        /// A look after `seconds` at edges of which so many have the file.
        private static func result(_ inSync: Int, of count: Int, end: WatchEvent.Kind? = nil) -> (
            PropagationWatch, WatchEvent?
        ) {
            let goal = goal()
            var watch = PropagationWatch(goal: goal, begin: .testing)
            let edges = (1...count).map {
                EdgeAnswer(
                    address: "17.253.0.\($0)", content: $0 <= inSync ? .file(goal.meaning) : .missing("status 404"))
            }
            _ = watch.result(edges, at: .testing + 90)
            return (watch, end.map { watch.end($0, at: .testing + 90) })
        }

        @Test("each domain has a line, those in sync are counted, and the board goes back over just its lines")
        func lines() throws {
            let page = Page()
            let outputs = try Self.outputs(3, width: 80, height: 24, page)
            for output in outputs { output.tell([Self.first(.started)], nil) }
            let (watch, end) = Self.result(2, of: 2, end: .inSync)
            outputs[1].tell([try #require(end)], watch)
            outputs[0].tell([], Self.result(1, of: 3).0)
            outputs[2].tell([Self.first(.silentOrigin)], nil)
            let shown = try #require(page.texts.last?.split(separator: "\u{1B}[J").last)
            #expect(
                shown.split(separator: "\n") == [
                    "1 of 3 domains in sync", "  site1.test  1 of 3 edges in sync after 1m30s",
                    "  site2.test  in sync after 1m30s", "  site3.test  the origin gave no answer in time",
                ])
            for (drawn, next) in zip(page.texts, page.texts.dropFirst()) {
                #expect(next.hasPrefix("\u{1B}[\(drawn.split(separator: "\n").count)F\u{1B}[J"))
            }
        }

        @Test("a terminal with few lines shows those that are waited for")
        func fewLines() throws {
            let page = Page()
            let outputs = try Self.outputs(20, width: 40, height: 8, page)
            for output in outputs.prefix(19) {
                let (watch, end) = Self.result(1, of: 1, end: .inSync)
                output.tell([try #require(end)], watch)
            }
            let lines = try #require(page.texts.last?.split(separator: "\u{1B}[J").last).split(separator: "\n")
            #expect(lines.count == 7)
            #expect(lines.first == "19 of 20 domains in sync")
            #expect(lines.dropFirst().first?.hasPrefix("  site20.test  reading the origin") == true)
            #expect(lines.last == "  and 15 more")
            #expect(lines.allSatisfy { $0.count < 40 })
        }

        @Test("beside others each line names its domain, once")
        func named() throws {
            let page = Page()
            let wording = WatchWording(domain: try Domain("site.test"), usual: nil, isOneOfSeveral: true)
            let output = WatchOutput(wording: wording, format: .text, print: page.take)
            var watch = PropagationWatch(goal: Self.goal(), begin: .testing)
            output.tell([watch.opening(at: .testing)], watch)
            output.tell(
                watch.result([EdgeAnswer(address: "17.253.0.1", content: .missing("status 404"))], at: .testing), watch)
            output.tell([watch.end(.timeLimit, at: .testing)], watch)
            #expect(page.texts.count == 3)
            for text in page.texts { #expect(text.components(separatedBy: "site.test: ").count == 2, "\(text)") }
        }
    }
}
