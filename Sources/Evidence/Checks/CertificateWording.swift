// What is wrong with a certificate that was refused, and whose it is.

import Foundation

struct CertificateWording {
    /// The name that the certificate should be for.
    let host: String
    let chain: [CertificateFacts]
    let now: Date

    private var leaf: CertificateFacts? { chain.first }

    func describe(_ problem: CertificateProblem, in finding: inout Finding) {
        if let name = leaf?.defaultName(besides: host) {
            finding.rule = .origin("certificate-name-mismatch")
            finding.message =
                "the server does not know \(host): it shows the default certificate of its software, \(shown(name))"
            finding.fix =
                "add \(host) to the server that answers there (ingress, router, virtual host), with a certificate for it"
            return
        }
        switch problem {
        case .expired:
            finding.rule = .origin("certificate-expired")
            let old = chain.first { $0.notAfter.map { $0 < now } ?? false } ?? leaf
            let date = old?.notAfter.map { " on \($0.rfc3339)" } ?? ""
            if let old, old != leaf {
                finding.message = "an intermediate certificate expired\(date): \(shown(old.subject))"
                finding.fix = "install the chain that the authority hands out now"
            } else {
                finding.message = "the certificate expired\(date)"
                finding.fix = "renew the certificate, and find out why its renewal did not run"
                tellOtherName(in: &finding)
            }
        case .notYetValid:
            finding.rule = .origin("certificate-not-yet-valid")
            let early = chain.first { $0.notBefore.map { $0 > now } ?? false } ?? leaf
            finding.message =
                (early == leaf ? "the certificate is" : "an intermediate certificate is") + " not valid yet"
                + (early?.notBefore.map { ", only from \($0.rfc3339)" } ?? "")
            finding.fix = "install a certificate that is valid now, or set this machine's clock"
            tellOtherName(in: &finding)
        case .nameMismatch:
            finding.rule = .origin("certificate-name-mismatch")
            finding.message =
                "the certificate is not for \(host)" + (shownNames.isEmpty ? "" : ", it is for \(shownNames)")
            finding.fix = "install a certificate whose names include \(host), or let the server choose it by SNI"
        case .selfSigned:
            untrusted("the certificate is self-signed", in: &finding)
        case .untrustedRoot:
            let root = chain.linked.last?.issuer
            untrusted(
                "the certificate comes from an authority that is not publicly trusted"
                    + (root.map { ": \(shown($0))" } ?? ""), in: &finding)
        case .incompleteChain:
            // Public authorities say in each certificate where their own is found. Where nobody says so, no browser fetches it
            // either, and what looks like a missing intermediate is nearly always a private root.
            guard chain.isEmpty || chain.linked.last?.tellsIssuer == true else {
                untrusted(
                    "the certificate comes from an authority that is unknown here"
                        + (missingIssuer.map { ": \($0)" } ?? "")
                        + "; it is a private one, or the server does not send an intermediate certificate", in: &finding
                )
                finding.evidence["missing_issuer"] = missingIssuer
                finding.fix =
                    "install a certificate from a public authority, with its full chain (leaf and intermediates); Apple "
                    + "accepts no private root"
                return
            }
            finding.rule = .origin("certificate-chain-incomplete")
            finding.message =
                "the server does not send the whole certificate chain"
                + (missingIssuer.map { "; the certificate of its issuer is missing: \($0)" } ?? "")
            finding.evidence["missing_issuer"] = missingIssuer
            finding.fix =
                "install the full chain (leaf and intermediates); browsers fetch what is missing by themselves, "
                + "Apple's crawler does not"
                + (chain.linked.count > 1 ? "; if it is a root, this machine's trust store lacks it" : "")
        case .revoked:
            finding.rule = .origin("certificate-untrusted")
            finding.message = "the certificate is revoked"
            finding.fix = "install a new certificate"
        case .other:
            finding.rule = .origin("certificate-untrusted")
            finding.message = "the certificate is refused"
            finding.fix = "see the evidence for the verifier's words, and install a certificate that passes"
        }
    }

