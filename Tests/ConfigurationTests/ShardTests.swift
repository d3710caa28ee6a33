import Evidence
import MonitorConfiguration
import Testing

extension ConfigurationSuite {
    @Suite struct ShardTests {
        private static func file(_ shard: String, domains: Int = 1000) -> String {
            "version: 1\n\(shard)\ndomains:\n" + (0..<domains).map { "  - d\($0).example.com\n" }.joined()
        }

        @Test("each domain is in exactly one shard, and the shards have about equal size", arguments: [1, 2, 4, 7])
        func shares(_ count: Int) throws {
            let shares = try (0..<count).map {
                try Fixture.parse(Self.file("shard: {index: \($0), count: \(count)}")).0.domains.map(\.domain)
            }
            #expect(shares.flatMap { $0 }.count == 1000)
            #expect(Set(shares.flatMap { $0 }).count == 1000)
            for share in shares { #expect(abs(share.count - 1000 / count) < 100) }
        }

        @Test("a domain's shard is the same on every machine and in every version")
        func stable() throws {
            let shares = try (0..<8).map { index in
                let domain = try Domain("d\(index).example.com")
                return (0..<4).compactMap { Shard(index: $0, count: 4)?.contains(domain) == true ? $0 : nil }
            }
            #expect(shares == [[2], [1], [0], [2], [1], [3], [2], [0]])
        }

        @Test("the option overrides the file's shard")
        func option() throws {
            let text = Self.file("shard: {index: 0, count: 2}", domains: 100)
            let other = try Fixture.parse(text, shard: Shard("1/2"))
            let own = try Fixture.parse(text).0
            #expect(Set(own.domains.map(\.domain)).isDisjoint(with: other.0.domains.map(\.domain)))
            #expect(own.domains.count + other.0.domains.count == 100)
        }

        @Test("a maintenance window may name a domain of another shard")
        func otherShare() throws {
            let text = """
                version: 1
                domains: [example.com]
                maintenance:
                  - {name: night, domains: [example.com], days: [sat], start: "02:00", duration: 1h, zone: UTC}
                shard: {index: INDEX, count: 2}
                """
            for index in ["0", "1"] {
                let (file, warnings) = try Fixture.parse(text.replacing("INDEX", with: index))
                #expect(warnings.isEmpty)
                #expect(file.maintenance.count == 1)
            }
        }

        @Test(
            "the option has the form INDEX/COUNT",
            arguments: [
                ("0/4", true), ("3/4", true), ("0/1", true), ("4/4", false), ("-1/4", false), ("1", false),
                ("1/", false),
                ("/4", false), ("0/0", false), ("1/2/3", false), ("0/5000", false), ("a/b", false),
                ("0/99999999999999999999", false), ("", false),
            ])
        func form(_ text: String, _ isGood: Bool) {
            #expect((Shard(text) != nil) == isGood)
            if isGood { #expect(Shard(text)?.description == text) }
        }
    }
}
