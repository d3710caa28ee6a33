import Foundation

extension Checks {
    /// Certificates that are still good, but not for long: the leaf of the request by name and of each address, and the
    /// intermediates that lead up from it.
    @Sendable static func certificateDates(_ context: CheckContext) -> [Finding] {
        var leaves: [(leaf: CertificateFacts, host: MetHost, addresses: [String])] = []
        var intermediates: [(certificate: CertificateFacts, host: MetHost)] = []
        // If the domain's own server shows the same, the finding names that one.
        let met = context.handshakes.map { (retrieval: $0, host: MetHost($0, of: context.domain)) }
        for (retrieval, host) in met.filter({ !$0.host.isElsewhere }) + met.filter(\.host.isElsewhere) {
            guard let tls = retrieval.connection?.tls, tls.trusted else { continue }
            let path = tls.chain.linked
            for certificate in path.dropFirst()
            where !intermediates.contains(where: { $0.certificate == certificate }) {
                intermediates.append((certificate, host))
            }
            guard let leaf = path.first else { continue }
            // The address of another host says nothing about the domain's own.
            let address = host.isElsewhere ? [] : [retrieval.connection?.address].compactMap(\.self)
            if let index = leaves.firstIndex(where: { $0.leaf == leaf }) {
                leaves[index].addresses += address.filter { !leaves[index].addresses.contains($0) }
            } else {
                leaves.append((leaf, host, address))
            }
        }
        return leaves.compactMap { leaf in
            expiring(leaf.leaf, context).map { leaf.host.placing(context.naming(leaf.addresses, in: $0)) }
        }
            + intermediates.prefix(8).compactMap { pair in
                intermediate(pair.certificate, context).map { pair.host.placing($0) }
            }
    }

    private static func expiring(_ leaf: CertificateFacts, _ context: CheckContext) -> Finding? {
        guard let end = leaf.notAfter else { return nil }
        let left = end.timeIntervalSince(context.now)
        guard left <= context.certificateWarning.inSeconds else { return nil }
        return Finding(
            .origin(.certificateExpiring(end, left: Int(max(0, left).rounded()))), evidence: evidence(leaf, end))
    }

    /// One that has expired in a chain that is trusted all the same is an old cross-signature: this machine found another
    /// way up, older systems may not.
    private static func intermediate(_ certificate: CertificateFacts, _ context: CheckContext) -> Finding? {
        guard let end = certificate.notAfter else { return nil }
        let left = end.timeIntervalSince(context.now)
        let name = certificate.subject.inSentence
        let evidence = evidence(certificate, end)
        if left <= 0 { return Finding(.origin(.chainExpired(end, name: name)), evidence: evidence) }
        guard left <= context.certificateWarning.inSeconds, certificate.subject != certificate.issuer else {
            return nil
        }
        return Finding(.origin(.chainExpiring(end, left: Int(left.rounded()), name: name)), evidence: evidence)
    }

    private static func evidence(_ certificate: CertificateFacts, _ end: Date) -> [String: String] {
        ["subject": certificate.subject, "issuer": certificate.issuer, "not_after": end.rfc3339]
    }
}
