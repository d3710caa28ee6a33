// Hashes and message authentication codes from the system: CryptoKit on a Mac, else libcrypto.

#if canImport(CryptoKit)
    import CryptoKit
#else
    import COpenSSL
#endif

/// A hash function of FIPS 180-4.
package enum Digest: Sendable {
    /// 20 bytes. Only for identifiers that require it, such as version 5 UUIDs.
    case sha1
    /// 32 bytes.
    case sha256

    /// The hash of `bytes`, in the byte order of FIPS 180-4.
    package func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        #if canImport(CryptoKit)
            return switch self {
            case .sha1: Array(Insecure.SHA1.hash(data: Array(bytes)))
            case .sha256: Array(SHA256.hash(data: Array(bytes)))
            }
        #else
            return Self.withContiguous(bytes) { bytes in
                produce { output, count in EVP_Digest(bytes.baseAddress, bytes.count, output, &count, algorithm, nil) }
            }
        #endif
    }

    /// The HMAC of `bytes` under `key` (RFC 2104).
    package func authenticationCode(for bytes: some Sequence<UInt8>, key: some Sequence<UInt8>) -> [UInt8] {
        #if canImport(CryptoKit)
            let (bytes, key) = (Array(bytes), SymmetricKey(data: Array(key)))
            return switch self {
            case .sha1: Array(HMAC<Insecure.SHA1>.authenticationCode(for: bytes, using: key))
            case .sha256: Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
            }
        #else
            return Self.withContiguous(key) { key in
                Self.withContiguous(bytes) { bytes in
                    produce { output, count in
                        HMAC(
                            algorithm, key.baseAddress, Int32(key.count),
                            bytes.assumingMemoryBound(to: UInt8.self).baseAddress,
                            bytes.count, output, &count) == nil ? 0 : 1
                    }
                }
            }
        #endif
    }
}

#if !canImport(CryptoKit)
    extension Digest {
        private var algorithm: OpaquePointer {
            switch self {
            case .sha1: Self.sha1Algorithm
            case .sha256: Self.sha256Algorithm
            }
        }

        // Fetched once: OpenSSL 3 looks the provider up again on each call of EVP_sha256().
        // Safe to share: nothing changes or frees these objects, and OpenSSL reads them as const from any thread.
        nonisolated(unsafe) private static let sha1Algorithm = fetch("SHA1")
        // As above.
        nonisolated(unsafe) private static let sha256Algorithm = fetch("SHA256")

        private static func fetch(_ name: String) -> OpaquePointer {
            guard let algorithm = EVP_MD_fetch(nil, name, nil) else {
                preconditionFailure("the system's libcrypto has no \(name); see its configuration, openssl.cnf")
            }
            return algorithm
        }

        private func produce(_ body: (UnsafeMutablePointer<UInt8>?, inout UInt32) -> Int32) -> [UInt8] {
            [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { output, count in
                var written: UInt32 = 0
                // It fails only if memory runs out.
                precondition(body(output.baseAddress, &written) == 1, "the system's libcrypto could not hash")
                count = Int(written)
            }
        }

        private static func withContiguous<T>(
            _ bytes: some Sequence<UInt8>, _ body: (UnsafeRawBufferPointer) -> T
        ) -> T {
            bytes.withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) }
                ?? Array(bytes).withUnsafeBytes(body)
        }
    }
#endif

extension Sequence<UInt8> {
    /// Two lower-case digits for each byte.
    package var hexadecimal: String {
        let digits = StaticString("0123456789abcdef")
        let bytes = Array(self)
        return String(unsafeUninitializedCapacity: bytes.count * 2) { text in
            for (index, byte) in bytes.enumerated() {
                text[index * 2] = digits.utf8Start[Int(byte >> 4)]
                text[index * 2 + 1] = digits.utf8Start[Int(byte & 15)]
            }
            return bytes.count * 2
        }
    }
}
