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
