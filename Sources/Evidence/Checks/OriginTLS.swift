import Foundation

extension Checks {
    /// A handshake that failed, whatever the cause: the crawler and every device stop here. Of several addresses each is
    /// judged; one fault is told once, with the addresses that have it.
    @Sendable static func originTLS(_ context: CheckContext) -> [Finding] {
        var findings: [(finding: Finding, addresses: [String])] = []
        for retrieval in context.handshakes {
            let host = MetHost(retrieval, of: context.domain)
            guard let fault = fault(of: retrieval, at: host, context) else { continue }
            let finding = host.placing(fault)
            // The address of another host says nothing about the domain's own.
            let address = host.isElsewhere ? nil : retrieval.connection?.address
            if let index = findings.firstIndex(where: {
                $0.finding.rule == finding.rule && $0.finding.message == finding.message
            }) {
                if let address, !findings[index].addresses.contains(address) {
                    findings[index].addresses.append(address)
                }
            } else {
                findings.append((finding, [address].compactMap(\.self)))
            }
        }
        return findings.map { context.naming($0.addresses, in: $0.finding) }
    }

    private static func fault(of retrieval: Retrieval, at host: MetHost, _ context: CheckContext) -> Finding? {
        let failure = retrieval.failure
        guard failure?.isOfTLS ?? retrieval.hasCertificateWithoutNames else { return nil }
        let tls = retrieval.connection?.tls
        let leaf = tls?.chain.first
        var evidence = ["url": retrieval.url]
        evidence["error"] = tls?.detail ?? failure?.detail
        if let address = retrieval.connection?.address { evidence["address"] = address }
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
        switch failure?.kind {
        case nil:
            finding.rule = .origin("certificate-name-mismatch")
            finding.message =
                "the certificate names \(host.name) only as its common name; Apple's systems read subject alternative names "
                + "alone"
            finding.fix = "install a certificate that has \(host.name) as a subject alternative name"
        case .tlsVersion:
            finding.rule = .origin("tls-version")
            finding.message = "the server offers only TLS versions that are too old"
            finding.fix = "enable TLS 1.2 and 1.3"
        case .certificate:
            CertificateWording(host: host.name, chain: tls?.chain ?? [], now: context.now)
                .describe(tls?.problem ?? .other, in: &finding)
        default:
            HandshakeFault(words: failure?.detail ?? "").describe(host.name, in: &finding)
        }
        return finding
    }
}

extension Retrieval {
    /// Whether the certificate has no DNS name as a subject alternative name. OpenSSL then falls back on the common name;
    /// Apple's systems have not since iOS 13: https://support.apple.com/en-us/103769
    var hasCertificateWithoutNames: Bool {
        // Another TLS library tells no version, and no extensions either.
        guard failure == nil, let tls = connection?.tls, tls.trusted, tls.version != nil else { return false }
        return tls.chain.first?.names.isEmpty == true
    }
}

extension CheckContext {
    /// The request by name and those to each address.
    var handshakes: [Retrieval] { [origin] + (observation.full?.addresses ?? []).map(\.retrieval) }

    /// Says which addresses have a fault, where the name has others that do not.
    func naming(_ faulty: [String], in finding: Finding) -> Finding {
        let all = Set((observation.full?.addresses ?? []).map(\.address.address))
        let named = faulty.filter(all.contains)
        guard !named.isEmpty, named.count < all.count else { return finding }
        var finding = finding
        let isAllThatAnswers = AddressSurvey(self).met.allSatisfy { named.contains($0.address.address) }
        finding.message =
            isAllThatAnswers
            ? "at \(named.listed(upTo: 3)), while the other addresses do not answer: \(finding.message)"
            : "at \(named.listed(upTo: 3)) only (\(named.count) of \(all.count) addresses): \(finding.message)"
        finding.evidence[Self.namedAddresses] = named.joined(separator: ", ")
        return finding
    }

    /// The evidence that a finding is about some of the addresses.
    static let namedAddresses = "addresses"
}
