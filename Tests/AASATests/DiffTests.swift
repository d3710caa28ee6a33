import AASA
import Testing

extension AASASuite {
    @Suite("Diff")
    struct DiffTests {
        static func links(_ details: String) -> String { #"{"applinks":{"details":[\#(details)]}}"# }

        struct Row: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let old: String
            let new: String
            let changes: [String]
        }

        static let rows = [
            Row(
                testDescription: "formatting alone", old: #"{"a":1,"b":{}}"#, new: "{ \"b\": {},\n\"a\": 1.0 }",
                changes: []),
            Row(
                testDescription: "a service came", old: #"{"applinks":{}}"#,
                new: #"{"applinks":{},"webcredentials":{"apps":["A.b"]}}"#,
                changes: ["added service webcredentials with A.b /webcredentials"]),
            Row(
                testDescription: "a service went", old: #"{"a/b~":{"apps":["1","2","3","4"]}}"#, new: "{}",
                changes: ["removed service a/b~ with 1, 2, 3 and 1 more /a~1b~0"]),
            Row(
                testDescription: "an app came", old: links(#"{"appIDs":["A.b"]}"#),
                new: links(#"{"appIDs":["A.b"]},{"appIDs":["A.c"]}"#),
                changes: ["added applinks: app A.c /applinks/details/1"]),
            Row(
                testDescription: "an app was replaced", old: links(#"{"appIDs":["A.b"]}"#),
                new: links(#"{"appIDs":["A.c"]}"#),
                changes: [
                    "added applinks: app A.c /applinks/details/0", "removed applinks: app A.b /applinks/details/0",
                ]),
            Row(
                testDescription: "a pattern came and one went",
                old: links(#"{"appIDs":["A.b"],"components":[{"/":"/x"},{"/":"/y"}]}"#),
                new: links(#"{"appIDs":["A.b"],"components":[{"/":"/y"},{"/":"/z"}]}"#),
                changes: ["removed A.b: /x /applinks/details/0", "added A.b: /z /applinks/details/0"]),
            Row(
                testDescription: "patterns changed places", old: links(#"{"appIDs":["A.b"],"paths":["/x","/y"]}"#),
                new: links(#"{"appIDs":["A.b"],"paths":["/y","/x"]}"#),
                changes: ["moved A.b: the order of its patterns /applinks/details/0"]),
            Row(
                testDescription: "one of two equal patterns went",
                old: links(#"{"appIDs":["A.b"],"paths":["/x","/x"]}"#),
                new: links(#"{"appIDs":["A.b"],"paths":["/x"]}"#), changes: ["removed A.b: /x /applinks/details/0"]),
            Row(
                testDescription: "apps changed places", old: #"{"webcredentials":{"apps":["A.b","A.c"]}}"#,
                new: #"{"webcredentials":{"apps":["A.c","A.b"]}}"#,
                changes: ["moved webcredentials: the order of the apps /webcredentials"]),
            Row(
                testDescription: "defaults changed", old: #"{"applinks":{"defaults":{"caseSensitive":true}}}"#,
                new: #"{"applinks":{"defaults":{"caseSensitive":false}}}"#,
                changes: [
                    "changed the value at /applinks/defaults/caseSensitive /applinks/defaults/caseSensitive"
                ]),
            Row(
                testDescription: "a comment changed",
                old: links(#"{"appIDs":["A.b"],"components":[{"/":"/x","comment":"1"}]}"#),
                new: links(#"{"appIDs":["A.b"],"components":[{"/":"/x","comment":"2"}]}"#),
                changes: [
                    "changed the value at /applinks/details/0/components/0/comment "
                        + "/applinks/details/0/components/0/comment"
                ]),
            Row(
                testDescription: "a key came that is no service", old: "{}", new: #"{"note":"hello"}"#,
                changes: ["changed the value at the root "]),
            Row(
                testDescription: "no object any more", old: "{}", new: "[]",
                changes: ["changed the whole file differs "]),
        ]

        @Test("what changed is told in its order", arguments: rows)
        func changes(_ row: Row) throws {
            let changes = AssociationDiff.changes(from: try document(row.old), to: try document(row.new))
            #expect(changes.map { "\($0.kind.rawValue) \($0.summary) \($0.pointer)" } == row.changes)
        }

        @Test("more than fifty changes end in one line that counts the rest")
        func many() throws {
            let apps = (0..<120).map { "\"A.b\($0)\"" }.joined(separator: ",")
            let changes = AssociationDiff.changes(
                from: try document(#"{"webcredentials":{"apps":[]}}"#),
                to: try document(#"{"webcredentials":{"apps":[\#(apps)]}}"#))
            #expect(changes.count == AssociationDiff.maximumChanges + 1)
            #expect(changes.last?.summary == "and 70 more changes")
        }
    }
}
