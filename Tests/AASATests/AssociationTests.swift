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
                (#"{"applinks":{"apps":["A.x"],"details":"A.b"}}"#, []),
                (#"{"applinks":{"apps":["A.x"],"details":null}}"#, []),
                (#"{"applinks":{"details":7}}"#, []),
                (#"{"applinks":{"details":true}}"#, []),
                (#"{"webcredentials":{"apps":["A.b"],"details":[{"appIDs":["A.x"]}]}}"#, ["A.b"]),
            ])
        func apps(_ text: String, _ expected: [String]) throws {
            let file = AssociationFile(try document(text))
            #expect(file.services.first?.appIDs == expected)
        }

        @Test(
            "a file names one of Apple's services, or none",
            arguments: [
                ("[]", false), (#"{"applinks":[]}"#, false), (#"{"error":"try later"}"#, false),
                (#"{"applinkss":{}}"#, false), (#"{"x":{},"webcredentials":{}}"#, true),
            ])
        func knownServices(_ text: String, _ isNamed: Bool) throws {
            #expect(Association.namesKnownService(try document(text).root) == isNamed)
        }
    }
}
