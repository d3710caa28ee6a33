import Evidence

/// What is wrong with many domains at once, or with the monitor. Each has an incident of its own.
package enum GlobalCause: Codable, Hashable, Sendable {
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

    package var kind: IncidentKind { self == .cdn ? .cdnWide : .monitorDegraded }

    /// The kinds of a domain's incidents that an incident of this cause may explain. Which it does, and of whom, `AffectedDomains` says.
    package var inhibits: Set<IncidentKind> {
        switch self {
        case .network: [.originUnreachable, .originBroken, .originInconsistent, .cdnMissing, .cdnStale, .cdnDivergent]
        case .cdn: [.cdnMissing, .cdnStale, .cdnDivergent]
        case .blind, .schedule, .configuration, .store, .channel: []
        }
    }

    /// Part of an incident's identity, and the stored form.
    package var name: String {
        switch self {
        case .network: "network"
        case .cdn: "cdn"
        case .blind: "blind"
        case .schedule: "schedule"
        case .configuration: "configuration"
        case .store: "store"
        case .channel(let name): "channel/\(name)"
        }
    }

    package init?(name: String) {
        switch name {
        case "network": self = .network
        case "cdn": self = .cdn
        case "blind": self = .blind
        case "schedule": self = .schedule
        case "configuration": self = .configuration
        case "store": self = .store
        default:
            guard name.hasPrefix("channel/") else { return nil }
            self = .channel(String(name.dropFirst(8)))
        }
    }

    /// The channel that it is about.
    package var channelName: String? { if case .channel(let name) = self { name } else { nil } }

    package init(from decoder: any Decoder) throws {
        let name = try decoder.singleValueContainer().decode(String.self)
        guard let cause = GlobalCause(name: name) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "no cause of an incident is named '\(name)'"))
        }
        self = cause
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}

extension GlobalCause: Comparable, CodingKeyRepresentable {
    package static func < (left: GlobalCause, right: GlobalCause) -> Bool { left.name < right.name }

    package var codingKey: any CodingKey { Key(stringValue: name) }

    package init?(codingKey: some CodingKey) { self.init(name: codingKey.stringValue) }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
