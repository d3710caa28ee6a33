import Foundation

extension Checks {
    /// Addresses that Apple's CDN refuses to ask. A test server that the user names on the command line is no news.
    @Sendable static func addressScopes(_ context: CheckContext) -> [Finding] {
        let foreign = context.notPublicAddresses
        guard let first = foreign.first, let resolution = context.observation.full?.resolution else { return [] }
        return [
            Finding(
                .origin(.notPublic(foreign, of: resolution.addresses.count, context.domain)),
                evidence: [
                    "scope": first.scope.rawValue, "apple_code": "SWCERR00202", "source": resolution.source.rawValue,
                ])
        ]
    }
}

extension CheckContext {
    /// The public DNS has these addresses, and Apple does not ask them; none in the modes in which devices ask themselves.
    var notPublicAddresses: [ResolvedAddress] {
        guard observation.mode == .production, let resolution = observation.full?.resolution else { return [] }
        switch resolution.source {
        case .system: return resolution.addresses.filter { $0.scope != .public }
        case .rules: return resolution.addresses.filter { $0.scope != .public && $0.scope != .loopback }
        case .proxy: return []
        }
    }
}
