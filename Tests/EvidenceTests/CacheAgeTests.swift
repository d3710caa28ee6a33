import Evidence
import Facts
import Testing

extension EvidenceSuite {
    @Suite("Age of a cached answer")
    struct CacheAgeTests {
        @Test(
            "absurd ages in headers cannot overflow a computation",
            arguments: [
                ("120", 120), ("9223372036854775807", 1 << 31), ("99999999999999999999", nil), ("-1", nil), ("x", nil),
            ] as [(String, Int?)])
        func ages(_ text: String, _ expected: Int?) {
            let answer = Answer(
                status: 200,
                headers: [
                    HeaderField(name: "age", value: text), HeaderField(name: "cache-control", value: "max-age=\(text)"),
                ], body: .init(hash: nil, decodedBytes: 0, wireBytes: 0, end: .complete))
            #expect(answer.age == expected)
            #expect(answer.maxAge == expected)
        }
    }
}
