// The requests that a monitor answers: from its store in process (`API`), or from a daemon over HTTP.

import Evidence
import Foundation
import Monitoring
import Report
import Storage

/// Each function is one route of the API.
///
/// They throw `APIRefusal`, or `UnknownName`, `SilenceFault` and `AcknowledgeLink.Fault`, which `APIRefusal.init(of:)`
/// converts.
package protocol MonitorAPI: Sendable {
    func status() async throws -> MonitorStatus
    /// Sorted by name. `filter.after`: the last name of the previous page.
    func domains(_ filter: SummaryFilter, limit: Int) async throws -> DomainPage
    func domain(_ domain: Domain) async throws -> DomainDetail
    /// `limit` applies to versions, incidents and deliveries separately.
    func history(of domain: Domain, limit: Int) async throws -> HistoryReport
    func incidents(_ query: IncidentQuery) async throws -> IncidentPage
    /// `name`: an id, or the beginning of one.
    func incident(named name: String) async throws -> IncidentDetail
    func deliveries(_ query: DeliveryQuery) async throws -> DeliveryPage
    /// `name`: the number of a delivery, or the beginning of a message's key.
    func message(named name: String) async throws -> MessageReport
    func silences() async throws -> SilencePage

    func acknowledge(_ name: String, by: String, reason: String) async throws -> AcknowledgementReport
    func unacknowledge(_ name: String) async throws -> AcknowledgementReport
    func silence(_ order: SilenceOrder) async throws -> NewSilence
    func endSilence(_ id: String) async throws -> SilenceReport
    /// Tries a channel now.
    func retry(channel: String) async throws -> RetryReport
}

/// Selects deliveries; nil: any.
package struct DeliveryQuery: Sendable {
    package var channel: String?
    package var incident: String?
    package var domain: Domain?
    package var after: DeliveryPlace?
    package var limit: Int

    package init(
        channel: String? = nil, incident: String? = nil, domain: Domain? = nil, after: DeliveryPlace? = nil, limit: Int
    ) {
        self.channel = channel
        self.incident = incident
        self.domain = domain
        self.after = after
        self.limit = limit
    }
}

/// Why a request was refused, in words for its sender.
package struct APIRefusal: Error, CustomStringConvertible {
    package enum Reason: Int, Sendable {
        case badRequest = 400
        case notFound = 404
        case conflict = 409
    }

    package let reason: Reason
    package let description: String

    package init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }

    /// nil: not a refusal, but a fault of ours.
    package init?(of error: any Error) {
        switch error {
        case let refusal as APIRefusal: self = refusal
        case let fault as UnknownName: self.init(.notFound, fault.description)
        case let fault as SilenceFault: self.init(.badRequest, fault.description)
        case let fault as AcknowledgeLink.Fault:
            self.init(fault == .foreign ? .badRequest : .conflict, fault.description)
        default: return nil
        }
    }

    init(_ key: String, isNoneOf words: [String]) {
        self.init(.badRequest, "'\(key)' must be one of \(words.joined(separator: ", "))")
    }

    static let notWatched = APIRefusal(.notFound, "this domain is not watched here")
}
