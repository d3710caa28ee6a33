// A scenario on a stage: its hosts, edges, unreachable addresses and proxies, and the command line for them.

import ArgumentParser
import Evidence
import Foundation
import Lab
import LabFaults

@testable import Commands
@testable import FileCommands

/// A scenario whose servers run.
struct ScenarioStage {
    let scenario: Scenario
    let stage: Stage
    private let holes: [LabHole]
    private let proxies: [LabProxy]

    static func with(_ scenario: Scenario, _ body: (ScenarioStage) async throws -> Void) async throws {
        try await Stage.with(addresses: scenario.labAddresses) { stage in
            let set = try await ScenarioStage(scenario, stage)
            do {
                try await body(set)
            } catch {
                await set.close()
                throw error
            }
            await set.close()
        }
    }

    private init(_ scenario: Scenario, _ stage: Stage) async throws {
        self.scenario = scenario
        self.stage = stage
        for origin in scenario.origins { origin.play(on: stage.lab) }
        scenario.cdn.play(on: stage.lab.cdn, host: scenario.host)
        var holes: [LabHole] = []
        for (address, kind) in scenario.holes {
            holes.append(try await LabHole.taking(kind, address: address, port: stage.lab.port))
        }
        self.holes = holes
        var proxies: [LabProxy] = []
        var lines: [String] = []
        for (name, vantage) in scenario.vantages {
            if let proxy = vantage.proxy {
                lines.append("  - {name: \(name), proxy: \"\(proxy)\"}")
                continue
            }
            let proxy = try await LabProxy.start(to: vantage.address, port: stage.lab.port)
            proxies.append(proxy)
            lines.append("  - {name: \(name), proxy: \"\(vantage.scheme)://127.0.0.1:\(proxy.port)\"}")
        }
        self.proxies = proxies
        guard hasConfiguration else { return }
        let further = (scenario.domain ?? "").split(separator: "\n").map { "    \($0)\n" }.joined()
        try stage.write(
            "monitor.yaml",
            """
            version: 1
            domains:
              - domain: \(scenario.host)
            \(further)
            vantages:\(lines.isEmpty ? " []" : "\n" + lines.joined(separator: "\n"))
            store: {path: none.db}
            """)
    }

    private func close() async {
        for hole in holes { hole.close() }
        for proxy in proxies { await proxy.shutdown() }
    }

    private var hasConfiguration: Bool { !scenario.vantages.isEmpty || scenario.domain != nil }

    /// Each host at its own addresses, all on the lab's port. Requests for other hosts go to the lab's first address.
    private var network: [String] {
        let port = stage.lab.port
        let hosts = scenario.origins.map { ($0.host, $0.addresses) } + [(LabCDN.host, scenario.cdn.edges)]
        return ["--cacert", stage.lab.caFile, "--cdn-url", stage.lab.cdnBaseURL]
            + hosts.flatMap { host, addresses in
                [
                    "--connect-to", "\(host):443:\(host):\(port)", "--resolve",
                    "\(host):\(port):\(addresses.joined(separator: ","))",
                ]
            } + ["--connect-to", stage.lab.connectTo]
            + (hasConfiguration ? ["--config", stage.path("monitor.yaml")] : [])
    }

    /// The scenario's own options come first: for each host, the first matching rule counts. Without a time limit of its
    /// own it has that of the tests.
    private var arguments: [String] {
        let limit = scenario.options.contains("--max-time") ? [] : ["--max-time", Stage.patience]
        return scenario.options + limit + network + [scenario.target]
    }

    /// Runs the check with the program.
    func check(format: String) async throws -> MonitorProcess {
        // With the evidence, for a person who reads the failure.
        try await stage.run(["check", "-v", "--format", format] + arguments)
    }

    /// Runs the check in this process, like the command. A scenario tests the evaluation, and starting the program
    /// costs more than that.
    func report() async throws -> CheckReport {
        let command = try await CheckCommand.asyncParse(arguments)
        let target = try Targets.read(command.targets)[0]
        // Only its own configuration: this process's folder has one, too.
        let checker = try OneShotChecker(
            network: command.network, asksCDN: command.asksCDN, targets: 1,
            configuration: command.network.configurationPath.map(ConfigurationOptions.load),
            expectations: command.expectations.read(for: [target.domain]))
        return try await checker.close { try await checker.check(target, depth: command.depth) }
    }
}

extension Scenario.Origin {
    fileprivate func play(on lab: Lab) {
        let origin = lab.origin(host)
        origin.certificate = certificate
        origin.handshake = handshake
        origin.behaviour = slowed(.reply(.status(404)))
        if let answer { origin.on(path: LabOrigin.wellKnownPath, slowed(answer)) }
        for (path, behaviour) in paths {
            // `*`: every other path of the site answers like this.
            if path == "*" { origin.behaviour = slowed(behaviour) } else { origin.on(path: path, slowed(behaviour)) }
        }
        for (agent, behaviour) in agents { origin.on(userAgentContaining: agent, slowed(behaviour)) }
        for (address, place) in places {
            origin.on(address: address, place.answer.map(slowed))
            origin.on(address: address, certificate: place.certificate)
            origin.on(address: address, handshake: place.handshake)
            for (agent, behaviour) in place.agents {
                origin.on(address: address, userAgentContaining: agent, slowed(behaviour))
            }
        }
    }

    private func slowed(_ behaviour: LabBehaviour) -> LabBehaviour {
        delay > .zero ? .after(delay, behaviour) : behaviour
    }
}

extension Scenario.CDN {
    fileprivate func play(on cdn: LabCDN, host: String) {
        cdn.certificate = certificate
        cdn.handshake = handshake
        everywhere.play(on: cdn, host: host, edge: nil)
        for (edge, shelf) in places { shelf.play(on: cdn, host: host, edge: edge) }
    }
}

extension Scenario.Shelf {
    fileprivate func play(on cdn: LabCDN, host: String, edge: String?) {
        if let copy {
            cdn.holds(host, body: copy.body, age: copy.age, maxAge: copy.maxAge, from: copy.from, edge: edge)
        }
        if let failure {
            cdn.fails(
                host, status: failure.status, reason: failure.reason, details: failure.details,
                tryDirect: failure.tryDirect, age: failure.age, maxAge: failure.maxAge, edge: edge)
        }
        if let answer { cdn.behaves(host, answer, edge: edge) }
        if let network, let edge { cdn.belongs(edge: edge, to: network) }
    }
}
