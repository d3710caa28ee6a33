// Which finding feeds which kind of incident. docs/alerts.md shows the same table, and a test compares the two.

import Evidence

extension IncidentKind {
    /// The rules that make an incident of this kind, where they are errors (certificates that end soon: warnings).
    package static let rules: [(kind: IncidentKind, rules: [String])] = [
        (
            .originUnreachable,
            [
                "origin.dns-failed", "origin.unreachable", "origin.timeout", "origin.connection-reset",
                "origin.tls-failed", "origin.tls-version", "origin.certificate-expired",
                "origin.certificate-not-yet-valid", "origin.certificate-untrusted",
                "origin.certificate-name-mismatch", "origin.certificate-chain-incomplete", "origin.slow",
                "origin.address-unreachable", "origin.ipv6-broken",
            ]
        ),
        (
            .originBroken,
            [
                "origin.status", "origin.redirect", "origin.redirect-insecure", "origin.redirect-loop",
                "origin.not-public-address", "origin.content-type", "origin.content-encoding", "origin.too-large",
                "origin.truncated", "origin.headers-too-large", "origin.malformed-answer", "origin.crawler-refused",
                "origin.vantage-refused", "origin.root-only", "aasa.json-syntax", "aasa.root-not-object",
                "aasa.no-service",
            ]
        ),
        (.originInconsistent, ["origin.address-differs"]),
        (.cdnMissing, ["cdn.missing", "cdn.crawler-error"]),
        (.cdnStale, ["cdn.stale", "cdn.propagating"]),
        (.cdnDivergent, ["cdn.divergent", "cdn.bad-copy", "cdn.edges-differ"]),
        (.certificateExpiring, ["origin.certificate-expiring"]),
        (
            .expectationFailed,
            [
                "expect.app-missing", "expect.service-missing", "expect.url-opens", "expect.url-opens-nothing",
                "expect.url-opens-other", "expect.page-missing",
            ]
        ),
    ]

    package static func fed(by rule: Rule) -> IncidentKind? {
        rules.first { $0.rules.contains(rule.rawValue) }?.kind
    }

    /// Whether it is about Apple's copy.
    package var isOfCDN: Bool { rawValue.hasPrefix("cdn.") }
}
