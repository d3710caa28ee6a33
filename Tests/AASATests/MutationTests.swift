import AASA
import TestSupport
import Testing

extension AASASuite {
    @Suite("Mutations")
    struct MutationTests {
        static let seeds: [String] = [
            #"{"applinks":{"apps":[],"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a/*","#
                + #""?":{"q":"?*"},"exclude":true,"comment":"no \u00e9\ud83d\ude00"}]}]},"webcredentials":{"apps":[]}}"#,
            "\u{FEFF}{\n  \"applinks\": {\"details\": {\"A.b\": {\"paths\": [\"NOT /x\", \"*\", 1.5e-3, null]}}}\n}\n",
            #"[[["deep",{"a":{"a":{"a":true}}}],"é\\\"\n"],-0.0,1e9]"#,
        ]

        /// The text with a few of its bytes cut, doubled, swapped or replaced.
        private func mutated(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
            let spice: [UInt8] = Array("{}[]\",:\\u0'/#-.eE<".utf8) + [0x00, 0x1B, 0x80, 0xC3, 0xED, 0xEF, 0xF4, 0xFF]
            var bytes = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
                let index = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0: bytes.remove(at: index)
                case 1: bytes.removeLast(bytes.count - index)
                case 2: bytes.insert(spice.randomElement(using: &random) ?? 0, at: index)
                case 3: bytes[index] = spice.randomElement(using: &random) ?? 0
                default: bytes.insert(contentsOf: bytes[index..<min(index + 9, bytes.count)], at: index)
                }
            }
            return bytes
        }

        @Test("damaged files are read or refused without a crash, and always in the same way", arguments: seeds.indices)
        func damaged(_ seed: Int) throws {
            var random = SeededGenerator(seed: UInt64(seed) + 20_261_121)
            let original = Array(Self.seeds[seed].utf8)
            let whole = try JSONDocument(parsing: original)
            var refused = 0
            for _ in 0..<2000 {
                let bytes = mutated(original, &random)
                do {
                    let parsed = try JSONDocument(parsing: bytes)
                    let changes = AssociationDiff.compare(whole, parsed).changes
                    #expect(changes == AssociationDiff.compare(whole, parsed).changes)
                    #expect(changes.isEmpty == (whole.root.canonicalForm == parsed.root.canonicalForm))
                } catch {
                    refused += 1
                    #expect((0...bytes.count).contains(error.offset))
                    #expect(fault(in: bytes) == error)
                    #expect(!error.message.unicodeScalars.contains { $0.value < 0x20 })
                }
            }
            #expect(refused > 500)
        }
    }
}
