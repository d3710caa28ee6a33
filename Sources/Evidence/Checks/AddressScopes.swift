import Foundation

extension Checks {
    /// Addresses that Apple's CDN refuses to ask. A test server that the user names on the command line is no news.
    @Sendable static func addressScopes(_ context: CheckContext) -> [Finding] {
        let foreign = context.notPublicAddresses
        guard let first = foreign.first, let resolution = context.observation.full?.resolution else { return [] }
        let total = resolution.addresses.count
        let shown = foreign.map { "\($0.address) (\($0.scope.words))" }
        let those = shown.listed(upTo: 3)
        return [
            Finding(
                rule: .origin("not-public-address"), severity: .error,
                message: foreign.count == total
                    ? "from here \(context.domain) leads to \(those); Apple's CDN refuses to ask such addresses"
                    : "from here \(foreign.count) of the \(total) addresses of \(context.domain) are not public: "
                        + "\(those); Apple's CDN refuses to ask those",
                evidence: [
                    "addresses": shown.joined(separator: ", "), "scope": first.scope.rawValue,
                    "apple_code": "SWCERR00202", "source": resolution.source.rawValue,
                ],
                fix: foreign.count == total
                    ? "publish the domain on a public address; an internal host needs ?mode=developer or "
                        + "?mode=managed in the app's entitlement"
                    : "take the addresses that are not public out of the domain's A and AAAA records",
                reference: Reference.configuringDomain)
        ]
    }
}

extension CheckContext {
    /// The addresses that the world is told and Apple will not ask; none in the modes in which devices ask themselves.
    var notPublicAddresses: [ResolvedAddress] {
        guard observation.mode == .production, let resolution = observation.full?.resolution else { return [] }
        switch resolution.source {
        case .system: return resolution.addresses.filter { $0.scope != .public }
        case .rules: return resolution.addresses.filter { $0.scope != .public && $0.scope != .loopback }
        case .proxy: return []
        }
    }
}

extension AddressScope {
    var words: String {
        switch self {
        case .public: "public"
        case .loopback: "loopback"
        case .private: "a private address"
        case .carrierGrade: "an address of a carrier's or overlay network"
        case .linkLocal: "a link-local address"
        case .reserved: "a reserved address"
        }
    }
}
