import AASA
import Testing

extension AASASuite {
    @Suite("Association")
    struct AssociationTests {
        @Test(
            "app IDs are read as Apple reads them",
            arguments: [
                (#"{"applinks":{"details":[{"appIDs":["A.b","A.c"]},{"appID":"A.d"}]}}"#, ["A.b", "A.c", "A.d"]),
                (#"{"applinks":{"details":[{"appIDs":["A.b"],"appID":"A.x"}]}}"#, ["A.b"]),
                (#"{"applinks":{"details":{"A.b":{"paths":["*"]}}}}"#, ["A.b"]),
                (#"{"applinks":{"apps":["A.b"]}}"#, ["A.b"]),
                (#"{"applinks":{"apps":["A.x"],"details":[]}}"#, []),
                (#"{"applinks":{"apps":["A.x"],"details":[{"appIDs":["A.b"]}]}}"#, ["A.b"]),
                (#"{"applinks":{"details":[{"appIDs":["A.b","A.b",7]},"no object"]}}"#, ["A.b"]),
                (#"{"applinks":{"details":[{"appIDs":"A.b"}]}}"#, []),
                (#"{"webcredentials":{"apps":["A.b"],"details":[{"appIDs":["A.x"]}]}}"#, ["A.b"]),
            ])
        func apps(_ text: String, _ expected: [String]) throws {
            let association = try #require(Association(try document(text).root))
            #expect(association.services.first?.appIDs == expected)
        }

        @Test(
            "patterns are shown in the order that decides",
            arguments: [
                (#"{"components":[{"/":"/a/*"},{"/":"/b","exclude":true}]}"#, ["/a/*", "NOT /b"]),
                (##"{"components":[{"?":{"b":"?","a":"1"},"#":"top"}]}"##, ["*?a=1&b=?#top"]),
                (#"{"components":[{"/":"/x","?":"q=1","caseSensitive":false}]}"#, ["/x?q=1 (caseSensitive: false)"]),
                (#"{"paths":["/a","NOT /b"]}"#, ["/a", "NOT /b"]),
                (#"{"components":[],"paths":["/a"]}"#, []), (#"{"paths":"*"}"#, ["everything"]), ("{}", ["everything"]),
                (#"{"paths":[1],"components":{}}"#, ["everything"]),
                (#"{"components":["x",{}]}"#, ["everything", "*"]),
            ])
        func patterns(_ entry: String, _ expected: [String]) throws {
            let association = Association(try document(#"{"applinks":{"details":[\#(entry)]}}"#).root)
            #expect(association?.services.first?.entries.first?.patterns == expected)
        }

        @Test("a root that is no object is no association; a service that is no object is none")
        func roots() throws {
            #expect(Association(try document("[]").root) == nil)
            #expect(Association(try document(#"{"applinks":[],"webcredentials":{}}"#).root)?.services.count == 1)
        }
    }
}
