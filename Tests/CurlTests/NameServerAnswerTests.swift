import Foundation
import TestSupport
import Testing

@testable import Curl

extension CurlTests {
    @Suite("Answers of name servers")
    struct NameServerAnswerTests {
        /// A question about `a.test`, and records.
        private static func answer(_ records: [[UInt8]]) -> [UInt8] {
            [0, 1, 0x81, 0x83, 0, 1, 0, UInt8(records.count), 0, 0, 0, 0] + [1, 0x61, 4, 0x74, 0x65, 0x73, 0x74, 0]
                + [0, 1, 0, 1] + records.flatMap(\.self)
        }

        private static func cname(_ data: [UInt8]) -> [UInt8] {
            [0xC0, 12, 0, 5, 0, 1, 0, 0, 0, 60, 0, UInt8(data.count)] + data
        }

        @Test(
            "the last alias of the chain is told",
            arguments: [
                ([], nil), ([cname([1, 0x62, 0xC0, 14])], "b.test"),
                ([cname([1, 0x62, 0xC0, 14]), cname([1, 0x63, 0])], "c"),
                ([[0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 7]], nil),
            ] as [([[UInt8]], String?)])
        func chain(_ records: [[UInt8]], _ target: String?) {
            #expect(NameServerAnswer(Self.answer(records)).alias == target)
        }

        @Test("its addresses are those of its records, whatever stands between them")
        func addresses() {
            func record(_ type: UInt8, _ data: [UInt8]) -> [UInt8] {
                [0xC0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, UInt8(data.count)] + data
            }
            let six: [UInt8] = [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [7]
            let answer = NameServerAnswer(
                Self.answer([
                    Self.cname([1, 0x62, 0]), record(1, [192, 0, 2, 7]), record(16, [1, 2]), record(28, six),
                    record(1, [192, 0, 2, 7]), record(1, [192, 0, 2]), record(1, [192, 0, 2, 8]),
                ]))
            #expect(answer.addresses == ["192.0.2.7", "2001:db8::7", "192.0.2.8"])
            #expect(answer.alias == "b")
        }

        @Test("answers that are cut, or point in circles, are read without harm")
        func hostile() {
            let whole = Self.answer([Self.cname([1, 0x62, 0xC0, 14])])
            for length in 0..<whole.count { _ = NameServerAnswer(Array(whole.prefix(length))) }
            // A name that points at itself.
            #expect(NameServerAnswer(Self.answer([Self.cname([0xC0, 36])])).alias == nil)
            var random = SeededGenerator(seed: 7)
            for _ in 0..<2000 {
                var bytes = whole
                for _ in 0..<4 {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
                }
                _ = NameServerAnswer(bytes)
            }
        }
    }
}
