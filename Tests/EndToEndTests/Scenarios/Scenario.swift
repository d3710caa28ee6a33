// The content of a scenario file: which address answers what, how `check` is called, and what it must report.

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

    /// One address of an origin, if it differs from the others.
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

    /// What one edge, or all of them, serves for the target.
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

    /// Another vantage point.
    struct Vantage: Sendable {
        var scheme: String
        /// The lab address where its requests arrive.
        var address = ""
        /// Replaces the lab's proxy; it may not exist.
        var proxy: String?
    }

    var name: String
    var target = "site.test"
    var origins: [Origin] = []
    var cdn = CDN()
    var holes: [(key: String, value: LabHole.Kind)] = []
    var vantages: [(key: String, value: Vantage)] = []
    /// More lines of the target's entry in `monitor.yaml`.
    var domain: String?
    var options: [String] = []
    var expectation = Expectation()

    /// The host of the CDN's copy: the target may be an entitlement.
    var host: String {
        var text = target[...]
        if let colon = text.firstIndex(of: ":") { text = text[text.index(after: colon)...] }
        return String(text.prefix { $0 != "?" && $0 != "/" })
    }

    /// The addresses where the lab serves.
    var labAddresses: [String] {
        let all =
            ["127.0.0.1"] + origins.flatMap(\.addresses) + cdn.edges
            + vantages.map(\.value.address).filter { !$0.isEmpty }
        let elsewhere = Set(holes.map(\.key) + origins.flatMap(\.addresses).filter(Self.isNobodys))
        var seen: Set<String> = []
        return all.filter { !elsewhere.contains($0) && seen.insert($0).inserted }
    }

    /// 127.9.0.0/16 is kept free: nothing listens there.
    private static func isNobodys(_ address: String) -> Bool { address.hasPrefix("127.9.") }
}

/// What the report must say.
struct Expectation: Sendable {
    var exit = 0
    var verdict = "ok"
    var state: String?
    /// Rules and their severities. An error that is not named here fails the test.
    var findings: [(key: String, value: String)] = []
    /// Rules that must not occur; `cdn.*` means all CDN rules.
    var absent: [String] = []
    /// The identifier of the diagnosis.
    var cause: String?
    /// What phones do, verbatim.
    var effect: String?
    /// Words of the diagnosis, ignoring case.
    var diagnosis: [String] = []
    /// Words of the text report.
    var text: [String] = []
    /// Values in the JSON report by path: `origin.addresses.0.status`.
    var json: [(key: String, value: JSONValue)] = []
    /// The most requests to a host, over both runs.
    var requestsAtMost: [(key: String, value: Int)] = []
    var asksCDN: Bool?
}
