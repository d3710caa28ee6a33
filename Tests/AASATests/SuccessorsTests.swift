import AASA
import Testing

extension AASASuite {
    @Suite("Who opens the URLs that an app loses")
    struct SuccessorsTests {
        struct Row: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let old: String
            let new: String
            /// The app that loses URLs.
            let app: String
            /// nil: no answer.
            let shares: [String]?
        }

        static func entry(_ app: String, _ rules: String...) -> String {
            let list = rules.map { #""\#($0)""# }.joined(separator: ",")
            return #"{"appIDs":["A.\#(app)"],"paths":[\#(list)]}"#
        }

        static let rows = [
            Row(
                testDescription: "the app behind it opens all URLs of the rule",
                old: entry("b", "/a/*") + "," + entry("c", "/a/*"), new: entry("c", "/a/*"), app: "A.b",
                shares: ["A.c"]),
            Row(
                testDescription: "the app behind it opens some of them",
                old: entry("b", "/a/*") + "," + entry("c", "/a/x*"), new: entry("c", "/a/x*"), app: "A.b",
                shares: ["A.c /a/x", "website"]),
            Row(
                testDescription: "none opens them", old: entry("b", "/a/*") + "," + entry("c", "/c"),
                new: entry("c", "/c"), app: "A.b", shares: ["website"]),
            Row(
                testDescription: "two apps share them, the first where both do",
                old: entry("b", "/a/*"), new: entry("c", "NOT /a/y*", "/a/*") + "," + entry("d", "/a/*"), app: "A.b",
                shares: ["A.c", "A.d /a/y"]),
            Row(
                testDescription: "URLs of other rules of the app do not count",
                old: entry("b", "/a/*", "/z") + "," + entry("c", "/a/*"), new: entry("c", "/a/*"), app: "A.b",
                shares: ["A.c"]),
            Row(
                testDescription: "URLs that it keeps do not count",
                old: entry("b", "/a/*") + "," + entry("c", "/a/x*"),
                new: entry("b", "NOT /a/x*", "/a/*") + "," + entry("c", "/a/x*"), app: "A.b",
                shares: ["A.c"]),
            Row(
                testDescription: "URLs for which another app was asked before it do not count",
                old: entry("c", "/a/x*") + "," + entry("b", "/a/*"), new: entry("c", "/a/x*"), app: "A.b",
                shares: ["website"]),
            Row(
                testDescription: "an object has no order", old: entry("b", "/a"), new: "", app: "A.b",
                shares: nil),
        ]

        /// The shortest URL that the app no longer opens.
        private static func loss(of app: String, _ old: AppLinks?, _ new: AppLinks?) -> BehaviourChange? {
            BehaviourDiff.compare(old, new).changes.first { $0.appID == app && $0.to != .opens }
        }

        @Test("all URLs of the rule, some of them, or none", arguments: rows)
        func shares(_ row: Row) throws {
            func links(_ details: String) throws -> AppLinks? {
                let list = details.isEmpty ? #"{"A.c":{"paths":["*"]}}"# : "[\(details)]"
                return try AssociationFile(parsing: Array(#"{"applinks":{"details":\#(list)}}"#.utf8)).applinks
            }
            let (old, new) = (try links(row.old), try links(row.new))
            let change = try #require(Self.loss(of: row.app, old, new))
            var search = SuccessorSearch(old, new)
            let found = search?.successors(of: change)
            let isAll = found?.shares.count == 1
            let told = found?.shares.map { share in
                isAll ? share.app ?? "website" : share.app.map { "\($0) \(share.example)" } ?? "website"
            }
            // The first URL of the first share is the shortest; which one it is does not matter here.
            #expect(
                told?.map { $0.hasPrefix("A.c") && row.shares?.contains("A.c") == true ? "A.c" : $0 } == row.shares)
        }

        @Test("many apps end in no answer, not in endless work")
        func many() throws {
            let entries = (0..<40).map { Self.entry("n\($0)", "/a/\($0)*") }.joined(separator: ",")
            let old = try AssociationFile(
                parsing: Array(#"{"applinks":{"details":[\#(Self.entry("b", "/a/*")),\#(entries)]}}"#.utf8)
            ).applinks
            let new = try AssociationFile(parsing: Array(#"{"applinks":{"details":[\#(entries)]}}"#.utf8)).applinks
            var search = try #require(SuccessorSearch(old, new))
            let change = try #require(Self.loss(of: "A.b", old, new))
            #expect(search.successors(of: change) == nil)
        }
    }
}
