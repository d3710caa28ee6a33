import AASA
import Testing

extension AASASuite {
    @Suite("Matching: contested points")
    struct MatchingContestedTests {
        private func points(_ links: AppLinks, _ text: String) throws -> [ContestedPoint] {
            links.match(try url(text)).contested
        }

        @Test("they are named where they decide, and nowhere else")
        func points() throws {
            let two = try applinks(
                #""details":[{"appID":"A","paths":["/a/*","/x"]},{"appID":"B","paths":["/b/*","/x"]}]"#)
            #expect(try points(two, "/x") == [.orderBetweenApps])
            #expect(try points(two, "/a/1").isEmpty)

            let legacy = try applinks(#""details":{"A":{"paths":["/a/*","/x"]},"B":{"paths":["/x"]}}"#)
            #expect(try points(legacy, "/x") == [.dictionaryOrder])
            #expect(try points(legacy, "/a/1").isEmpty)

            let twice = try applinks(#""details":[{"appID":"A","paths":["NOT /x","/y"]},{"appID":"A","paths":["*"]}]"#)
            #expect(try points(twice, "/x") == [.severalEntriesOfOneApp])
            #expect(try points(twice, "/y").isEmpty)

            let beside = try applinks(#""details":[{"appIDs":["A"],"appID":"B","paths":["/x"]}]"#)
            #expect(try points(beside, "/x") == [.appIDBesideAppIDs])
            #expect(try points(beside, "/y").isEmpty)

            let decoded = try components(#"{"/":"/a/b","?":{"q":"1*"},"percentEncoded":false}"#)
            #expect(try points(decoded, "/a%2F%2Fb?q=1") == [.decodingOrder])
            #expect(try points(decoded, "/a/b?q=1%26q=2") == [.decodingOrder])
            #expect(try points(decoded, "/%61/b?q=1").isEmpty)

            let codes = try components(#"{"/":"/$(lang)/x"},{"/":"/*/y"}"#)
            #expect(try points(codes, "/haw/x") == [.codeLists])
            #expect(try points(codes, "/en/x").isEmpty)
            #expect(try points(codes, "/haw/y").isEmpty)
            let own = try components(#"{"/":"/$(lang)/x"}"#, applinks: #""substitutionVariables":{"lang":["zz"]},"#)
            #expect(try points(own, "/haw/x").isEmpty)

            let backslash = try components(#"{"/":"/a\\*b","percentEncoded":false}"#)
            #expect(try points(backslash, "/a*b") == [.backslash])
            #expect(try points(backslash, "/c").isEmpty)

            let many = try components(#"{"/":"/\#(String(repeating: "?", count: 65))"}"#)
            #expect(try points(many, "/" + String(repeating: "x", count: 65)) == [.wildcardLimit])
            #expect(try points(many, "/x").isEmpty)

            let defaults = try paths(#""/a""#, applinks: #""defaults":{"caseSensitive":false},"#)
            #expect(try points(defaults, "/A") == [.defaultsForPaths])
            #expect(try points(defaults, "/a").isEmpty)
        }

        @Test(
            "a key that stands twice is contested where the first would give another answer",
            arguments: [
                #"{"applinks":{"details":[{"appID":"A","paths":["/a","/x"],"paths":["/b","/x"]}]}}"#,
                #"{"applinks":{"details":[{"appID":"A","paths":["/a","/x"]}],"details":[{"appID":"A","paths":["/b","/x"]}]}}"#,
                #"{"applinks":{"details":[{"appID":"A","paths":["/a","/x"]}]},"applinks":{"details":[{"appID":"A","paths":["/b","/x"]}]}}"#,
            ])
        func duplicateKeys(_ text: String) throws {
            let links = try #require(try AssociationFile(parsing: Array(text.utf8)).applinks)
            #expect(try points(links, "/a") == [.duplicateKey])
            #expect(try points(links, "/b") == [.duplicateKey])
            #expect(try points(links, "/x").isEmpty)
            #expect(try points(links, "/c").isEmpty)
        }

        @Test("each has a sentence of its own", arguments: ContestedPoint.allCases)
        func explanations(_ point: ContestedPoint) {
            #expect(point.explanation.count > 40)
            #expect(ContestedPoint.allCases.filter { $0.explanation == point.explanation } == [point])
        }
    }
}
