// Creates certificates with OpenSSL: the only file of the lab that writes X.509.

import COpenSSL
import Foundation

/// A certificate and its P-256 key, which can sign others. Stored as DER, so that it can be passed between threads.
package struct LabIssuer: Sendable {
    /// OpenSSL's number, and a value in the syntax of x509v3_config(5).
    package typealias Extension = (identifier: Int32, value: String)

    package let der: [UInt8]
    /// PKCS #8.
    package let key: [UInt8]

    /// Creates a key and its certificate, with the subject and authority key identifiers.
    /// - Parameters:
    ///   - subject: the name, in order.
    ///   - validity: the first and last time.
    ///   - extensions: in addition to those identifiers, in order.
    ///   - issuer: nil: self-signed.
    /// - Throws: `LabTLSError`.
    package init(
        subject: [(field: String, value: String)], validity: ClosedRange<Date>, extensions: [Extension],
        signedBy issuer: LabIssuer?
    ) throws(LabTLSError) {
        let ownKey = try LabTLSError.unlessNull("a P-256 key", aasa_openssl_p256_key())
        defer { EVP_PKEY_free(ownKey) }
        let certificate = try LabTLSError.unlessNull("a certificate", X509_new())
        defer { X509_free(certificate) }
        let issuerCertificate = try issuer.map { (issuer) throws(LabTLSError) in try Self.certificate(issuer.der) }
        defer { X509_free(issuerCertificate) }
        let issuerKey = try issuer.map { (issuer) throws(LabTLSError) in try Self.privateKey(issuer.key) }
        defer { EVP_PKEY_free(issuerKey) }

        try LabTLSError.unlessOne("the version", X509_set_version(certificate, 2))  // X.509 v3
        let serial = try LabTLSError.unlessNull("a serial number", BN_new())
        defer { BN_free(serial) }
        // At most 20 octets and positive. RFC 5280, section 4.1.2.2.
        try LabTLSError.unlessOne("a serial number", BN_rand(serial, 152, 0, 0))
        _ = try LabTLSError.unlessNull(
            "a serial number", BN_to_ASN1_INTEGER(serial, X509_get_serialNumber(certificate)))
        _ = try LabTLSError.unlessNull(
            "a date", ASN1_TIME_set(X509_getm_notBefore(certificate), Self.seconds(validity.lowerBound)))
        _ = try LabTLSError.unlessNull(
            "a date", ASN1_TIME_set(X509_getm_notAfter(certificate), Self.seconds(validity.upperBound)))
        try LabTLSError.unlessOne("the public key", X509_set_pubkey(certificate, ownKey))

        let name = X509_get_subject_name(certificate)
        for (field, value) in subject {
            try LabTLSError.unlessOne(
                "the name \(value)", X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, value, -1, -1, 0))
        }
        try LabTLSError.unlessOne(
            "the issuer's name",
            X509_set_issuer_name(certificate, issuerCertificate.map { X509_get_subject_name($0) } ?? name))
        let identifiers: [Extension] = [
            (NID_subject_key_identifier, "hash"), (NID_authority_key_identifier, "keyid:always"),
        ]
        for (identifier, value) in extensions + identifiers {
            try LabTLSError.unlessOne(
                "the extension \(value)",
                aasa_openssl_add_extension(certificate, issuerCertificate ?? certificate, identifier, value))
        }
        guard X509_sign(certificate, issuerKey ?? ownKey, EVP_sha256()) > 0 else { throw LabTLSError("a signature") }

        der = try Self.encoded("the certificate") { i2d_X509(certificate, $0) }
        let information = try LabTLSError.unlessNull("the key", EVP_PKEY2PKCS8(ownKey))
        defer { PKCS8_PRIV_KEY_INFO_free(information) }
        key = try Self.encoded("the key") { i2d_PKCS8_PRIV_KEY_INFO(information, $0) }
    }

    /// Parses DER; the caller frees the result.
    static func certificate(_ der: [UInt8]) throws(LabTLSError) -> OpaquePointer {
        try der.withUnsafeBufferPointer { (bytes) throws(LabTLSError) in
            var start = bytes.baseAddress
            return try LabTLSError.unlessNull("the certificate", d2i_X509(nil, &start, bytes.count))
        }
    }

    /// Parses PKCS #8; the caller frees the result.
    static func privateKey(_ der: [UInt8]) throws(LabTLSError) -> OpaquePointer {
        try der.withUnsafeBufferPointer { (bytes) throws(LabTLSError) in
            var start = bytes.baseAddress
            return try LabTLSError.unlessNull("the key", d2i_AutoPrivateKey(nil, &start, bytes.count))
        }
    }

    private static func seconds(_ date: Date) -> Int { Int(date.timeIntervalSince1970.rounded(.down)) }

    private static func encoded(
        _ what: String, _ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
    ) throws(LabTLSError) -> [UInt8] {
        let length = Int(encode(nil))
        guard length > 0 else { throw LabTLSError(what) }
        return [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            var next = buffer.baseAddress
            count = Int(encode(&next))
        }
    }
}

/// A certificate chain as a server sends it, and the key of its first certificate.
package struct LabIdentity: Sendable {
    /// DER, the leaf first; never the root.
    package let certificates: [[UInt8]]
    /// DER of the leaf's P-256 key.
    package let key: [UInt8]

    package init(certificates: [[UInt8]], key: [UInt8]) {
        self.certificates = certificates
        self.key = key
    }

    package static func pem(_ der: [UInt8], _ label: String) -> String {
        let text = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN \(label)-----\n\(text)\n-----END \(label)-----\n"
    }
}
