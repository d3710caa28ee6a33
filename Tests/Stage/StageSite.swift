// A site over time: what its origin serves, and when each edge of the CDN picks it up.

import Evidence
import Facts
import Foundation
import Monitoring
import Storage
import TestSupport

package struct StageSite: Sendable {
    package var name: String
    package var labels: [String: String] = [:]
    package var mode = AssociationMode.production
    /// What the origin serves from an instant on, oldest first.
    var deploys: [(at: Date, reply: Reply)]
    /// How long each edge takes for each deploy; nil: it has not followed yet.
    var pickUps: [[TimeInterval?]]
    /// What an edge answers instead, from an instant on.
    var edgeTroubles: [(edge: Int, from: Date, to: Date, reply: Reply)] = []
    /// What Apple's user agents get, from an instant on.
    var agents: (from: Date, reply: Reply)?
    /// The instants of additional checks.
    var extraChecks: [Date] = []
    /// The number of edges in `edges`, and the number of addresses of the origin.
    var edgeCount = 8
    var addressCount = 4

    static let edges = [
        ("17.253.21.205", "usqas4"), ("17.253.3.201", "usnyc3"), ("17.253.29.203", "uklon5"),
        ("17.253.57.202", "defra2"),
        ("17.253.69.206", "jptyo4"), ("2620:149:af0::2", "ausyd2"), ("2620:149:a44:f000::4", "sgsin3"),
        ("2001:1900:2386:bf1b::1fe", "lumn"),
    ]

    private func origin(at now: Date) -> Reply { (deploys.last { $0.at <= now } ?? deploys[0]).reply }

    private func copy(edge: Int, at now: Date) -> Reply {
        if let trouble = edgeTroubles.first(where: { $0.edge == edge && $0.from <= now && now < $0.to }) {
            return trouble.reply
        }
        let served = deploys.indices.last { index in
            guard let took = pickUps[index][edge] else { return false }
            return deploys[index].at + took <= now
        }
        var reply = deploys[served ?? 0].reply
        reply.headers["Via"] = "http/1.1 \(Self.edges[edge].1)-vp-vst-004.ts.apple.com (acdn/268.14469)"
        reply.firstByte = 9 + Double(Int(now.timeIntervalSince1970 / 60) * 31 % 7)
        reply.headers["Cache-Control"] = "max-age=21600"
        reply.headers["Age"] = "\((edge + 1) * 1900)"
        reply.tls?.chain = []
        return reply
    }

    /// What a probe gets when the wall clock shows `now`.
    package func observation(at now: Date) throws -> Observation {
        var observation = try answers(at: now)
        observation.checkedAt = now - StageTime.ahead
        return observation
    }

    private func answers(at now: Date) throws -> Observation {
        var origin = origin(at: now)
        origin.firstByte = 38 + Double(Int(now.timeIntervalSince1970 / 60) * 7919 % 23)
        guard mode == .production else {
            return try Observation.of(name, at: now, mode: mode, origin: origin, cdn: nil, unasked: .mode)
        }
        var scene = Scene.calm(origin)
        scene.addresses = ["192.0.2.10", "2001:db8:10::10", "192.0.2.11", "2001:db8:10::11"].prefix(addressCount)
            .map { ($0, .public, origin) }
        if let agents, agents.from <= now { scene.agents = AgentResult.Agent.allCases.map { ($0, agents.reply) } }
        scene.edges = (0..<edgeCount).map { (Self.edges[$0].0, copy(edge: $0, at: now)) }
        return try Observation.of(name, at: now, origin: origin, cdn: scene.edges[0].reply, scene: scene)
    }

    /// Each instant at which something changes, and one instant after it, until `end`.
    package func checks(until end: Date) -> [Date] {
        var all: Set<Date> = [end - 60, end]
        for (index, deploy) in deploys.enumerated() {
            all.formUnion([deploy.at, deploy.at + 60])
            for took in pickUps[index].compactMap(\.self) { all.formUnion([deploy.at + took, deploy.at + took + 60]) }
        }
        for trouble in edgeTroubles { all.formUnion([trouble.from, trouble.from + 60, trouble.to, trouble.to + 60]) }
        all.formUnion(extraChecks)
        return all.filter { $0 <= end }.sorted()
    }

    /// Checks it like the daemon.
    @discardableResult
    package func play(into store: Store, until end: Date, policy: Policy = Policy()) async throws -> DomainState {
        var state = DomainState(domain: try Domain(name))
        for now in checks(until: end) { state = try await check(state, into: store, at: now, policy: policy) }
        return state
    }

    /// One more check, when the wall clock shows `now`.
    func check(
        _ state: DomainState, into store: Store, at now: Date, policy: Policy = Policy()
    ) async throws -> DomainState {
        let observation = try observation(at: now)
        let next = evaluate(state, observation, policy, now: now - StageTime.ahead, wall: now)
        try await store.commit(next, of: observation, after: state)
        return next.state
    }
}

/// A file with an app and its paths.
func associationFile(_ app: String, _ paths: [String], credentials: Bool = false) -> Reply {
    let components = paths.map { path in
        path.hasPrefix("!")
            ? #"          {"/": "\#(path.dropFirst())", "exclude": true}"# : #"          {"/": "\#(path)"}"#
    }.joined(separator: ",\n")
    let more = credentials ? ",\n  \"webcredentials\": {\"apps\": [\"\(app)\"]}" : ""
    return .file(
        """
        {
          "applinks": {
            "details": [{
              "appIDs": ["\(app)"],
              "components": [
        \(components)
              ]
            }]
          }\(more)
        }

        """)
}
