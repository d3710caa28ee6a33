import Evidence

/// What is wrong with many domains at once, or with the monitor. Each has an incident of its own. The raw value is the stored
/// form, and part of an incident's identity.
package enum GlobalCause: RawRepresentable, Codable, CodingKeyRepresentable, Hashable, Sendable {
    /// Our network, or whatever makes many domains fail on both sides.
    case network
    /// Apple's side of many domains, while their origins work.
    case cdn
    /// What phones do has not been known for hours, and no other incident tells so.
    case blind
    case schedule
    case configuration
    /// The store takes no writes; so no incident of it is ever stored.
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

    /// The kinds of a domain's incidents that an incident of this cause may explain. Which it does, and of whom, `AffectedDomains` says.
    package var inhibits: Set<IncidentKind> {
        switch self {
        case .network: [.originUnreachable, .originBroken, .originInconsistent, .cdnMissing, .cdnStale, .cdnDivergent]
        case .cdn: [.cdnMissing, .cdnStale, .cdnDivergent]
        case .blind, .schedule, .configuration, .store, .channel: []
        }
    }

    /// The channel that it is about.
    package var channelName: String? { if case .channel(let name) = self { name } else { nil } }
}

extension GlobalCause: Comparable {
    package static func < (left: GlobalCause, right: GlobalCause) -> Bool { left.rawValue < right.rawValue }
}
