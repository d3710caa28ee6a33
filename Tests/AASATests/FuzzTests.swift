import AASA
import Foundation
import TestSupport
import Testing

extension AASASuite {
    /// Damaged files of the corpus. Short by default; AASA_FUZZ_ROUNDS asks for more files, AASA_FUZZ_SEED for others.
    @Suite("Fuzz")
    struct FuzzTests {
        private static let fixtures = [
            #"{"applinks":{"substitutionVariables":{"v":["a","b*"]},"defaults":{"caseSensitive":false},"details":[{"appIDs":["#
                + #""ABCDE12345.com.example.app"],"components":[{"/":"/a/$(v)/*","?":{"q":"?*"},"exclude":true},{"#
                + #""/":"/$(lang)/*","percentEncoded":false},{"/":"/buy/????"}]}]},"webcredentials":{"apps":["A.b"]}}"#,
            #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":["NOT /x/*","/é*","*"]}]}}"#,
            #"{"applinks":{"details":{"ABCDE12345.a":{"paths":["/a"]},"ABCDE12345.b":{"paths":["NOT /a","*"]}}}}"#,
        ]

        private static func number(_ name: String) -> UInt64? {
            ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
        }

        @Test("damaged files keep every promise")
        func mutations() throws {
            var files = Self.fixtures.map { Array($0.utf8) }
            if let corpus = Corpus.find(holding: "aasa") {
                files += try corpus.files(in: "aasa", withExtension: "aasa").map(\.bytes).filter { $0.count < 4096 }
            }
            let base = try AssociationFile(parsing: files[0]).applinks
            var random = SeededGenerator(seed: Self.number("AASA_FUZZ_SEED") ?? 20_261_121)
            for round in 0..<(Self.number("AASA_FUZZ_ROUNDS") ?? 100) {
                let file = files[Int(round) % files.count]
                let other = files[Int.random(in: files.indices, using: &random)]
                let bytes = Self.damaged(file, with: other, &random)
                do {
                    try FuzzExercise.run(bytes, against: base)
                } catch {
                    Issue.record("\(error), round \(round): \(String(decoding: bytes, as: UTF8.self))")
                }
            }
        }

        /// Most mutations replace whole tokens. The text then stays JSON and reaches the code behind the parser.
        private static func damaged(_ file: [UInt8], with other: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
            let tokens = [
                "true", "null", "7", "[]", "{}", "\"*\"", "\"/\"", "\"?\"", "\"#\"", "\"exclude\"", "\"NOT /a\"",
                "\"$(lang)*$(v)\"", "\"/a/**//?*\"", "\"$(\"", "\"caseSensitive\"", "\"percentEncoded\"", "\"/%e3\"",
                "\"é b\"",
                "\"details\"", "\"defaults\"", "\"paths\"", "\"\\ud83d\\ude00\"",
            ]
            var bytes = file
            for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
                let index = Int.random(in: bytes.indices, using: &random)
                let token = Array((tokens.randomElement(using: &random) ?? "").utf8)
                switch Int.random(in: 0..<8, using: &random) {
                case 0: bytes.remove(at: index)
                case 1: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 2 where !other.isEmpty:
                    let start = Int.random(in: other.indices, using: &random)
                    bytes.insert(contentsOf: other[start..<min(start + 40, other.count)], at: index)
                default:
                    // Usually from one quote to the next: a whole string.
                    guard let start = bytes[index...].firstIndex(of: 0x22),
                        let end = bytes[(start + 1)...].firstIndex(of: 0x22)
                    else { continue }
                    bytes.replaceSubrange(start...end, with: token)
                }
            }
            return bytes
        }
    }
}
