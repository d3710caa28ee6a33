// Certificates as OpenSSL makes them: the one file of the lab that writes X.509.

import COpenSSL
import Foundation

/// A certificate and its P-256 key, which may sign others. Lives as DER, so that it can go between threads.
struct LabIssuer: Sendable {
    enum NameAttribute {
        case commonName(String)
        case organization(String)
    }

    /// In the syntax of x509v3_config(5).
    enum Extension {
        case basicConstraints(String)
        case keyUsage(String)
        case extendedKeyUsage(String)
        case alternativeNames(String)
        case authorityInformation(String)
    }

    /// The certificate.
    let der: [UInt8]
    /// PKCS #8.
    let key: [UInt8]

    /// Makes a key and a certificate for it, with the identifiers of both keys.
    /// - Parameters:
    ///   - subject: its name, in order.
    ///   - validity: from and until when.
    ///   - extensions: beside those identifiers, in order.
    ///   - issuer: nil: signed by its own key.
    /// - Throws: `LabTLSError`.
    init(
        subject: [NameAttribute], validity: ClosedRange<Date>, extensions: [Extension], signedBy issuer: LabIssuer?
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
        for attribute in subject {
            let (field, value) = attribute.parts
            try LabTLSError.unlessOne(
                "the name \(value)", X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, value, -1, -1, 0))
        }
        try LabTLSError.unlessOne(
            "the issuer's name",
            X509_set_issuer_name(certificate, issuerCertificate.map { X509_get_subject_name($0) } ?? name))
        let identifiers = [(NID_subject_key_identifier, "hash"), (NID_authority_key_identifier, "keyid:always")]
        for (identifier, value) in extensions.map(\.parts) + identifiers {
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

    /// Reads DER; the caller frees it.
    static func certificate(_ der: [UInt8]) throws(LabTLSError) -> OpaquePointer {
        try der.withUnsafeBufferPointer { (bytes) throws(LabTLSError) in
            var start = bytes.baseAddress
            return try LabTLSError.unlessNull("the certificate", d2i_X509(nil, &start, bytes.count))
        }
    }

    /// Reads PKCS #8; the caller frees it.
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

extension LabIssuer.NameAttribute {
    fileprivate var parts: (field: String, value: String) {
        switch self {
        case .commonName(let value): ("CN", value)
        case .organization(let value): ("O", value)
        }
    }
}

extension LabIssuer.Extension {
    fileprivate var parts: (identifier: Int32, value: String) {
        switch self {
        case .basicConstraints(let value): (NID_basic_constraints, value)
        case .keyUsage(let value): (NID_key_usage, value)
        case .extendedKeyUsage(let value): (NID_ext_key_usage, value)
        case .alternativeNames(let value): (NID_subject_alt_name, value)
        case .authorityInformation(let value): (NID_info_access, value)
        }
    }
}

/// Which certificate an origin shows. Every kind but ``valid`` and ``expiring(in:)`` must be refused by a client that
/// trusts the lab's root.
package enum LabCertificate: Sendable, Hashable {
    /// Chains to the lab's root, has the host's name, ends in 90 days.
    case valid
    /// As ``valid``, but ended a day ago.
    case expired
    /// As ``valid``, but begins tomorrow.
    case notYetValid
    /// As ``valid``, but ends that long after the moment it was first made for a host.
    case expiring(in: Duration)
    /// As ``valid``, but for ``wrongNameHost`` and no other name.
    case wrongName
    /// Signed with its own key; the chain is this certificate alone.
    case selfSigned
    /// Chains, over an intermediate that is sent, to a root that is not in the lab's CA file.
    case untrustedRoot
    /// As ``valid``, but sent without the intermediate, whose place on the web the leaf tells.
    case missingIntermediate
    /// As ``valid``, but under an intermediate of the second degree: it is sent, the cross-signed one above it is not, and
    /// tells where that is found.
    case missingSecondIntermediate
    /// As ``valid``, but with the host as its common name alone: no subject alternative name.
    case commonNameOnly
    /// What an ingress shows for a host that it does not know: signed by itself, for no public name.
    case ingressDefault
    /// Signed by an authority of one's own, as mkcert's or a company's, and sent alone: the leaf does not tell where its
    /// issuer's certificate is found.
    case privateAuthority
    /// As ``valid``, but under an intermediate that ended a day ago: the leaf itself is in date.
    case expiredIntermediate

    /// The one name that a ``wrongName`` certificate bears.
    package static let wrongNameHost = "another-host.test"
    /// The common name of an ``ingressDefault`` certificate, as ingress-nginx has it.
    package static let ingressName = "Kubernetes Ingress Controller Fake Certificate"
}

/// A certificate chain as a server sends it, and the key of its first certificate.
package struct LabIdentity: Sendable {
    /// DER, the leaf first; never the root.
    package let certificates: [[UInt8]]
    /// DER of the leaf's P-256 key.
    package let key: [UInt8]

    /// The chain as PEM, the leaf first.
    package var certificatesPEM: String {
        certificates.map { Self.pem($0, "CERTIFICATE") }.joined()
    }

    /// The key as PEM.
    package var keyPEM: String { Self.pem(key, "PRIVATE KEY") }

    static func pem(_ der: [UInt8], _ label: String) -> String {
        let text = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN \(label)-----\n\(text)\n-----END \(label)-----\n"
    }
}
