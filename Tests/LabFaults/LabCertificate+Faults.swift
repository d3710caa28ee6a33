// Certificates that a client which trusts the lab's root must refuse, and one that expires soon.

import COpenSSL
import Foundation
import Lab

extension LabCertificate {
    private static let day = LabAuthority.day

    /// Like ``valid``, but expired a day ago.
    package static let expired = LabCertificate("expired") { _, now in
        outOfDate(now, "after \((now - day).ISO8601Format())")
    } issue: { host, authority, now in
        try authority.chain(for: host, now: now, validity: (now - 91 * day)...(now - day))
    }

    /// Like ``valid``, but valid from tomorrow.
    package static let notYetValid = LabCertificate("notYetValid") { _, now in
        outOfDate(now, "before \((now + day).ISO8601Format())")
    } issue: { host, authority, now in
        try authority.chain(for: host, now: now, validity: (now + day)...(now + 91 * day))
    }

    /// Like ``valid``, but expires this long after it was first made for a host.
    package static func expiring(in left: Duration) -> LabCertificate {
        LabCertificate("expiring(in: \(left))") { _, now in
            left > .zero ? nil : outOfDate(now, "after the end of its validity")
        } issue: { host, authority, now in
            try authority.chain(for: host, now: now, validity: (now - 90 * day)...(now + left / .seconds(1)))
        }
    }

    /// Signed with its own key; the chain has only this certificate.
    package static let selfSigned = LabCertificate("selfSigned", refusal: unknownAuthority) { host, _, now in
        try alone(host, [(NID_subject_alt_name, "DNS:\(host)")], now: now, signedBy: nil)
    }

    /// Chains to a root that is not in the lab's CA file, over an intermediate that is sent.
    package static let untrustedRoot = LabCertificate("untrustedRoot", refusal: unknownAuthority) {
        host, authority, now in
        try authority.chain(for: host, now: now, under: strangeIntermediate(now))
    }

    /// Like ``valid``, but sent without the intermediate. The leaf says where to find it.
    package static let missingIntermediate = LabCertificate("missingIntermediate", refusal: unknownAuthority) {
        host, authority, now in
        let whole = try authority.chain(for: host, now: now)
        return LabIdentity(certificates: Array(whole.certificates.prefix(1)), key: whole.key)
    }

    /// Like ``valid``, but with a second-level intermediate. It is sent; the cross-signed one above it is not, but the
    /// sent one says where to find it.
    package static let missingSecondIntermediate = LabCertificate(
        "missingSecondIntermediate", refusal: unknownAuthority
    ) { host, authority, now in
        let crossSigned = try LabAuthority.authority(
            "Lab Cross-Signed Root", under: authority.root, pathLength: 1, now: now)
        return try authority.chain(
            for: host, now: now,
            under: LabAuthority.authority(
                "Lab Second Intermediate", under: crossSigned, [LabAuthority.issuerLocation], now: now))
    }

    /// Like ``valid``, but the host is only in the common name, without a subject alternative name.
    package static let commonNameOnly = LabCertificate("commonNameOnly") { _, _ in
        "certificate relies on legacy Common Name field, use SANs instead"
    } issue: { host, authority, now in
        let leaf = try alone(host, [LabAuthority.issuerLocation], now: now, signedBy: authority.intermediate)
        return LabIdentity(certificates: leaf.certificates + [authority.intermediate.der], key: leaf.key)
    }

    /// What an ingress shows for an unknown host: self-signed, without a public name.
    package static let ingressDefault = LabCertificate("ingressDefault", refusal: unknownAuthority) { _, _, now in
        try alone(ingressName, [(NID_subject_alt_name, "DNS:ingress.local")], now: now, signedBy: nil)
    }

    /// Signed by a private CA, such as mkcert's or a company's, and sent alone. The leaf does not say where to find its
    /// issuer's certificate.
    package static let privateAuthority = LabCertificate("privateAuthority", refusal: unknownAuthority) {
        host, _, now in
        try alone(host, [(NID_subject_alt_name, "DNS:\(host)")], now: now, signedBy: strangeIntermediate(now))
    }

    /// Like ``valid``, but the intermediate expired a day ago. The leaf has not expired.
    package static let expiredIntermediate = LabCertificate("expiredIntermediate") { _, now in
        outOfDate(now, "after \((now - day).ISO8601Format())")
    } issue: { host, authority, now in
        try authority.chain(
            for: host, now: now,
            under: LabAuthority.authority("Lab Old Intermediate", under: authority.root, now: now, until: now - day))
    }

    /// The common name of an ``ingressDefault`` certificate, as in ingress-nginx.
    package static let ingressName = "Kubernetes Ingress Controller Fake Certificate"

    private static func alone(
        _ name: String, _ extensions: [LabIssuer.Extension], now: Date, signedBy issuer: LabIssuer?
    ) throws -> LabIdentity {
        let leaf = try LabAuthority.leaf(
            name, extensions, validity: (now - day)...(now + 90 * day), signedBy: issuer)
        return LabIdentity(certificates: [leaf.der], key: leaf.key)
    }

    private static func strangeIntermediate(_ now: Date) throws -> LabIssuer {
        let root = try LabAuthority.authority("Strange Root", under: nil, pathLength: nil, now: now)
        return try LabAuthority.authority("Strange Intermediate", under: root, now: now)
    }

    private static let unknownAuthority: @Sendable (_ host: String, _ now: Date) -> String? = { _, _ in
        "certificate signed by unknown authority"
    }

    private static func outOfDate(_ now: Date, _ how: String) -> String {
        "certificate has expired or is not yet valid: current time \(now.ISO8601Format()) is \(how)"
    }
}

extension LabCertificate: Hashable, CustomStringConvertible {
    package static func == (one: Self, other: Self) -> Bool { one.name == other.name }
    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
    package var description: String { name }
}

extension LabIdentity {
    /// The chain as PEM, leaf first.
    package var certificatesPEM: String { certificates.map { Self.pem($0, "CERTIFICATE") }.joined() }

    /// The key as PEM.
    package var keyPEM: String { Self.pem(key, "PRIVATE KEY") }
}
