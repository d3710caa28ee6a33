// A private certificate authority: a root that clients trust, an intermediate under it, and a second pair
// that nobody trusts. The shape is that of the public web, so that a missing intermediate is a fault here as there.

import Crypto
import Foundation
import SwiftASN1
import Synchronization
import X509

/// A private CA made at start: root, intermediate, leaves. Its keys never leave memory.
package struct LabAuthority: Sendable {
    private struct Issuer: Sendable {
        let certificate: Certificate
        let key: P256.Signing.PrivateKey
    }

    private struct Wanted: Hashable {
        let host: String
        let kind: LabCertificate
    }

    private final class Cache: Sendable {
        let identities = Mutex<[Wanted: LabIdentity]>([:])
    }

    private static let day: TimeInterval = 86_400
    /// The lab's user names the hosts; above this many the cache starts anew.
    private static let cacheLimit = 4096

    /// The root's certificate as PEM: what a client has to trust.
    package let rootPEM: String
    private let trusted: Issuer
    private let untrusted: Issuer
    private let outdated: Issuer
    private let deep: Issuer
    private let cache = Cache()

    /// Makes both pairs of root and intermediate, valid from two years before `now` to ten years after it, and the
    /// intermediate that has ended.
    package init(now: Date) throws {
        let root = try Self.root("Lab Root", now: now)
        let strangeRoot = try Self.root("Strange Root", now: now)
        trusted = try Self.intermediate("Lab Intermediate", under: root, now: now)
        untrusted = try Self.intermediate("Strange Intermediate", under: strangeRoot, now: now)
        let crossSigned = try Self.intermediate("Lab Cross-Signed Root", under: root, pathLength: 1, now: now)
        deep = try Self.intermediate("Lab Second Intermediate", under: crossSigned, tellsIssuer: true, now: now)
        outdated = try Self.intermediate("Lab Old Intermediate", under: root, now: now, until: now - Self.day)
        rootPEM = LabIdentity.pem(try Self.der(root.certificate), "CERTIFICATE")
    }

    /// The chain and key that a host shows for a kind of certificate. Made at the first call for a pair of host and kind,
    /// with dates relative to that call's `now`, and the same from then on.
    package func identity(for host: String, _ kind: LabCertificate, now: Date) throws -> LabIdentity {
        let wanted = Wanted(host: host.lowercased(), kind: kind)
        return try cache.identities.withLock { identities in
            if let known = identities[wanted] { return known }
            let made = try issue(wanted, now: now)
            if identities.count >= Self.cacheLimit { identities.removeAll() }
            identities[wanted] = made
            return made
        }
    }

    private func issue(_ wanted: Wanted, now: Date) throws -> LabIdentity {
        let key = P256.Signing.PrivateKey()
        let name =
            switch wanted.kind {
            case .wrongName: LabCertificate.wrongNameHost
            case .ingressDefault: LabCertificate.ingressName
            default: wanted.host
            }
        let subject = try DistinguishedName { CommonName(String(name.prefix(64))) }
        let issuer =
            switch wanted.kind {
            case .untrustedRoot, .privateAuthority: untrusted
            case .expiredIntermediate: outdated
            case .missingSecondIntermediate: deep
            default: trusted
            }
        let isSelfSigned = [.selfSigned, .ingressDefault].contains(wanted.kind)
        let validity = Self.validity(of: wanted.kind, now: now)
        let publicKey = Certificate.PublicKey(key.publicKey)
        let signer = isSelfSigned ? publicKey : issuer.certificate.publicKey
        let leaf = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: publicKey,
            notValidBefore: validity.from,
            notValidAfter: validity.to,
            issuer: isSelfSigned ? subject : issuer.certificate.subject,
            subject: subject,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                if wanted.kind != .commonNameOnly {
                    SubjectAlternativeNames([.dnsName(wanted.kind == .ingressDefault ? "ingress.local" : name)])
                }
                SubjectKeyIdentifier(hash: publicKey)
                AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: signer).keyIdentifier)
                if !isSelfSigned, wanted.kind != .privateAuthority {
                    Self.issuerLocation
                }
            },
            issuerPrivateKey: Certificate.PrivateKey(isSelfSigned ? key : issuer.key))
        var chain = [try Self.der(leaf)]
        if wanted.kind != .missingIntermediate, wanted.kind != .privateAuthority, !isSelfSigned {
            chain.append(try Self.der(issuer.certificate))
        }
        return LabIdentity(certificates: chain, key: Array(key.derRepresentation))
    }

    private static let issuerLocation = AuthorityInformationAccess([
        .init(method: .issuingCA, location: .uniformResourceIdentifier("http://ca.test/issuer.cer"))
    ])

    private static func validity(of kind: LabCertificate, now: Date) -> (from: Date, to: Date) {
        switch kind {
        case .expired: (now - 91 * day, now - day)
        case .notYetValid: (now + day, now + 91 * day)
        case .expiring(let left): (now - 90 * day, now + left / .seconds(1))
        case .valid, .wrongName, .selfSigned, .untrustedRoot, .missingIntermediate, .expiredIntermediate,
            .missingSecondIntermediate, .commonNameOnly, .ingressDefault, .privateAuthority:
            (now - day, now + 90 * day)
        }
    }

    private static func root(_ name: String, now: Date) throws -> Issuer {
        let key = P256.Signing.PrivateKey()
        let subject = try DistinguishedName {
            OrganizationName("aasa-monitor lab")
            CommonName(name)
        }
        return try authority(subject, key, issuer: subject, issuerKey: key, pathLength: nil, now: now)
    }

    private static func intermediate(
        _ name: String, under root: Issuer, pathLength: Int = 0, tellsIssuer: Bool = false, now: Date,
        until end: Date? = nil
    ) throws -> Issuer {
        let subject = try DistinguishedName {
            OrganizationName("aasa-monitor lab")
            CommonName(name)
        }
        return try authority(
            subject, P256.Signing.PrivateKey(), issuer: root.certificate.subject, issuerKey: root.key,
            pathLength: pathLength, tellsIssuer: tellsIssuer, now: now, until: end)
    }

    private static func authority(
        _ subject: DistinguishedName, _ key: P256.Signing.PrivateKey, issuer: DistinguishedName,
        issuerKey: P256.Signing.PrivateKey, pathLength: Int?, tellsIssuer: Bool = false, now: Date,
        until end: Date? = nil
    ) throws -> Issuer {
        let publicKey = Certificate.PublicKey(key.publicKey)
        let signer = SubjectKeyIdentifier(hash: Certificate.PublicKey(issuerKey.publicKey))
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: publicKey,
            notValidBefore: now - 730 * day,
            notValidAfter: end ?? now + 3650 * day,
            issuer: issuer,
            subject: subject,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: pathLength))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                SubjectKeyIdentifier(hash: publicKey)
                AuthorityKeyIdentifier(keyIdentifier: signer.keyIdentifier)
                if tellsIssuer { issuerLocation }
            },
            issuerPrivateKey: Certificate.PrivateKey(issuerKey))
        return Issuer(certificate: certificate, key: key)
    }

    private static func der(_ certificate: Certificate) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }
}
