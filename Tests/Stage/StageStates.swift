// Each state of a domain, and how it comes about. Tests/GoldenTests plays them and stores what every output says about
// them. All of them are shown at the same instant.

import Evidence
import Facts
import Foundation
import TestSupport

package struct StageState: Sendable {
    /// What a person does in between.
    package enum Action: Sendable {
        case acknowledge, silence
        /// Removes the domain from the configuration, which the daemon then reloads.
        case remove
    }

    package let name: String
    /// The tests look at the first one, `StageState.domain`.
    package var sites: [StageSite]
    /// Watched, but not checked yet.
    package var unchecked: [String] = []
    /// More lines of the domain's entry in `monitor.yaml`.
    package var entry = ""
    package var actions: [(at: Date, action: Action)] = []
    /// The instants of the checks, if they are not those at which something changes.
    package var checks: [Date]?
    /// When the daemon ends.
    package var end = StageTime.instant
    /// From then on this machine reaches nobody.
    package var isOfflineFrom = Date.distantFuture

    package static let domain = "links.example.com"
    package static let now = StageTime.instant

    package static func named(_ name: String) -> StageState? { all.first { $0.name == name } }

    private static func ago(_ hours: Double) -> Date { now - hours * 3600 }
    /// A check that limits how old a change can be.
    private static func justBefore(_ hours: Double) -> Date { ago(hours) - 60 }

    /// A site that has been healthy for nine days.
    private static func site(_ name: String) -> StageSite {
        var site = StageSite(
            name: name, deploys: [(ago(9 * 24), file(1))], pickUps: [[0, 0, 0]], edgeCount: 3, addressCount: 2)
        if name == domain { site.labels = ["team": "growth"] }
        return site
    }

    private static func file(_ version: Int, daysLeft: Double = 53) -> Reply {
        associationFile("ABCDE12345.com.example.app", ["/open/*", "/v\(version)/*"])
            .expiring(at: now + daysLeft * 24 * 3600)
    }

    private static func state(
        _ name: String, sites: Int = 1, _ change: (inout StageState, inout StageSite) -> Void
    ) -> StageState {
        var state = StageState(name: name, sites: [])
        for number in 0..<sites {
            var site = site(number == 0 ? domain : "site\(number).example.com")
            change(&state, &site)
            state.sites.append(site)
        }
        return state
    }

    /// A new version that is older than `stale_after` and that no edge has.
    private static func stale(_ name: String, sites: Int = 1, _ actions: [(at: Date, action: Action)]) -> StageState {
        state(name, sites: sites) { state, site in
            state.actions = actions
            guard site.name == domain else { return }
            site.deploy(file(2), ago(31), [nil, nil, nil])
            site.extraChecks = [justBefore(31), ago(6.5)]
        }
    }

    package static let all: [StageState] = [
        state("healthy") { _, site in site.deploy(file(2), ago(48), [1, 2, 5]) },
        state("propagating") { _, site in
            site.deploy(file(2), ago(2), [nil, nil, nil])
            site.extraChecks = [justBefore(2)]
        },
        stale("stale", []),
        state("divergent") { _, site in site.edges(from: ago(30), file(7)) },
        state("mixed") { _, site in
            site.deploy(file(2), ago(31), [1, nil, nil])
            site.extraChecks = [justBefore(31)]
        },
        state("missing") { _, site in
            site.edges(from: ago(3), .crawler("SWCERR00101 Bad HTTP Response: 403 Forbidden"))
            site.agents = (ago(3), .status(403))
        },
        state("broken") { _, site in
            let page = Reply.file("<!doctype html><title>Not here</title>").with {
                $0.headers["Content-Type"] = "text/html"
            }
            site.deploy(page, ago(3), [nil, nil, nil])
        },
        state("unreachable") { _, site in site.deploy(.failed(.timedOut), ago(3), [nil, nil, nil]) },
        state("expiring") { _, site in site.deploy(file(1, daysLeft: 9), ago(60), [0, 0, 0]) },
        state("expectation-failed") { state, _ in
            let app = "ABCDE12345.com.example.app"
            state.entry = "expect: {apps: [ABCDE12345.com.example.other], urls: [{url: /shop/1, opens: \(app)}]}"
        },
        stale("silenced", [(ago(7), .silence)]),
        stale("acknowledged", [(ago(5), .acknowledge)]),
        state("ignored") { state, site in
            state.entry = "ignore: [{rule: origin.certificate-expiring, reason: renewed by hand, until: 2027-01-01}]"
            site.deploy(file(1, daysLeft: 9), ago(60), [0, 0, 0])
        },
        state("unknown") { state, site in
            state.isOfflineFrom = ago(0.2)
            site.deploy(.failed(.unreachable), ago(0.2), [nil, nil, nil])
            site.edges(from: ago(0.2), .failed(.unreachable))
        },
        state("developer-mode") { state, site in
            state.entry = "mode: developer"
            site.mode = .developer
            site.deploy(file(2), ago(2), [nil, nil, nil])
        },
        stale("removed", sites: 2, [(ago(1), .remove)]),
        state("dead-daemon") { state, _ in state.end = ago(3) },
        state("flapping") { _, site in
            for turn in 0..<4 {
                site.deploy(.failed(.timedOut), ago(0.7 - Double(turn) / 6), [nil, nil, nil])
                if turn < 3 { site.deploy(file(1), ago(0.6 - Double(turn) / 6), [0, 0, 0]) }
            }
        },
        state("global", sites: 6) { _, site in site.edges(from: ago(1), .status(404)) },
        state("first-check") { state, site in
            state.unchecked = ["new.example.com"]
            state.checks = [now]
            site.deploy(file(2), ago(2), [nil, nil, nil])
        },
    ]
}

extension StageSite {
    /// `after`: the hours that each edge takes.
    fileprivate mutating func deploy(_ reply: Reply, _ instant: Date, _ after: [Double?]) {
        deploys.append((instant, reply))
        pickUps.append(after.map { $0.map { $0 * 3600 } })
    }

    /// All edges give this answer from an instant on.
    fileprivate mutating func edges(from instant: Date, _ reply: Reply) {
        for edge in 0..<edgeCount { edgeTroubles.append((edge, instant, .distantFuture, reply)) }
    }
}
