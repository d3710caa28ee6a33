// What `diff` says about two files to an engineer who must decide whether to merge.

import AASA
import Evidence
import Testing

@testable import FileCommands

extension FileCommandsTests {
    @Suite struct FileDifferenceTests {
        struct Row: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let old: String
            let new: String
            let lines: [String]
            let absent: [String]
        }

        private static func entry(_ apps: String, _ rules: String...) -> String {
            let ids = apps.split(separator: " ").map { "\"A.\($0)\"" }.joined(separator: ",")
            return #"{"appIDs":[\#(ids)],"components":[\#(rules.map { "{\"/\":\"\($0)\"}" }.joined(separator: ","))]}"#
        }

        private static let proof = "no app gains or loses a URL (proven for all URLs)"
        private static let others = "  no other app matches more or fewer URLs (proven for all URLs)"

        static let rows = [
            Row(
                testDescription: "an entry of two apps became two", old: entry("b c", "/x"),
                new: entry("b", "/x") + "," + entry("c", "/x"), lines: [proof], absent: []),
            Row(
                testDescription: "apps were reordered", old: entry("b", "/x") + "," + entry("c", "/x"),
                new: entry("c", "/x") + "," + entry("b", "/x"),
                lines: ["  ↕ applinks: app A.c, from place 2 to place 1", proof], absent: []),
            Row(
                testDescription: "one of two apps of an entry got a rule", old: entry("b c", "/x"),
                new: entry("b", "/x") + "," + entry("c", "/x", "/y"), lines: ["  /y", others], absent: [proof]),
            Row(
                testDescription: "an app with its own rules has no other app's", old: entry("b", "/x"),
                new: entry("b", "/x", "/y"), lines: ["  /y"], absent: [others]),
            Row(
                testDescription: "the first app went, and the second opens all that it opened",
                old: entry("b", "/x/*") + "," + entry("c", "*"), new: entry("c", "*"),
                lines: ["      A.c: opens it now, instead of A.b", others], absent: []),
            Row(
                testDescription: "an app was added before another", old: entry("c", "/x"),
                new: entry("b", "/x") + "," + entry("c", "/x"),
                lines: ["      A.c: opened it before; now A.b comes first"], absent: []),
        ]

        private func difference(_ row: Row) throws -> FileDifference {
            func file(_ details: String) throws -> AssociationFile {
                try AssociationFile(parsing: Array("{\"applinks\":{\"details\":[\(details)]}}".utf8))
            }
            return FileDifference(old: try file(row.old), new: try file(row.new), names: ["old", "new"])
        }

        @Test("the text shows the difference", arguments: rows)
        func text(_ row: Row) throws {
            let text = try difference(row).text(style: TextStyle(isColoured: false))
            let lines = text.split(separator: "\n").map(String.init)
            for line in row.lines { #expect(lines.contains(line), "\(line)\nin\n\(text)") }
            for part in row.absent { #expect(!text.contains(part), "\(part)\nin\n\(text)") }
            let plain = try difference(row).text(style: TextStyle(isColoured: false, isUnicode: false))
            #expect(plain.utf8.allSatisfy { $0 < 0x80 }, "\(plain)")
        }

        @Test("the JSON names the app that opens an example before and after")
        func json() throws {
            let row = try #require(Self.rows.first { $0.testDescription.hasPrefix("the first app went") })
            let text = OrderedJSON.document(DiffDocument(try difference(row))).text(isPretty: false)
            #expect(text.contains(#""opened_before_by": "A.b", "opened_now_by": "A.c", "#), "\(text)")
        }
    }
}
