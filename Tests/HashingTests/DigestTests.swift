import Hashing
import Testing

@Suite struct HashingTests {
    /// FIPS 180-4's examples, and the million letters from its predecessor's appendix.
    /// https://csrc.nist.gov/projects/cryptographic-standards-and-guidelines/example-values
    @Test(
        "hashes match FIPS 180-4",
        arguments: [
            (Digest.sha1, "", 1, "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            (.sha1, "abc", 1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (
                .sha1, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
                "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
            ),
            (.sha1, "a", 1_000_000, "34aa973cd4c4daa4f61eeb2bdbad27316534016f"),
            (.sha256, "", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (.sha256, "abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                .sha256, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (.sha256, "a", 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
        ])
    func hashes(digest: Digest, text: String, repeats: Int, expected: String) {
        let bytes = Array(String(repeating: text, count: repeats).utf8)
        #expect(digest.hash(bytes).hexadecimal == expected)
        // The bytes are not contiguous in memory.
        #expect(digest.hash(bytes.lazy.map { $0 }).hexadecimal == expected)
    }

    /// RFC 4231 (SHA-256) and RFC 2202 (SHA-1). The last one of each has a key longer than a block.
    @Test(
        "authentication codes match the RFCs",
        arguments: [
            (
                Digest.sha256, [UInt8](repeating: 0x0b, count: 20), "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                .sha256, Array("Jefe".utf8), "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                .sha256, [UInt8](repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
            (
                .sha1, Array("Jefe".utf8), "what do ya want for nothing?",
                "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"
            ),
            (
                .sha1, [UInt8](repeating: 0xaa, count: 80), "Test Using Larger Than Block-Size Key - Hash Key First",
                "aa4ae5e15272d00e95705637ce8a3b55ed402112"
            ),
            // The output of `printf '' | openssl dgst -sha256 -mac HMAC -macopt hexkey:`, that is HMAC_SHA256("", "").
            (.sha256, [], "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
        ])
    func codes(digest: Digest, key: [UInt8], text: String, expected: String) {
        #expect(digest.authenticationCode(for: Array(text.utf8), key: key).hexadecimal == expected)
    }

    @Test("several threads can hash at the same time")
    func threads() async {
        let expected = Digest.sha256.hash("abc".utf8)
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 {
                group.addTask { (0..<100).allSatisfy { _ in Digest.sha256.hash("abc".utf8) == expected } }
            }
            for await isEqual in group { #expect(isEqual) }
        }
    }
}
