// The monitor itself, its own network, and what many domains share.

package enum MonitorCause: Codable, Equatable, Sendable {
    /// The request could not be made; `detail`: of the network library.
    case ownFault(detail: String)
    /// This machine's name server could not look the host up; `answer`: what it said, nil where none answered.
    case nameServerFailed(host: String, answer: String?)
    /// Something in this machine's network opens TLS, under an authority that this machine does not trust.
    case tlsIntercepted(host: String, authority: String)
    /// One check reached nobody, and neither did others.
    case networkSuspect
    case networkLost(domains: Int, of: Int, canaries: [String])
    case manyFailing(domains: Int, of: Int)
    case cdnWide(CDNFailure, domains: Int, of: Int)
    case scheduleBehind(domains: Int, of: Int, intervals: Int)
    /// `fault`: as the reader of the configuration reports it.
    case configReloadFailed(fault: String)
    /// `answer`: of the channel's service; empty where there is none.
    case deliveryFailing(channel: String, isDisabled: Bool, answer: String)
    /// `fault`: of the system or the database.
    case storeFailing(isAtStart: Bool, fault: String)
    case notMonitored
    case testMessage
    case over
    /// The store knows of the incident and not of what was seen.
    case factsMissing

    var id: DiagnosisID {
        switch self {
        case .ownFault: .ownFault
        case .nameServerFailed: .nameServerFailed
        case .tlsIntercepted: .tlsIntercepted
        case .networkSuspect: .networkSuspect
        case .networkLost: .networkLost
        case .manyFailing: .manyFailing
        case .cdnWide: .cdnWide
        case .scheduleBehind: .scheduleBehind
        case .configReloadFailed: .configReloadFailed
        case .deliveryFailing: .deliveryFailing
        case .storeFailing: .storeFailing
        case .notMonitored: .notMonitored
        case .testMessage: .testMessage
        case .over: .over
        case .factsMissing: .factsMissing
        }
    }
}

/// In which way Apple's side of many domains fails.
package enum CDNFailure: String, Codable, Sendable, CaseIterable {
    case missing, stale, divergent
    /// No answer about the file.
    case silent
}
