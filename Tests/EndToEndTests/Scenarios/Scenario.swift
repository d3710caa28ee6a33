// What a scenario file says: who answers what at which address, how `check` is called, and what it must say.

import Foundation
import Lab
import LabFaults
import TestSupport

struct Scenario: Sendable {
    struct Origin: Sendable {
        var host: String
        var addresses = ["127.0.0.1"]
        var answer: LabBehaviour?
        var certificate = LabCertificate.valid
        var handshake = LabHandshake.normal
        var delay = Duration.zero
        var paths: [(key: String, value: LabBehaviour)] = []
        var agents: [(key: String, value: LabBehaviour)] = []
        var places: [(key: String, value: Place)] = []
    }

    /// One address of an origin, where it differs from the others.
    struct Place: Sendable {
        var answer: LabBehaviour?
        var certificate: LabCertificate?
        var handshake: LabHandshake?
        var agents: [(key: String, value: LabBehaviour)] = []
    }

    struct CDN: Sendable {
        var edges = ["127.0.0.1"]
        var certificate = LabCertificate.valid
        var handshake = LabHandshake.normal
        var everywhere = Shelf()
        var places: [(key: String, value: Shelf)] = []
    }

    /// What one edge, or all of them, has of the target.
    struct Shelf: Sendable {
        var copy: Copy?
        var failure: CDNFailure?
        var answer: LabBehaviour?
        var network: LabEdgeNetwork?
    }

    struct Copy: Sendable {
        var body: String
        var age = Duration.zero
        var maxAge: Duration?
        var from: [String]?
    }

    struct CDNFailure: Sendable {
        var status = 404
        var reason: String?
        var details: String?
        var tryDirect = false
        var age = Duration.zero
        var maxAge: Duration?
    }

    /// Another place to look from.
    struct Vantage: Sendable {
        var scheme: String
        /// The address of the lab at which its requests come out.
        var address = ""
        /// In place of a proxy of the lab's: one that may not exist.
        var proxy: String?
    }

    var name: String
    var target = "site.test"
    var origins: [Origin] = []
    var cdn = CDN()
    var holes: [(key: String, value: LabHole.Kind)] = []
    var vantages: [(key: String, value: Vantage)] = []
    /// Further lines of the target's entry in `monitor.yaml`.
    var domain: String?
    var options: [String] = []
    var expectation = Expectation()

    /// The host that the CDN's copy is of: the target may be an entitlement.
    var host: String {
        var text = target[...]
        if let colon = text.firstIndex(of: ":") { text = text[text.index(after: colon)...] }
        return String(text.prefix { $0 != "?" && $0 != "/" })
    }

    /// The addresses that the lab itself serves.
    var labAddresses: [String] {
        let all =
            ["127.0.0.1"] + origins.flatMap(\.addresses) + cdn.edges
            + vantages.map(\.value.address).filter { !$0.isEmpty }
        let elsewhere = Set(holes.map(\.key) + origins.flatMap(\.addresses).filter(Self.isNobodys))
        var seen: Set<String> = []
        return all.filter { !elsewhere.contains($0) && seen.insert($0).inserted }
    }

    /// 127.9.0.0/16 is kept free: nobody listens there.
    private static func isNobodys(_ address: String) -> Bool { address.hasPrefix("127.9.") }
}

/// What the report must say.
struct Expectation: Sendable {
    var exit = 0
    var verdict = "ok"
    var state: String?
    /// Rules and their severities. An error that is not named here is a failure too.
    var findings: [(key: String, value: String)] = []
    /// Rules that must not occur; `cdn.*` is a whole area.
    var absent: [String] = []
    /// The identifier of the diagnosis.
    var cause: String?
    /// What phones do, word for word.
    var effect: String?
    /// Words of the diagnosis, whatever the case.
    var diagnosis: [String] = []
    /// Words of the report as text.
    var text: [String] = []
    /// Values in the report, by path: `origin.addresses.0.status`.
    var json: [(key: String, value: JSONValue)] = []
    /// How often a host may be asked at most, over both runs.
    var requestsAtMost: [(key: String, value: Int)] = []
    var asksCDN: Bool?
}
