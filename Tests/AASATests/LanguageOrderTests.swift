import AASA
import TestSupport
import Testing

extension AASASuite {
    /// Of several apps that open one URL the first in the file is asked first.
    @Suite("Language order")
    struct LanguageOrderTests {
        private static let shop = #"{"appIDs":["A.shop"],"paths":["NOT /a/x","/a/*"]}"#
        private static let kids = #"{"appIDs":["A.kids"],"paths":["/a/b","/a/x"]}"#
        private static let news = #"{"appIDs":["A.news"],"paths":["/news"]}"#
        private static func sharing(_ apps: String...) -> String {
            #"{"appIDs":[\#(apps.map { "\"\($0)\"" }.joined(separator: ","))],"paths":["/a"]}"#
        }

        @Test(
            "where the order of two apps turns for a URL that both open, that URL shows it",
            arguments: [
                ([shop, kids], [kids, shop], ["/a/b: A.shop A.kids > A.kids A.shop"]),
                // No URL is claimed by both.
                ([shop, news], [news, shop], []), ([kids, news, shop], [news, kids, shop], []),
                ([sharing("A.a", "A.b")], [sharing("A.b", "A.a")], ["/a: A.a A.b > A.b A.a"]),
                // One URL shows all that turned, and what did not turn is not shown.
                (
                    [sharing("A.a", "A.b", "A.c")], [sharing("A.c", "A.b", "A.a")],
                    ["/a: A.a A.b A.c > A.c A.b A.a"]
                ),
                ([sharing("A.a", "A.b", "A.c")], [sharing("A.a", "A.c", "A.b")], ["/a: A.a A.b A.c > A.a A.c A.b"]),
                ([sharing("A.a", "A.b"), kids], [sharing("A.a"), kids, sharing("A.b")], []),
                ([sharing("A.a", "A.b")], [sharing("A.b"), sharing("A.a")], ["/a: A.a A.b > A.b A.a"]),
                ([sharing("A.a", "A.b")], [sharing("A.b")], []),
                // An app with an entry in front of the other's and one behind it.
                (
                    [shop, kids, #"{"appIDs":["A.shop"],"paths":["/x"]}"#],
                    [#"{"appIDs":["A.shop"],"paths":["/x"]}"#, kids, shop], ["/a/b: A.shop A.kids > A.kids A.shop"]
                ),
                ([shop, kids, shop], [shop, kids], []),
            ] as [([String], [String], [String])])
        func turned(_ old: [String], _ new: [String], _ expected: [String]) throws {
            let before = try LanguageFixture.links(details: old.joined(separator: ","))
            let after = try LanguageFixture.links(details: new.joined(separator: ","))
            let comparison = OrderDiff.compare(before, after)
            #expect(
                comparison.changes.map {
                    "\($0.example): \($0.before.joined(separator: " ")) > \($0.after.joined(separator: " "))"
                } == expected)
            #expect(comparison.isComplete)
            for change in comparison.changes {
                let url = try #require(MatchableURL(change.example))
                if change.turned.place == 0 { #expect(before.match(url).opens != after.match(url).opens) }
            }
        }

        @Test("an object has no order, and beyond the budget nothing is proven")
        func unproven() throws {
            let list = try LanguageFixture.links(details: "\(Self.shop),\(Self.kids)")
            let turned = try LanguageFixture.links(details: "\(Self.kids),\(Self.shop)")
            let object = try applinks(#""details":{"A.kids":{"paths":["/a/b"]},"A.shop":{"paths":["/a/*"]}}"#)
            for (old, new) in [(list, object), (object, list)] {
                let comparison = OrderDiff.compare(old, new)
                #expect(comparison.changes.isEmpty && !comparison.isComplete)
            }
            let small = OrderDiff.compare(list, turned, budget: LanguageBudget(states: 1, steps: 10))
            #expect(small.changes.isEmpty && !small.isComplete)
            #expect(OrderDiff.compare(nil, list) == .ofEqualFiles)
        }

        @Test("thousands of apps in reverse order are bounded by the budget")
        func many() throws {
            let apps = (0..<2_000).map { "\"A.a\($0)\"" }
            func file(_ apps: [String]) throws -> AppLinks {
                try LanguageFixture.links(details: #"{"appIDs":[\#(apps.joined(separator: ","))],"paths":["*"]}"#)
            }
            let budget = LanguageBudget(states: 500, steps: 400_000)
            let comparison = OrderDiff.compare(try file(apps), try file(apps.reversed()), budget: budget)
            #expect(comparison.changes.count == 1)
        }
    }
}
