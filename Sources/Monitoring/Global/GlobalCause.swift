import Evidence

/// A problem of many domains at once, or of the monitor. Each has its own incident. The raw value is the stored form,
/// and part of an incident's identity.
package enum GlobalCause: RawRepresentable, Codable, CodingKeyRepresentable, Hashable, Sendable {
    /// Our network, or anything else that makes many domains fail at the origin and at Apple's CDN.
    case network
    /// Apple's CDN fails for many domains while their origins work.
    case cdn
    /// What phones do has been unknown for hours, and no other incident reports it.
    case blind
    case schedule
    case configuration
    /// The store accepts no writes, so its incident is never stored.
    case store
    case channel(String)

    package var rawValue: String {
        switch self {
        case .network: "network"
        case .cdn: "cdn"
        case .blind: "blind"
        case .schedule: "schedule"
        case .configuration: "configuration"
        case .store: "store"
        case .channel(let name): Self.channelPrefix + name
        }
    }

    private static let channelPrefix = "channel/"
    private static let withoutName: [GlobalCause] = [.network, .cdn, .blind, .schedule, .configuration, .store]

    package init?(rawValue: String) {
        if let cause = Self.withoutName.first(where: { $0.rawValue == rawValue }) {
            self = cause
        } else if rawValue.hasPrefix(Self.channelPrefix) {
            self = .channel(String(rawValue.dropFirst(Self.channelPrefix.count)))
        } else {
            return nil
        }
    }

    package var kind: IncidentKind { self == .cdn ? .cdnWide : .monitorDegraded }

    /// The kinds of domain incidents that this cause can inhibit. `AffectedDomains` has the ones that it does inhibit.
    package var inhibits: Set<IncidentKind> {
        switch self {
        case .network: [.originUnreachable, .originBroken, .originInconsistent, .cdnMissing, .cdnStale, .cdnDivergent]
        case .cdn: [.cdnMissing, .cdnStale, .cdnDivergent]
        case .blind, .schedule, .configuration, .store, .channel: []
        }
    }

    package var channelName: String? { if case .channel(let name) = self { name } else { nil } }
}

extension GlobalCause: Comparable {
    package static func < (left: GlobalCause, right: GlobalCause) -> Bool { left.rawValue < right.rawValue }
}
