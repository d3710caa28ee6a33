// A private certificate authority: a root that clients trust, and an intermediate below it. The structure is that of
// the public web, so a missing intermediate causes the same error.

import COpenSSL
import Foundation
import Synchronization

/// A private CA created at the start: root, intermediate, leaves. Its keys never leave memory.
package final class LabAuthority: Sendable {
    package static let day: TimeInterval = 86_400
    /// The user of the lab names the hosts; beyond this many, the cache is cleared.
    private static let cacheLimit = 4096

    /// The root's certificate as PEM, which clients have to trust.
    package let rootPEM: String
    package let root: LabIssuer
    package let intermediate: LabIssuer
    private let identities = Mutex<[String: LabIdentity]>([:])

    /// Creates a root and an intermediate, valid from two years before `now` to ten years after it.
    package init(now: Date) throws {
        root = try Self.authority("Lab Root", under: nil, pathLength: nil, now: now)
        intermediate = try Self.authority("Lab Intermediate", under: root, now: now)
        rootPEM = LabIdentity.pem(root.der, "CERTIFICATE")
    }

    /// The chain and key of a host for a kind of certificate. Created at the first call for each host and kind, with
    /// dates relative to that call's `now`, and cached.
    package func identity(for host: String, _ kind: LabCertificate, now: Date) throws -> LabIdentity {
        let host = host.lowercased()
        let wanted = "\(host) \(kind.name)"
        return try identities.withLock { identities in
            if let known = identities[wanted] { return known }
            let made = try kind.issue(host, self, now)
            if identities.count >= Self.cacheLimit { identities.removeAll() }
            identities[wanted] = made
            return made
        }
    }

    /// A server's certificate for a name, followed by its issuer: the intermediate if `issuer` is nil. By default valid
    /// from a day before `now` to 90 days after it.
    package func chain(
        for name: String, now: Date, validity: ClosedRange<Date>? = nil, under issuer: LabIssuer? = nil
    ) throws -> LabIdentity {
        let issuer = issuer ?? intermediate
        let leaf = try Self.leaf(
            name, [(NID_subject_alt_name, "DNS:\(name)"), Self.issuerLocation],
            validity: validity ?? (now - Self.day)...(now + 90 * Self.day), signedBy: issuer)
        return LabIdentity(certificates: [leaf.der, issuer.der], key: leaf.key)
    }

    /// A server's certificate with this common name. `extensions` are added to those for server authentication. Signed
    /// by its own key if `issuer` is nil.
    package static func leaf(
        _ name: String, _ extensions: [LabIssuer.Extension], validity: ClosedRange<Date>, signedBy issuer: LabIssuer?
    ) throws -> LabIssuer {
        try LabIssuer(
            subject: [("CN", String(name.prefix(64)))], validity: validity,
            extensions: [
                (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
                (NID_ext_key_usage, "serverAuth"),
            ] + extensions,
            signedBy: issuer)
    }

    /// The URL of the issuer's certificate.
    package static let issuerLocation: LabIssuer.Extension = (
        NID_info_access, "caIssuers;URI:http://ca.test/issuer.cer"
    )

    /// A certificate that may sign others.
    package static func authority(
        _ name: String, under issuer: LabIssuer?, pathLength: Int? = 0, _ extensions: [LabIssuer.Extension] = [],
        now: Date, until end: Date? = nil
    ) throws -> LabIssuer {
        let limit = pathLength.map { ",pathlen:\($0)" } ?? ""
        return try LabIssuer(
            subject: [("O", "aasa-monitor lab"), ("CN", name)],
            validity: (now - 730 * day)...(end ?? now + 3650 * day),
            extensions: [
                (NID_basic_constraints, "critical,CA:TRUE\(limit)"), (NID_key_usage, "critical,keyCertSign,cRLSign"),
            ] + extensions,
            signedBy: issuer)
    }
}

/// Which certificate an origin shows.
package struct LabCertificate: Sendable {
    /// Unique.
    package let name: String
    let issue: @Sendable (_ host: String, LabAuthority, _ now: Date) throws -> LabIdentity
    /// Why Apple's crawler refuses it; nil if it does not.
    let refusal: @Sendable (_ host: String, _ now: Date) -> String?

    package init(
        _ name: String, refusal: @escaping @Sendable (_ host: String, _ now: Date) -> String?,
        issue: @escaping @Sendable (_ host: String, LabAuthority, _ now: Date) throws -> LabIdentity
    ) {
        self.name = name
        self.refusal = refusal
        self.issue = issue
    }

    /// Chains to the lab's root, has the host's name, expires in 90 days.
    package static let valid = LabCertificate("valid") { _, _ in
        nil
    } issue: { host, authority, now in
        try authority.chain(for: host, now: now)
    }

    /// Like ``valid``, but only for ``wrongNameHost``.
    package static let wrongName = LabCertificate("wrongName") { host, _ in
        "certificate is valid for \(wrongNameHost), not \(host)"
    } issue: { _, authority, now in
        try authority.chain(for: wrongNameHost, now: now)
    }

    /// The only name of a ``wrongName`` certificate.
    package static let wrongNameHost = "another-host.test"
}
