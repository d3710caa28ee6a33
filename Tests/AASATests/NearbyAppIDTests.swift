import AASA
import Testing

extension AASASuite {
    @Suite("App IDs that are similar to the requested one")
    struct NearbyAppIDTests {
        @Test(
            "the most similar come first, with their difference",
            arguments: [
                (
                    ["ABCDE12345.org.other", "D7KQ4ZW2MX.com.acme.staff", "D7KQ4ZW2MX.com.Acme.shop"],
                    [
                        "D7KQ4ZW2MX.com.Acme.shop: upper and lower case differ",
                        "D7KQ4ZW2MX.com.acme.staff: another app of the team", "ABCDE12345.org.other: nil",
                    ]
                ),
                (["ABCDE12345.com.acme.shop"], ["ABCDE12345.com.acme.shop: another team"]),
                (["d7kq4zw2mx.com.acme.shop"], ["d7kq4zw2mx.com.acme.shop: upper and lower case differ"]),
                (
                    ["ABCDE12345.com.acme.Shop"],
                    ["ABCDE12345.com.acme.Shop: another team, and upper and lower case differ"]
                ),
                (["D7KQ4ZW2MX.com.acme.shpo"], ["D7KQ4ZW2MX.com.acme.shpo: spelled differently"]),
                (["", "no dot", ".", "D7KQ4ZW2MX."], nil),
            ] as [([String], [String]?)])
        func order(_ ids: [String], _ expected: [String]?) {
            let found = NearbyAppID.all(ids, near: "D7KQ4ZW2MX.com.acme.shop")
            if let expected { #expect(found.map { "\($0.id): \($0.difference ?? "nil")" } == expected) }
            #expect(found.count == ids.count)
        }

        @Test("of thousands, only a few are listed")
        func many() {
            let ids = (0..<10_000).map { "ABCDE12345.com.acme.a\($0)" }
            #expect(NearbyAppID.all(ids, near: "D7KQ4ZW2MX.com.acme.shop").count == 5)
        }
    }
}
