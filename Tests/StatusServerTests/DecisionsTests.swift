import Evidence
import Foundation
import Report
import Storage
import Testing

@testable import Monitoring
@testable import StatusServer

extension StatusServerSuite {
    @Suite("Decisions")
    struct DecisionsTests {
        private static func incident(
            _ kind: IncidentKind, _ state: Incident.State = .firing, of name: String = "a.test",
            by inhibitor: IncidentKind? = nil
        ) throws -> ConfirmedIncident {
            ConfirmedIncident(
                id: "\(name)-\(kind.rawValue)", domain: try Domain(name), kind: kind, state: state, since: noon - 3600,
                inhibitedBy: inhibitor)
        }

        private static func troubled(_ name: String, _ status: DomainStatus, _ reason: String = "why") throws
            -> TroubledDomain
        {
            TroubledDomain(domain: try Domain(name), status: status, reason: reason, since: noon - 3600)
        }

        private static func decisions(
            _ troubled: [TroubledDomain], _ incidents: [ConfirmedIncident], _ context: IncidentContext = .init()
        ) -> Decisions {
            Decisions(troubled, incidents, context, WatchIndex([]), ReportTime(now: noon))
        }

        /// The sections without an incident, with a firing one, and with a recovering one.
        static let statuses: [(DomainStatus, Decisions.Section, Decisions.Section, Decisions.Section)] = [
            (.missing, .act, .act, .act), (.expectationFailed, .act, .act, .act), (.stale, .act, .act, .act),
            (.divergent, .warnings, .act, .calm), (.unconfirmed, .warnings, .act, .calm),
            (.originFailing, .warnings, .act, .calm), (.atRisk, .warnings, .act, .calm),
            (.propagating, .calm, .act, .calm), (.unknown, .warnings, .act, .calm), (.waiting, .calm, .act, .calm),
        ]

        @Test("state and incidents decide a domain's section", arguments: statuses)
        func sections(
            status: DomainStatus, without: Decisions.Section, firing: Decisions.Section, recovering: Decisions.Section
        ) throws {
            for (incidents, section) in [
                ([], without), ([try Self.incident(.originBroken)], firing),
                ([try Self.incident(.originBroken, .recovering)], recovering),
            ] {
                let decisions = Self.decisions([try Self.troubled("a.test", status)], incidents)
                #expect(Decisions.Section.allCases.filter { decisions.count($0) > 0 } == [section], "\(status)")
            }
        }

        @Test("unacknowledged incidents decide; an inhibited one is acknowledged with its cause")
        func owners() throws {
            var context = IncidentContext()
            context.acknowledgements = [
                "a.test-origin.broken": Acknowledgement(by: "eva", reason: "on it", at: noon, version: 1)
            ]
            let domain = [try Self.troubled("a.test", .missing)]
            let cause = try Self.incident(.originBroken)
            let rows: [(ConfirmedIncident?, Decisions.Section)] = [
                (nil, .handled), (try Self.incident(.cdnMissing, by: .originBroken), .handled),
                (try Self.incident(.certificateExpiring), .act),
            ]
            for (other, section) in rows {
                let decisions = Self.decisions(domain, [cause, other].compactMap(\.self), context)
                #expect(decisions.count(section) == 1)
                #expect(
                    decisions.groups[section]?.first?.incidents.map(\.kind) == [
                        section == .act ? .certificateExpiring : .originBroken
                    ])
            }
        }

        @Test("domains are grouped by state and reason; each propagating change stays alone")
        func groups() throws {
            let domains = [
                try Self.troubled("a.test", .missing), try Self.troubled("b.test", .missing),
                try Self.troubled("c.test", .missing, "another"), try Self.troubled("d.test", .propagating),
                try Self.troubled("e.test", .propagating), try Self.troubled("f.test", .waiting),
                try Self.troubled("g.test", .waiting),
            ]
            let decisions = Self.decisions(domains, [])
            #expect(
                decisions.groups[.act]?.map { $0.domains.map(\.domain.name) } == [["a.test", "b.test"], ["c.test"]])
            #expect(decisions.groups[.calm]?.map(\.domains.count) == [1, 1, 2])
        }

        @Test("a domain with only a shared problem is named only by the shared incident")
        func shared() throws {
            let record = IncidentRecord(
                incident: Incident(
                    id: "0123456789abcdef", subject: .global(.cdn), kind: .cdnWide, severity: .error, state: .firing,
                    since: noon - 600, openedAt: noon - 600, version: 1))
            let names = try ["a.test", "b.test"].map { try Domain($0) }
            let facts = IncidentFacts(
                diagnosis: .monitor(.cdnWide(.missing, domains: 2, of: 2), .ofMany(.missing, domains: 2)),
                affected: AffectedDomains(names, of: 2, explaining: [.cdnMissing]))
            let decisions = Self.decisions(
                try names.map { try Self.troubled($0.name, .missing) },
                [
                    try Self.incident(.cdnMissing), try Self.incident(.cdnMissing, of: "b.test"),
                    try Self.incident(.originBroken, of: "b.test"),
                ], IncidentContext(global: [(record, facts)]))
            #expect(decisions.shared.map { $0.domains.map(\.domain.name) } == [["a.test"]])
            #expect(decisions.groups[.act]?.map { $0.domains.map(\.domain.name) } == [["b.test"]])
            #expect(decisions.count(.act) == 2)
        }
    }
}
