// What a chain of certificates shows: who issued what, and whose it is.

import Foundation

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
