// Redirects as evidence: hop by hop, with scheme, host and status.

import Foundation

struct RedirectTrail {
    let hops: [RedirectHop]

    /// The beginning of a circle of redirects stands for all of it.
    private static let maximumHops = 12

    init(_ hops: [RedirectHop]) { self.hops = hops }

    /// `https example.com → 301 → https www.example.com/x`.
    var text: String {
        let shown = hops.prefix(Self.maximumHops).map { hop in
            "\(Self.origin(hop.from)) → \(hop.status) → \(hop.target ?? hop.location ?? "(no Location)")"
                .shortened(to: 200)
        }
        return shown.joined(separator: ", ")
            + (hops.count > Self.maximumHops ? ", and \(hops.count - Self.maximumHops) more" : "")
    }

    private static func origin(_ url: String) -> String {
        guard let parts = URLComponents(string: url), let host = parts.host else { return url }
        return "\(parts.scheme ?? "") \(host)"
    }

    /// Whether a hop leaves HTTPS, or comes from elsewhere.
    var isInsecure: Bool {
        hops.contains { hop in
            [hop.from, hop.target ?? ""].contains { $0.lowercased().hasPrefix("http://") }
        }
    }

    /// Whether the last target looks like a place to log in, by the words of its host and path.
    var leadsToLogin: Bool {
        guard let target = hops.last?.target, let parts = URLComponents(string: target) else { return false }
        let words = (parts.host ?? "").split(separator: ".").dropLast() + parts.path.split(separator: "/")
        let login: Set<String> = [
            "login", "log-in", "signin", "sign-in", "sign_in", "sso", "saml", "oauth", "oauth2", "auth", "accounts",
            "authorize", "cas",
        ]
        return words.contains { word in
            let name = word.lowercased().prefix { $0 != "." && $0 != ";" }
            return login.contains(String(name))
        }
    }
}
