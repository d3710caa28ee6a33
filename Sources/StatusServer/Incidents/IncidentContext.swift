// What pages and the API show about an incident besides the incident itself.

import Evidence
import Foundation
import Monitoring
import Report
import Storage

struct IncidentContext: Sendable {
    var silences = Silences(silences: [], windows: [])
    /// By the id of the incident.
    var acknowledgements: [String: Acknowledgement] = [:]
    /// Open global incidents.
    var global: [(record: IncidentRecord, facts: IncidentFacts?)] = []
    /// The channels that took a message, by the id of the incident, for the incidents read so far; nil: hidden from
    /// visitors.
    var notified: [String: [String]]?
}

extension IncidentContext {
    /// Visitors see no names of people who act, and no trouble with channels.
    init(_ store: Store, windows: [MaintenanceWindow], wall: Date, for role: Role) async throws {
        // Oldest first: the oldest incident that inhibits another one is shown as its inhibitor.
        let open = try await store.incidents(.openGlobal).reversed()
        let accounts = try await store.incidentAccounts(open.map(\.incident.id))
        let global = open.map { (record: $0, facts: accounts[$0.incident.id]?.facts) }
        guard role > .visitor else {
            let explaining = global.filter { entry in
                if case .global(let cause) = entry.record.incident.subject { !cause.inhibits.isEmpty } else { true }
            }
            self.init(global: explaining.map { (IncidentRecord(incident: $0.record.incident), $0.facts) })
            return
        }
        self.init(
            silences: Silences(silences: try await store.silences(notOverAt: wall), windows: windows),
            acknowledgements: try await store.acknowledgements(), global: global,
            notified: try await store.notifiedChannels(global.map(\.record.incident.id)))
    }

    /// The same, with the channels that took a message about these incidents.
    func notified(of ids: [String], in store: Store) async throws -> IncidentContext {
        guard let notified else { return self }
        var context = self
        context.notified = notified.merging(try await store.notifiedChannels(ids)) { $1 }
        return context
    }

    /// How many open incidents of domains the global ones inhibit. Nobody acknowledges these one by one.
    func inhibited(in store: Store) async throws -> Int {
        var count = 0
        for entry in global where entry.record.incident.state == .firing {
            guard let affected = entry.facts?.affected, !affected.kinds.isEmpty else { continue }
            count += try await store.unacknowledgedIncidents(of: affected.kinds, in: affected.domains)
        }
        return count
    }

    /// The open global incidents, the oldest first.
    func reports(_ time: ReportTime) -> [IncidentReport] {
        global.map { entry in
            report(
                entry.record.incident, entry.facts.map { IncidentAccount($0) },
                acknowledgement: entry.record.acknowledgement, time: time)
        }
    }

    /// Until when a silence or window suppresses notifications about an incident; nil: none does.
    private func silencedUntil(_ incident: Incident, labels: [String: String], at wall: Date) -> Date? {
        silences.end(domain: incident.domain, labels: labels, kind: incident.kind, at: wall)
    }

    /// What inhibits an incident of a domain: an incident of the same domain or a global one; nil: nothing.
    private func inhibitor(of incident: Incident) -> IncidentKind? {
        guard let domain = incident.domain else { return nil }
        if let own = incident.inhibitedBy { return own }
        return globalInhibitor(of: incident.kind, domain).map { global[$0].record.incident.kind }
    }

    /// The place in `global` of the incident that inhibits such an incident of a domain; nil: none does.
    func globalInhibitor(of kind: IncidentKind, _ domain: Domain) -> Int? {
        global.firstIndex {
            $0.record.incident.state == .firing && $0.facts?.affected?.explains(kind, of: domain) ?? false
        }
    }

    /// The incident with its marks. `labels`: of its domain. `graceUntil`: as stored.
    func report(
        _ incident: Incident, _ account: IncidentAccount? = nil, labels: [String: String] = [:],
        graceUntil: Date? = nil, acknowledgement: Acknowledgement?, time: ReportTime
    ) -> IncidentReport {
        let marks = IncidentReport.Marks(
            alertsAfter: incident.state == .pending ? graceUntil.map(time.shown) : nil,
            silencedUntil: silencedUntil(incident, labels: labels, at: time.wall), inhibitedBy: inhibitor(of: incident),
            acknowledgement: acknowledgement, notified: notified.map { $0[incident.id] ?? [] })
        return IncidentReport(incident, account, marks: marks, time: time)
    }
}
