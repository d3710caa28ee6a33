// A private certificate authority: a root that clients trust, an intermediate under it, and a second pair
// that nobody trusts. The shape is that of the public web, so that a missing intermediate is a fault here as there.

import Foundation
import Synchronization

/// A private CA made at start: root, intermediate, leaves. Its keys never leave memory.
package struct LabAuthority: Sendable {
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
    private let trusted: LabIssuer
    private let untrusted: LabIssuer
    private let outdated: LabIssuer
    private let deep: LabIssuer
    private let cache = Cache()

    /// Makes both pairs of root and intermediate, valid from two years before `now` to ten years after it, and the
    /// intermediate that has ended.
    package init(now: Date) throws {
        let root = try Self.authority("Lab Root", under: nil, pathLength: nil, now: now)
        let strangeRoot = try Self.authority("Strange Root", under: nil, pathLength: nil, now: now)
        trusted = try Self.authority("Lab Intermediate", under: root, now: now)
        untrusted = try Self.authority("Strange Intermediate", under: strangeRoot, now: now)
        let crossSigned = try Self.authority("Lab Cross-Signed Root", under: root, pathLength: 1, now: now)
        deep = try Self.authority("Lab Second Intermediate", under: crossSigned, tellsIssuer: true, now: now)
        outdated = try Self.authority("Lab Old Intermediate", under: root, now: now, until: now - Self.day)
        rootPEM = LabIdentity.pem(root.der, "CERTIFICATE")
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
        let name =
            switch wanted.kind {
            case .wrongName: LabCertificate.wrongNameHost
            case .ingressDefault: LabCertificate.ingressName
            default: wanted.host
            }
        let issuer =
            switch wanted.kind {
            case .untrustedRoot, .privateAuthority: untrusted
            case .expiredIntermediate: outdated
            case .missingSecondIntermediate: deep
            default: trusted
            }
        let isSelfSigned = [.selfSigned, .ingressDefault].contains(wanted.kind)
        var extensions: [LabIssuer.Extension] = [
            .basicConstraints("critical,CA:FALSE"), .keyUsage("critical,digitalSignature"),
            .extendedKeyUsage("serverAuth"),
        ]
        if wanted.kind != .commonNameOnly {
            extensions.append(.alternativeNames("DNS:\(wanted.kind == .ingressDefault ? "ingress.local" : name)"))
        }
        if !isSelfSigned, wanted.kind != .privateAuthority { extensions.append(Self.issuerLocation) }
        let leaf = try LabIssuer(
            subject: [.commonName(String(name.prefix(64)))], validity: Self.validity(of: wanted.kind, now: now),
            extensions: extensions, signedBy: isSelfSigned ? nil : issuer)
        let omitsIssuer = isSelfSigned || [.missingIntermediate, .privateAuthority].contains(wanted.kind)
        return LabIdentity(certificates: omitsIssuer ? [leaf.der] : [leaf.der, issuer.der], key: leaf.key)
    }

    private static let issuerLocation = LabIssuer.Extension.authorityInformation(
        "caIssuers;URI:http://ca.test/issuer.cer")

    private static func validity(of kind: LabCertificate, now: Date) -> ClosedRange<Date> {
        switch kind {
        case .expired: (now - 91 * day)...(now - day)
        case .notYetValid: (now + day)...(now + 91 * day)
        case .expiring(let left): (now - 90 * day)...(now + left / .seconds(1))
        case .valid, .wrongName, .selfSigned, .untrustedRoot, .missingIntermediate, .expiredIntermediate,
            .missingSecondIntermediate, .commonNameOnly, .ingressDefault, .privateAuthority:
            (now - day)...(now + 90 * day)
        }
    }

    private static func authority(
        _ name: String, under issuer: LabIssuer?, pathLength: Int? = 0, tellsIssuer: Bool = false, now: Date,
        until end: Date? = nil
    ) throws -> LabIssuer {
        let limit = pathLength.map { ",pathlen:\($0)" } ?? ""
        return try LabIssuer(
            subject: [.organization("aasa-monitor lab"), .commonName(name)],
            validity: (now - 730 * day)...(end ?? now + 3650 * day),
            extensions: [.basicConstraints("critical,CA:TRUE\(limit)"), .keyUsage("critical,keyCertSign,cRLSign")]
                + (tellsIssuer ? [issuerLocation] : []),
            signedBy: issuer)
    }
}