    /// The verifier stops at the dates; a renewal alone would only bring its next complaint.
    private func tellOtherName(in finding: inout Finding) {
        guard let leaf, !leaf.names.isEmpty, !leaf.isFor(host) else { return }
        finding.message += ", and the certificate is not for \(host) either, it is for \(shownNames)"
        finding.fix += "; its names must include \(host), or the server must choose another by SNI"
    }

    /// A certificate may have thousands.
    private var shownNames: String {
        let all = leaf?.names ?? []
        return all.prefix(3).map { $0.displayable.shortened(to: 64) }.joined(separator: ", ")
            + (all.count > 3 ? " and \(all.count - 3) more" : "")
    }

    private func untrusted(_ message: String, in finding: inout Finding) {
        finding.rule = .origin("certificate-untrusted")
        finding.message = message
        finding.fix = "install a certificate from a public authority; Apple accepts no private root"
    }

    /// Who should have been sent next.
    private var missingIssuer: String? { chain.linked.last.map { shown($0.issuer) } }

    private func shown(_ name: String) -> String { name.inSentence }
}

extension [CertificateFacts] {
    /// The certificates from the leaf upwards, each issued by the next; what a server sends besides is no part of it.
    var linked: [CertificateFacts] {
        guard var last = first else { return [] }
        var path = [last]
        while last.issuer != last.subject, let next = first(where: { $0.subject == last.issuer }),
            !path.contains(next)
        {
            path.append(next)
            last = next
        }
        return path
    }
}

extension CertificateFacts {
    /// Whether it tells everybody where its issuer's certificate is found, as those of public authorities do. A company's
    /// authority names a place in its own network.
    var tellsIssuer: Bool {
        guard let url = issuerURL.flatMap({ URLComponents(string: $0) }),
            ["http", "https"].contains(url.scheme?.lowercased()), let host = url.host?.lowercased()
        else { return false }
        let labels = host.split(separator: ".")
        return labels.count > 1 && !Self.ownNetworks.contains(labels[labels.count - 1])
    }

    /// Not given out in public DNS: https://www.rfc-editor.org/rfc/rfc6762#appendix-G and ICANN's `internal`.
    private static let ownNetworks: Set<Substring> = [
        "corp", "home", "internal", "intranet", "lan", "local", "localdomain", "private",
    ]

    /// The common name of a certificate that software made for itself and shows for a host that it does not know; nil where
    /// it may be meant for a host. No public host has such a name: `Kubernetes Ingress Controller Fake Certificate`,
    /// `TRAEFIK DEFAULT CERT`, `NGINXIngressController`, `Plesk`, `localhost` (Kong), `localhost.localdomain` (F5, Apache).
    func defaultName(besides host: String) -> String? {
        guard !isFor(host), let name = commonName, !name.isEmpty else { return nil }
        let labels = name.lowercased().split(separator: ".")
        let isHost = labels.count > 1 && !name.contains(" ") && labels.last != "localdomain"
        return isHost ? nil : name
    }

    /// Of the subject as libcurl prints it: `C = US, O = Example, CN = example.com`.
    private var commonName: String? {
        subject.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.lazy
            .compactMap { part in
                guard part.hasPrefix("CN"), let sign = part.firstIndex(of: "=") else { return nil }
                return part[part.index(after: sign)...].trimmingCharacters(in: .whitespaces)
            }.first
    }

    /// Whether one of the names covers a host; a wildcard stands for one label: https://www.rfc-editor.org/rfc/rfc6125
    func isFor(_ host: String) -> Bool {
        let host = host.lowercased()
        let parent = host.drop { $0 != "." }
        return names.contains { name in
            let name = name.lowercased()
            return name == host || name.hasPrefix("*.") && !parent.isEmpty && name.dropFirst() == parent
        }
    }
}
