import Foundation

extension Checks {
    /// A handshake that failed, whatever the cause: the crawler and every device stop here. Of several addresses each is
    /// judged; one fault is reported once, with the addresses that have it.
    @Sendable static func originTLS(_ context: CheckContext) -> [Finding] {
        var findings: [(finding: Finding, addresses: [String])] = []
        for retrieval in context.handshakes {
            let host = MetHost(retrieval, of: context.domain)
            guard let fault = fault(of: retrieval, at: host, context) else { continue }
            let finding = host.placing(fault)
            // The address of another host says nothing about the domain's own.
            let address = host.isElsewhere ? nil : retrieval.connection?.address
            if let index = findings.firstIndex(where: {
                $0.finding.matter == finding.matter && $0.finding.place == finding.place
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
        guard retrieval.failure?.isOfTLS ?? true,
            let fault = OriginFault(of: retrieval, host: host.name, now: context.now)
        else { return nil }
        let tls = retrieval.connection?.tls
        var evidence = ["url": retrieval.url]
        evidence["error"] = tls?.detail ?? retrieval.failure?.detail
        if let address = retrieval.connection?.address { evidence["address"] = address }
        if let leaf = tls?.chain.first {
            evidence["subject"] = leaf.subject
            evidence["issuer"] = leaf.issuer
            evidence["names"] = leaf.names.prefix(20).joined(separator: ", ")
            if let date = leaf.notBefore { evidence["not_before"] = date.rfc3339 }
            if let date = leaf.notAfter { evidence["not_after"] = date.rfc3339 }
        }
        switch fault {
        case .certificateChain(let issuer, _), .certificateUntrusted(.incompleteChain, let issuer):
            evidence["missing_issuer"] = issuer
        default: break
        }
        return Finding(.origin(.fault(fault, at: host.name)), evidence: evidence)
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
        let others = AddressSurvey(self).met.contains { !named.contains($0.address.address) }
        finding.place = .addresses(named, of: all.count, othersAnswer: others)
        finding.add(["addresses": named.joined(separator: ", ")])
        return finding
    }
}
