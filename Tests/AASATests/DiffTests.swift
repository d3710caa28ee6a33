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
                testDescription: "only formatting changed", old: #"{"a":1,"b":{}}"#, new: "{ \"b\": {},\n\"a\": 1.0 }",
                changes: []),
            Row(
                testDescription: "a service was added", old: #"{"applinks":{}}"#,
                new: #"{"applinks":{},"webcredentials":{"apps":["A.b"]}}"#,
                changes: ["added service webcredentials with A.b /webcredentials"]),
            Row(
                testDescription: "a service was removed", old: #"{"a/b~":{"apps":["1","2","3","4"]}}"#, new: "{}",
                changes: ["removed service a/b~ with 1, 2, 3 and 1 more /a~1b~0"]),
            Row(
                testDescription: "an app was added", old: links(#"{"appIDs":["A.b"]}"#),
                new: links(#"{"appIDs":["A.b"]},{"appIDs":["A.c"]}"#),
                changes: ["added applinks: app A.c, with the rules (no list of rules: every URL) /applinks/details/1"]),
            Row(
                testDescription: "an app was replaced", old: links(#"{"appIDs":["A.b"]}"#),
                new: links(#"{"appIDs":["A.c"]}"#),
                changes: [
                    "added applinks: app A.c, with the rules (no list of rules: every URL) /applinks/details/0",
                    "removed applinks: app A.b, with the rules (no list of rules: every URL) /applinks/details/0",
                ]),
            Row(
                testDescription: "an app was replaced by one with other rules",
                old: links(#"{"appIDs":["A.b"],"paths":["/x"]}"#), new: links(#"{"appIDs":["A.c"],"paths":["/y"]}"#),
                changes: [
                    #"added applinks: app A.c, with the rules ["/y"] /applinks/details/0"#,
                    #"removed applinks: app A.b, with the rules ["/x"] /applinks/details/0"#,
                ]),
            Row(
                testDescription: "a rule was added and one removed",
                old: links(#"{"appIDs":["A.b"],"components":[{"/":"/x"},{"/":"/y"}]}"#),
                new: links(#"{"appIDs":["A.b"],"components":[{"/":"/y"},{"/":"/z"}]}"#),
                changes: [
                    #"removed A.b: {"/": "/x"} /applinks/details/0/components/0"#,
                    #"added A.b: {"/": "/z"} /applinks/details/0/components/1"#,
                ]),
            Row(
                testDescription: "a path with a question mark is not a component with a query",
                old: links(#"{"appIDs":["A.b"],"paths":["/buy?id=*"]}"#),
                new: links(#"{"appIDs":["A.b"],"components":[{"/":"/buy","?":"id=*"}]}"#),
                changes: [
                    #"removed A.b: "/buy?id=*" /applinks/details/0/paths/0"#,
                    #"added A.b: {"/": "/buy", "?": "id=*"} /applinks/details/0/components/0"#,
                    "changed A.b: components instead of paths /applinks/details/0",
                ]),
            Row(
                testDescription: "one entry became two", old: links(#"{"appIDs":["A.b"],"paths":["/x","/y"]}"#),
                new: links(#"{"appIDs":["A.b"],"paths":["/x"]},{"appIDs":["A.b"],"paths":["/y"]}"#),
                changes: [
                    #"removed the value at /applinks/details/0: {"appIDs": ["A.b"], "paths": ["/x", "/y"]} /applinks/details/0"#,
                    #"added the value at /applinks/details/0: {"appIDs": ["A.b"], "paths": ["/x"]} /applinks/details/0"#,
                    #"added the value at /applinks/details/1: {"appIDs": ["A.b"], "paths": ["/y"]} /applinks/details/1"#,
                ]),
            Row(
                testDescription: "entries were reordered, and apps were not",
                old: links(
                    #"{"appIDs":["A.b"],"paths":["/x"]},{"appIDs":["A.c"],"paths":["/y"]},{"appIDs":["A.b"],"paths":["/z"]}"#
                ),
                new: links(
                    #"{"appIDs":["A.b"],"paths":["/x"]},{"appIDs":["A.b"],"paths":["/z"]},{"appIDs":["A.c"],"paths":["/y"]}"#
                ),
                changes: [
                    #"changed the value at /applinks/details/1/appIDs/0: "A.c" became "A.b" /applinks/details/1/appIDs/0"#,
                    #"changed the value at /applinks/details/1/paths/0: "/y" became "/z" /applinks/details/1/paths/0"#,
                    #"changed the value at /applinks/details/2/appIDs/0: "A.b" became "A.c" /applinks/details/2/appIDs/0"#,
                    #"changed the value at /applinks/details/2/paths/0: "/z" became "/y" /applinks/details/2/paths/0"#,
                ]),
            Row(
                testDescription: "an ID became a list of IDs", old: links(#"{"appID":"A.b","paths":["/x"]}"#),
                new: links(#"{"appIDs":["A.b"],"paths":["/x"]}"#),
                changes: [
                    #"removed the value at /applinks/details/0/appID: "A.b" /applinks/details/0/appID"#,
                    #"added the value at /applinks/details/0/appIDs: ["A.b"] /applinks/details/0/appIDs"#,
                ]),
            Row(
                testDescription: "a long text changed",
                old: #"{"x":"\#(String(repeating: "a", count: 200))"}"#,
                new: #"{"x":"\#(String(repeating: "b", count: 201))"}"#,
                changes: [
                    "changed the value at /x: \"\(String(repeating: "a", count: 59))… (202 bytes) became "
                        + "\"\(String(repeating: "b", count: 59))… (203 bytes) /x"
                ]),
            Row(
                testDescription: "a long text changed at its end",
                old: #"{"x":"\#(String(repeating: "a", count: 200))1"}"#,
                new: #"{"x":"\#(String(repeating: "a", count: 200))2"}"#,
                changes: [
                    "changed the value at /x: …\(String(repeating: "a", count: 20))1\" became "
                        + "…\(String(repeating: "a", count: 20))2\" /x"
                ]),
            Row(
                testDescription: "a rule with the same path changed",
                old: links(#"{"appIDs":["A.b"],"components":[{"/":"/x","?":{"a":"1"}}]}"#),
                new: links(#"{"appIDs":["A.b"],"components":[{"/":"/x","exclude":true,"comment":"no"}]}"#),
                changes: [
                    #"changed A.b: {"/": "/x", "?": {"a": "1"}} became {"/": "/x", "exclude": true} "#
                        + "/applinks/details/0/components/0",
                    #"added the value at /applinks/details/0/components/0/comment: "no" "#
                        + "/applinks/details/0/components/0/comment",
                ]),
            Row(
                testDescription: "rules were reordered", old: links(#"{"appIDs":["A.b"],"paths":["/x","/y","/z"]}"#),
                new: links(#"{"appIDs":["A.b"],"paths":["/z","/x","/y"]}"#),
                changes: [#"moved A.b: "/z", from place 3 to place 1 /applinks/details/0/paths/0"#]),
            Row(
                testDescription: "one of two equal rules was removed",
                old: links(#"{"appIDs":["A.b"],"paths":["/x","/x"]}"#),
                new: links(#"{"appIDs":["A.b"],"paths":["/x"]}"#),
                changes: [#"removed A.b: "/x" /applinks/details/0/paths/1"#]),
            Row(
                testDescription: "a rule of several apps is reported once",
                old: links(#"{"appIDs":["A.b","A.c","A.d"],"paths":["/x"]}"#),
                new: links(#"{"appIDs":["A.b","A.c","A.d"],"paths":["NOT /y","/x"]}"#),
                changes: [#"added A.b, A.c and 1 more: "NOT /y" /applinks/details/0/paths/0"#]),
            Row(
                testDescription: "a value that is not an entry was removed",
                old: links(#"{"appIDs":["A.b"],"paths":["/x"]},"note""#),
                new: links(#"{"appIDs":["A.b"],"paths":["/x"]}"#),
                changes: [#"removed the value at /applinks/details/1: "note" /applinks/details/1"#]),
            Row(
                testDescription: "an app was listed twice", old: links(#"{"appIDs":["A.b","A.b"],"paths":["/x"]}"#),
                new: links(#"{"appIDs":["A.b"],"paths":["/x"]}"#),
                changes: [
                    #"removed the value at /applinks/details/0/appIDs/1: "A.b" /applinks/details/0/appIDs/1"#
                ]),
            Row(
                testDescription: "a list got longer in the middle", old: #"{"x":[1,{"y":2},3]}"#,
                new: #"{"x":[1,{"y":2},4,3]}"#, changes: ["added the value at /x/2: 4 /x/2"]),
            Row(
                testDescription: "a duplicate key was removed", old: #"{"a":1,"a":2}"#, new: #"{"a":2}"#,
                changes: [#"changed the value at the root: {"a": 1, "a": 2} became {"a": 2} "#]),
            Row(
                testDescription: "a component became a string, which opens everything",
                old: links(#"{"appIDs":["A.b"],"components":[{"/":"/x"}]}"#),
                new: links(#"{"appIDs":["A.b"],"components":["/x"]}"#),
                changes: [
                    #"removed A.b: {"/": "/x"} /applinks/details/0/components/0"#,
                    #"added A.b: "/x" (not an object: every URL) /applinks/details/0/components/0"#,
                ]),
            Row(
                testDescription: "components were added to paths, and appIDs to appID",
                old: links(#"{"appID":"A.b","paths":["/x"]}"#),
                new: links(#"{"appID":"A.b","appIDs":["A.b"],"paths":["/x"],"components":[{"/":"/x"}]}"#),
                changes: [
                    "changed A.b: components instead of paths /applinks/details/0",
                    #"added the value at /applinks/details/0/appIDs: ["A.b"] /applinks/details/0/appIDs"#,
                ]),
            Row(
                testDescription: "unused paths and an unused appID were removed",
                old: links(#"{"appID":"A.b","appIDs":["A.b"],"paths":["/x"],"components":[{"/":"/x"}]}"#),
                new: links(#"{"appIDs":["A.b"],"components":[{"/":"/x"}]}"#),
                changes: [
                    #"removed the value at /applinks/details/0/appID: "A.b" /applinks/details/0/appID"#,
                    #"removed the value at /applinks/details/0/paths: ["/x"] /applinks/details/0/paths"#,
                ]),
            Row(
                testDescription: "components were removed from paths",
                old: links(#"{"appIDs":["A.b"],"paths":["/x"],"components":[{"/":"/y"}]}"#),
                new: links(#"{"appIDs":["A.b"],"paths":["/x"]}"#),
                changes: [
                    #"removed A.b: {"/": "/y"} /applinks/details/0/components/0"#,
                    #"added A.b: "/x" /applinks/details/0/paths/0"#,
                    "changed A.b: paths instead of components /applinks/details/0",
                ]),
            Row(
                testDescription: "an empty list of apps was removed", old: #"{"applinks":{"apps":[],"details":[]}}"#,
                new: #"{"applinks":{"details":[]}}"#,
                changes: [
                    "removed the value at /applinks/apps: [] /applinks/apps"
                ]),
            Row(
                testDescription: "paths became components", old: links(#"{"appIDs":["A.b"],"paths":["/x"]}"#),
                new: links(#"{"appIDs":["A.b"],"components":[{"/":"/x"}]}"#),
                changes: ["changed A.b: components instead of paths /applinks/details/0"]),
            Row(
                testDescription: "unused paths changed",
                old: links(#"{"appIDs":["A.b"],"components":[{"/":"/x"}],"paths":["/x"]}"#),
                new: links(#"{"appIDs":["A.b"],"components":[{"/":"/x"}],"paths":["/y"]}"#),
                changes: [
                    #"changed the value at /applinks/details/0/paths/0: "/x" became "/y" /applinks/details/0/paths/0"#
                ]),
            Row(
                testDescription: "apps were reordered", old: #"{"webcredentials":{"apps":["A.b","A.c"]}}"#,
                new: #"{"webcredentials":{"apps":["A.c","A.b"]}}"#,
                changes: ["moved webcredentials: app A.c, from place 2 to place 1 /webcredentials/apps"]),
            Row(
                testDescription: "defaults changed at both levels",
                old:
                    #"{"applinks":{"defaults":{"caseSensitive":true},"details":[{"appIDs":["A.b"],"components":[]}]}}"#,
                new: #"{"applinks":{"defaults":{"caseSensitive":false},"details":"#
                    + #"[{"appIDs":["A.b"],"components":[],"defaults":{"percentEncoded":false}}]}}"#,
                changes: [
                    #"added the value at /applinks/details/0/defaults: {"percentEncoded": false} /applinks/details/0/defaults"#,
                    "changed the value at /applinks/defaults/caseSensitive: true became false "
                        + "/applinks/defaults/caseSensitive",
                ]),
            Row(
                testDescription: "variables were added, removed and changed",
                old: #"{"applinks":{"substitutionVariables":{"a":["1"],"b":["2","3"]}}}"#,
                new: #"{"applinks":{"substitutionVariables":{"b":["3","4"],"c":["5"]}}}"#,
                changes: [
                    #"removed applinks: variable a: ["1"] /applinks/substitutionVariables/a"#,
                    #"changed applinks: variable b: "2" removed, "4" added /applinks/substitutionVariables/b"#,
                    #"added applinks: variable c: ["5"] /applinks/substitutionVariables/c"#,
                ]),
            Row(
                testDescription: "a comment and a rule changed",
                old: links(#"{"appIDs":["A.b"],"components":[{"/":"/x","comment":"1"}]}"#),
                new: links(#"{"appIDs":["A.b"],"components":[{"/":"/x","comment":"2"},{"/":"/y"}]}"#),
                changes: [
                    #"added A.b: {"/": "/y"} /applinks/details/0/components/1"#,
                    #"changed the value at /applinks/details/0/components/0/comment: "1" became "2" "#
                        + "/applinks/details/0/components/0/comment",
                ]),
            Row(
                testDescription: "a key that is not a service was added", old: "{}", new: #"{"note":"hello"}"#,
                changes: [#"added the value at /note: "hello" /note"#]),
            Row(
                testDescription: "the object became an array", old: "{}", new: "[]",
                changes: ["changed the whole file differs "]),
        ]

        @Test("changes are listed in order", arguments: rows)
        func changes(_ row: Row) throws {
            let changes = AssociationDiff.compare(try document(row.old), try document(row.new)).changes
            #expect(changes.map { "\($0.kind.rawValue) \($0.summary) \($0.pointer)" } == row.changes)
        }

        @Test("changes beyond fifty are counted")
        func many() throws {
            let apps = (0..<120).map { "\"A.b\($0)\"" }.joined(separator: ",")
            let comparison = AssociationDiff.compare(
                try document(#"{"webcredentials":{"apps":[]}}"#),
                try document(#"{"webcredentials":{"apps":[\#(apps)]}}"#))
            #expect(comparison.changes.count == AssociationDiff.maximumChanges)
            #expect(comparison.total == 120)
        }
    }
}
