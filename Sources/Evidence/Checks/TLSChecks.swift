// Checks of TLS: handshakes that fail, and certificates that expire soon.

import Facts
import Foundation

// MARK: - Handshakes that fail

extension Checks {
    /// A handshake that failed for any reason: the crawler and every device stop here. Each of several addresses is
    /// checked; one fault is reported once, with the addresses that have it.
    @Sendable static func originTLS(_ context: CheckContext) -> [Finding] {
        var findings: [(finding: Finding, addresses: [String])] = []
        for retrieval in context.handshakes {
            let host = LastHost(retrieval, of: context.domain)
            guard let fault = fault(of: retrieval, at: host, context) else { continue }
            let finding = host.placing(fault)
            // The address of another host says nothing about the domain's own.
            let address = host.isElsewhere ? nil : retrieval.connection?.address
            if let index = findings.firstIndex(where: {
                $0.finding.problem == finding.problem && $0.finding.place == finding.place
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

    private static func fault(of retrieval: Retrieval, at host: LastHost, _ context: CheckContext) -> Finding? {
        guard retrieval.failure?.isOfTLS ?? true, let (fault, isTested) = context.fault(of: retrieval, at: host) else {
            return nil
        }
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
        case .certificateChain, .certificateUntrusted(.incompleteChain, _):
            evidence["missing_issuer"] = tls?.chain.linked.last?.issuer
        default: break
        }
        return Finding(.origin(.fault(fault, at: host.name)), evidence: evidence).tested(isTested)
    }
}

extension Retrieval {
    /// Whether the certificate has no DNS name as a subject alternative name. OpenSSL then falls back to the common
    /// name; Apple's systems have not since iOS 13: https://support.apple.com/en-us/103769
    var hasCertificateWithoutNames: Bool {
        // Another TLS library reports neither a version nor extensions.
        guard failure == nil, let tls = connection?.tls, tls.trusted, tls.version != nil else { return false }
        return tls.chain.first?.names.isEmpty == true
    }
}

extension CheckContext {
    /// The request by name and those to each address.
    var handshakes: [Retrieval] { [origin] + (observation.full?.addresses ?? []).map(\.retrieval) }

    /// Says which addresses have a fault, if the name has others without it.
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

// MARK: - Certificates that expire soon

extension Checks {
    /// Certificates that are still valid, but not for long: the leaf of the request by name and of each address, and
    /// the intermediates above it.
    @Sendable static func certificateDates(_ context: CheckContext) -> [Finding] {
        var leaves: [(leaf: CertificateFacts, host: LastHost, addresses: [String])] = []
        var intermediates: [(certificate: CertificateFacts, host: LastHost)] = []
        // If the domain's own server shows the same certificate, the finding names that server.
        let met = context.handshakes.map { (retrieval: $0, host: LastHost($0, of: context.domain)) }
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
        guard left <= context.checks.certificateWarning.inSeconds else { return nil }
        return Finding(
            .origin(.certificateExpiring(end)), evidence: evidence(leaf, end))
    }

    /// An expired intermediate in a trusted chain is an old cross-signature: this machine found another path, older
    /// systems may not.
    private static func intermediate(_ certificate: CertificateFacts, _ context: CheckContext) -> Finding? {
        guard let end = certificate.notAfter else { return nil }
        let left = end.timeIntervalSince(context.now)
        let name = CertificateFacts.name(in: certificate.subject).inSentence
        let evidence = evidence(certificate, end)
        if left <= 0 { return Finding(.origin(.chainExpired(end, name: name)), evidence: evidence) }
        guard left <= context.checks.certificateWarning.inSeconds, certificate.subject != certificate.issuer else {
            return nil
        }
        return Finding(.origin(.chainExpiring(end, name: name)), evidence: evidence)
    }

    private static func evidence(_ certificate: CertificateFacts, _ end: Date) -> [String: String] {
        ["subject": certificate.subject, "issuer": certificate.issuer, "not_after": end.rfc3339]
    }
}

// MARK: - Chains of certificates

extension [CertificateFacts] {
    /// The certificates from the leaf upwards, each issued by the next; others that the server sends are left out.
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
    /// Whether it names a public URL of its issuer's certificate, as certificates of public authorities do. A company's
    /// authority names a host in its own network.
    var tellsIssuer: Bool {
        guard let url = issuerURL.flatMap({ URLComponents(string: $0) }),
            ["http", "https"].contains(url.scheme?.lowercased()), let host = url.host?.lowercased()
        else { return false }
        let labels = host.split(separator: ".")
        return labels.count > 1 && !Self.ownNetworks.contains(labels[labels.count - 1])
    }

    /// Not delegated in public DNS: https://www.rfc-editor.org/rfc/rfc6762#appendix-G and ICANN's `internal`.
    private static let ownNetworks: Set<Substring> = [
        "corp", "home", "internal", "intranet", "lan", "local", "localdomain", "private",
    ]

    /// The common name of a default certificate that software shows for an unknown host; nil if it may be meant for a
    /// host. No public host has such a name: `Kubernetes Ingress Controller Fake Certificate`, `TRAEFIK DEFAULT CERT`,
    /// `NGINXIngressController`, `Plesk`, `localhost` (Kong), `localhost.localdomain` (F5, Apache).
    func defaultName(besides host: String) -> String? {
        guard !isFor(host), let name = commonName, !name.isEmpty else { return nil }
        let labels = name.lowercased().split(separator: ".")
        let isHost = labels.count > 1 && !name.contains(" ") && labels.last != "localdomain"
        return isHost ? nil : name
    }

    private var commonName: String? { Self.field("CN", of: subject) }

    /// The short name of a subject or issuer in libcurl's format: `R11` for `C = US, O = Let's Encrypt, CN = R11`. The
    /// common name, otherwise the organisation, otherwise the whole text.
    package static func name(in subject: String) -> String {
        ["CN", "O"].lazy.compactMap { field($0, of: subject) }.first { !$0.isEmpty } ?? subject
    }

    /// A value with a comma is in quotation marks: `O = "Example, Inc.", CN = example.com`.
    private static func field(_ key: String, of subject: String) -> String? {
        var isQuoted = false
        let parts = subject.split { character in
            if character == "\"" { isQuoted.toggle() }
            return character == "," && !isQuoted
        }
        return parts.lazy.compactMap { part -> String? in
            guard let sign = part.firstIndex(of: "="), part[..<sign].trimmingCharacters(in: .whitespaces) == key else {
                return nil
            }
            let value = part[part.index(after: sign)...].trimmingCharacters(in: .whitespaces)
            return value.count > 1 && value.first == "\"" && value.last == "\""
                ? String(value.dropFirst().dropLast()) : value
        }.first
    }

    /// Whether one of the names covers a host; a wildcard covers one label: https://www.rfc-editor.org/rfc/rfc6125
    func isFor(_ host: String) -> Bool {
        let host = host.lowercased()
        let parent = host.drop { $0 != "." }
        return names.contains { name in
            let name = name.lowercased()
            return name == host || name.hasPrefix("*.") && !parent.isEmpty && name.dropFirst() == parent
        }
    }
}
