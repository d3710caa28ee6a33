import Curl
import Evidence
import Foundation
import Lab
import TestTraits
import Testing

@testable import Probing

/// Every suite of this target: real requests, over loopback only.
@Suite(.timeLimit(.minutes(120)), .inTurn)
enum ProbingTests {}

/// A lab, and what it takes to probe it. `names` gives a host several of the lab's addresses; all other hosts use the
/// first.
struct Scene: Sendable {
    let lab: Lab
    let driver: CurlDriver

    /// No request with an answer reaches this limit, however busy the machine is.
    static let patience: Duration = .seconds(60)
    /// For probes of servers that never answer: long enough for everything else in the probe. Agents are asked only
    /// while a quarter of it is left.
    static let limit: Duration = .seconds(60)

    static func with(
        maximumConcurrent: Int = 16, slotTimeout: Duration = .milliseconds(100), addresses: [String] = ["127.0.0.1"],
        names: [String: [String]] = [:],
        _ body: (Scene) async throws -> Void
    ) async throws {
        let lab = try await Lab.start(addresses: addresses)
        do {
            let driver = try CurlDriver(
                network: NetworkSettings(
                    caFile: lab.caFile,
                    connectTo: names.keys.map { "\($0):443:\($0):\(lab.port)" } + [lab.connectTo],
                    resolve: names.map { "\($0):\(lab.port):\($1.joined(separator: ","))" }),
                maximumConcurrent: maximumConcurrent, slotTimeout: slotTimeout)
            do {
                try await body(Scene(lab: lab, driver: driver))
            } catch {
                await driver.shutdown()
                throw error
            }
            await driver.shutdown()
        } catch {
            await lab.shutdown()
            throw error
        }
        await lab.shutdown()
    }

    /// `other`: a driver other than the scene's.
    func probe(
        _ other: CurlDriver? = nil, timeout: Duration = Scene.patience, asksBeforeOrigin: Bool = false,
        asksEdges: Bool = true,
        vantages: [Vantage] = []
    ) -> DomainProbe {
        DomainProbe(
            driver: other ?? driver,
            settings: ProbeSettings(
                cdnBaseURL: lab.cdnBaseURL + "/", timeout: timeout, asksBeforeOrigin: asksBeforeOrigin,
                asksEdges: asksEdges, vantages: vantages, cdnRequestsPerSecond: 1000, userAgent: "probing-tests"))
    }

    /// One probe with the usual settings.
    func observe(
        _ name: String = "site.test", mode: AssociationMode = .production, depth: Depth = .light, hadFile: Bool = false,
        pages: [String] = [], timeout: Duration = Scene.patience
    ) async throws -> Observation {
        try await probe(timeout: timeout).observe(
            try Domain(name), mode: mode, depth: depth, hadFile: hadFile, pages: pages, now: instant)
    }

    func requests(_ host: String) -> [LabRequest] { lab.origin(host).requests }
}

let instant = Date(timeIntervalSince1970: 1_790_000_000)
let wellKnown = LabOrigin.wellKnownPath

/// An association file whose version is in a path.
func file(_ version: String = "v1") -> String {
    #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/\#(version)/*"}]}]}}"#
}
