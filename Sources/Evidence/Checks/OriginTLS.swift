import Foundation

extension Checks {
    /// A handshake that failed, whatever the cause: the crawler and every device stop here.
    @Sendable static func originTLS(_ context: CheckContext) -> [Finding] {
        guard let failure = context.origin.failure else { return [] }
        let tls = context.origin.connection?.tls
        let leaf = tls?.chain.first
        var evidence = ["url": context.origin.url, "error": tls?.detail ?? failure.detail]
        if let address = context.origin.connection?.address { evidence["address"] = address }
        if let leaf {
            evidence["subject"] = leaf.subject
            evidence["issuer"] = leaf.issuer
            evidence["names"] = leaf.names.prefix(20).joined(separator: ", ")
            if let date = leaf.notBefore { evidence["not_before"] = date.rfc3339 }
            if let date = leaf.notAfter { evidence["not_after"] = date.rfc3339 }
        }
        var finding = Finding(
            rule: .origin("tls-failed"), severity: .error, message: "", evidence: evidence, fix: "",
            reference: Reference.supportingDomains)
        switch failure.kind {
        case .tlsVersion:
            finding.rule = .origin("tls-version")
            finding.message = "the server offers only TLS versions that are too old"
            finding.fix = "enable TLS 1.2 and 1.3"
        case .tlsHandshake:
            finding.message = "the TLS handshake failed"
            finding.fix = "let the server speak TLS on port 443, with a certificate for \(context.domain)"
        case .certificate:
            describe(tls?.problem ?? .other, leaf, context.domain, into: &finding)
        default:
            return []
        }
        return [finding]
    }

    private static func describe(
        _ problem: CertificateProblem, _ leaf: CertificateFacts?, _ domain: Domain, into finding: inout Finding
    ) {
        switch problem {
        case .expired:
            finding.rule = .origin("certificate-expired")
            finding.message = "the certificate expired" + (leaf?.notAfter.map { " on \($0.rfc3339)" } ?? "")
            finding.fix = "renew the certificate, and find out why its renewal did not run"
        case .notYetValid:
            finding.rule = .origin("certificate-not-yet-valid")
            finding.message =
                "the certificate is not valid yet" + (leaf?.notBefore.map { ", only from \($0.rfc3339)" } ?? "")
            finding.fix = "install a certificate that is valid now, or set this machine's clock"
        case .nameMismatch:
            finding.rule = .origin("certificate-name-mismatch")
            let names = leaf.map { $0.names.prefix(5).joined(separator: ", ") } ?? ""
            finding.message =
                "the certificate is not for \(domain)" + (names.isEmpty ? "" : ", it is for \(names.displayable)")
            finding.fix = "install a certificate whose names include \(domain), or let the server choose it by SNI"
        case .selfSigned:
            finding.rule = .origin("certificate-untrusted")
            finding.message = "the certificate is self-signed"
            finding.fix = "install a certificate from a public authority; Apple accepts no private root"
        case .untrustedRoot:
            finding.rule = .origin("certificate-untrusted")
            finding.message = "the certificate comes from an authority that is not publicly trusted"
            finding.fix = "install a certificate from a public authority; Apple accepts no private root"
        case .incompleteChain:
            finding.rule = .origin("certificate-chain-incomplete")
            finding.message =
                "the server does not send the whole certificate chain"
                + (leaf.map { "; the certificate of its issuer is missing: \($0.issuer.displayable)" } ?? "")
            finding.fix =
                "install the full chain (leaf and intermediates); browsers fetch what is missing by themselves, "
                + "Apple's crawler does not"
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

    /// A certificate that is still good, but not for long. The leaf alone: a chain may carry an old cross-signed
    /// certificate that nobody needs.
    @Sendable static func originCertificateDates(_ context: CheckContext) -> [Finding] {
        guard let tls = context.origin.connection?.tls, tls.trusted,
            let leaf = tls.chain.first, let end = leaf.notAfter
        else { return [] }
        let left = end.timeIntervalSince(context.now)
        guard left <= context.certificateWarning.inSeconds else { return [] }
        return [
            Finding(
                rule: .origin("certificate-expiring"), severity: .warning,
                message: "the certificate expires in \(max(0, left).inWords), on \(end.rfc3339)",
                evidence: ["subject": leaf.subject, "issuer": leaf.issuer, "not_after": end.rfc3339],
                fix: "renew it now; Apple's crawler refuses an expired certificate",
                reference: Reference.supportingDomains)
        ]
    }
}
