import AASA
import Testing

extension AASASuite {
    @Suite("Matching: contested points")
    struct MatchingContestedTests {
        private func points(_ links: AppLinks, _ text: String) throws -> [ContestedPoint] {
            links.match(try url(text)).contested
        }

        @Test("a contested point is named only where it decides")
        func points() throws {
            let two = try applinks(
                #""details":[{"appID":"A","paths":["/a/*","/x"]},{"appID":"B","paths":["/b/*","/x"]}]"#)
            #expect(try points(two, "/x") == [.orderBetweenApps])
            #expect(try points(two, "/a/1").isEmpty)

            let legacy = try applinks(#""details":{"A":{"paths":["/a/*","/x"]},"B":{"paths":["/x"]}}"#)
            #expect(try points(legacy, "/x") == [.orderBetweenApps])
            #expect(try points(legacy, "/a/1").isEmpty)

            let twice = try applinks(#""details":[{"appID":"A","paths":["NOT /x","/y"]},{"appID":"A","paths":["*"]}]"#)
            #expect(try points(twice, "/x") == [.severalEntriesOfOneApp])
            #expect(try points(twice, "/y").isEmpty)
        }

        @Test(
            "a duplicate key is contested if its first value would give another result",
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

        @Test("each contested point has its own explanation", arguments: ContestedPoint.allCases)
        func explanations(_ point: ContestedPoint) {
            #expect(point.explanation.count > 40)
            #expect(ContestedPoint.allCases.filter { $0.explanation == point.explanation } == [point])
        }
    }
}
