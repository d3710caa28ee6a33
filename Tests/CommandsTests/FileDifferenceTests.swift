// What `diff` says of two files: as an engineer reads it who must decide whether to merge.

import AASA
import Evidence
import Testing

@testable import Commands

extension CommandsTests {
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

        private static func paths(_ app: String, _ rules: String...) -> String {
            #"{"appID":"A.\#(app)","paths":[\#(rules.map { "\"\($0)\"" }.joined(separator: ","))]}"#
        }

        private static let proof = "no URL changes what it opens on iOS 13 and later (proven for all URLs)"
        private static let proofForOlder =
            "and none on iOS 12 and older, which read 'appID' and 'paths' alone (proven for all URLs)"
        private static let olderHead =
            "what changes on iOS 12 and older, which read 'appID' and 'paths' alone and want an 'apps' list"
        private static let others =
            "  no other app matches more or fewer URLs on iOS 13 and later (proven for all URLs)"

        static let rows = [
            Row(
                testDescription: "an entry of two apps became two", old: entry("b c", "/x"),
                new: entry("b", "/x") + "," + entry("c", "/x"),
                lines: [
                    #"  ~ A.b: has an entry of its own now, shared with A.c before; its rules, as before: [{"/": "/x"}]"#,
                    #"  ~ A.c: has an entry of its own now, shared with A.b before; its rules, as before: [{"/": "/x"}]"#,
                    proof,
                ], absent: ["the value at", proofForOlder]),
            Row(
                testDescription: "an entry of one app became two", old: entry("b", "/x", "/y"),
                new: entry("b", "/x") + "," + entry("b", "/y"),
                lines: ["no URL changes what it opens on iOS 13 and later, as read here (proven for all URLs)"],
                absent: ["the value at"]),
            Row(
                testDescription: "one of two apps of an entry got a rule", old: entry("b c", "/x"),
                new: entry("b", "/x") + "," + entry("c", "/x", "/y"), lines: ["  /y", others], absent: [proof]),
            Row(
                testDescription: "an app with a file of its own has no others", old: entry("b", "/x"),
                new: entry("b", "/x", "/y"), lines: ["  /y"], absent: [others]),
            Row(
                testDescription: "the first app went, and the second opens all that it opened",
                old: entry("b", "/x/*") + "," + entry("c", "*"), new: entry("c", "*"),
                lines: [#"      A.c: opens it now, in place of A.b, and all URLs of {"/": "/x/*"} (proven)"#, others],
                absent: ["open the website"]),
            Row(
                testDescription: "the first app went, and the second opens some of it",
                old: entry("b", "/x/*") + "," + entry("c", "/x/y"), new: entry("c", "/x/y"),
                lines: [#"      A.c: opens some URLs of {"/": "/x/*"} now, for example /x/y"#],
                absent: ["(proven)\n  /"]),
            Row(
                testDescription: "the first app lost a rule", old: entry("b", "/x/*", "/y") + "," + entry("c", "*"),
                new: entry("b", "/y") + "," + entry("c", "*"),
                lines: [
                    #"      A.c: opens it now, in place of A.b, and all URLs of {"/": "/x/*"} that A.b loses (proven)"#
                ], absent: []),
            Row(
                testDescription: "an app came ahead of another", old: entry("c", "/x"),
                new: entry("b", "/x") + "," + entry("c", "/x"),
                lines: ["      A.c: opened it before, and is asked behind A.b now"], absent: []),
            Row(
                testDescription: "the list for iOS 12 went", old: #""apps":[],"# + paths("b", "/x"),
                new: paths("b", "/x"),
                lines: [proof, olderHead, "      A.b: opened by the app before, not matched now"],
                absent: [proofForOlder]),
            Row(
                testDescription: "the list for iOS 12 went where it served nobody",
                old: #""apps":[],"# + entry("b", "/x"),
                new: entry("b", "/x"), lines: [proof, proofForOlder], absent: [olderHead]),
            Row(
                testDescription: "the list for iOS 12 was filled, which is documented for nobody",
                old: #""apps":[],"# + paths("b", "/x"), new: #""apps":["A.b"],"# + paths("b", "/x"), lines: [proof],
                absent: [proofForOlder, olderHead]),
            Row(
                testDescription: "components came beside paths", old: #""apps":[],"# + paths("b", "/x"),
                new: #""apps":[],{"appID":"A.b","appIDs":["A.b"],"paths":["/x"],"components":[{"/":"/x"}]}"#,
                lines: [proof, proofForOlder], absent: ["instead of", "for iOS 12:"]),
            Row(
                testDescription: "components came instead of paths", old: #""apps":[],"# + paths("b", "/x", "/y"),
                new: #""apps":[],"# + entry("b", "/x"), lines: [olderHead, "  /x"], absent: [proof, proofForOlder]),
        ]

        private func difference(_ row: Row) throws -> FileDifference {
            func file(_ text: String) throws -> AssociationFile {
                let start = text.hasPrefix("\"apps\"") ? text.firstIndex(of: "{") ?? text.endIndex : text.startIndex
                let members = "\(text[..<start])\"details\":[\(text[start...])]"
                return try AssociationFile(parsing: Array("{\"applinks\":{\(members)}}".utf8))
            }
            return FileDifference(old: try file(row.old), new: try file(row.new), names: ["old", "new"])
        }

        @Test("text", arguments: rows)
        func text(_ row: Row) throws {
            let text = try difference(row).text(style: TextStyle(isColoured: false))
            let lines = text.split(separator: "\n").map(String.init)
            for line in row.lines { #expect(lines.contains(line), "\(line)\nin\n\(text)") }
            for part in row.absent { #expect(!text.contains(part), "\(part)\nin\n\(text)") }
        }

        @Test("JSON names who opens the URLs of a rule now, and what is proven for iOS 12")
        func json() throws {
            let row = try #require(Self.rows.first { $0.testDescription.hasSuffix("opens some of it") })
            let text = try difference(row).json.text(isPretty: false)
            let shares =
                #""urls_of_rule": {"rule": "{\"/\": \"/x/*\"}", "opened_now_by": [{"app": "A.c", "example": "/x/y"}, {"app": null,"#
            #expect(text.contains(shares), "\(text)")
            #expect(text.contains(#""ios_12_complete": true"#), "\(text)")
        }
    }
}
