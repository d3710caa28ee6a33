// A lab, a folder, and the processes started in it, for one test.

import Foundation
import Lab
import LabFaults
import Synchronization
import TestSupport

struct Stage: Sendable {
    /// How long a test waits for an event that must come: much longer than on a busy machine. It only ends a test that
    /// would hang.
    static let timeout = waitLimit

    /// The same in seconds, for curl and the program: for requests that must get an answer.
    static let patience = "\(timeout.components.seconds)"

    let folder: URL
    private let ownLab: Lab?
    private let started = Children()

    private final class Children: Sendable {
        let list = Mutex<[MonitorProcess]>([])
        let ports = Mutex<[HeldPort]>([])
    }

    private init(lab: Lab?, folder: URL) {
        ownLab = lab
        self.folder = folder
    }

    /// Runs a test on its own stage. Whatever happens, no process, port or file of it is left.
    static func with(addresses: [String] = ["127.0.0.1"], _ body: (Stage) async throws -> Void) async throws {
        try await perform(addresses: addresses, body)
    }

    /// The same without a lab, for commands that contact no server. The lab's keys and certificates cost more than many
    /// commands.
    static func withoutLab(_ body: (Stage) async throws -> Void) async throws {
        try await perform(addresses: nil, body)
    }

    private static func perform(addresses: [String]?, _ body: (Stage) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "aasa-e2e-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var lab: Lab?
        if let addresses { lab = try await Lab.start(caFile: folder.appending(path: "ca.pem"), addresses: addresses) }
        let stage = Stage(lab: lab, folder: folder)
        do {
            try await body(stage)
        } catch {
            await stage.tearDown()
            throw error
        }
        await stage.tearDown()
    }

    private func tearDown() async {
        for process in started.list.withLock(\.self) where process.end == nil {
            process.signal(SIGKILL)
            _ = try? await process.ended()
        }
        await ownLab?.shutdown()
    }

    var hasLab: Bool { ownLab != nil }

    var lab: Lab {
        guard let ownLab else { preconditionFailure("a stage without a lab was asked for it") }
        return ownLab
    }

    /// A port that belongs to this stage until its end.
    func port(at addresses: [String] = ["127.0.0.1"]) throws -> Int {
        let held = try HeldPort(at: addresses)
        started.ports.withLock { $0.append(held) }
        return held.number
    }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: folder.appending(path: name), options: .atomic)
    }

    // MARK: - Running

    func start(
        _ arguments: [String], input: String = "", environment: [String: String] = [:], output: FileHandle? = nil,
        errors: FileHandle? = nil
    ) throws -> MonitorProcess {
        let process = try MonitorProcess(
            arguments, folder: folder, input: input, environment: environment, output: output, errors: errors)
        started.list.withLock { $0.append(process) }
        return process
    }

    func run(
        _ arguments: [String], input: String = "", environment: [String: String] = [:]
    ) async throws -> MonitorProcess {
        let process = try start(arguments, input: input, environment: environment)
        try await process.ended()
        return process
    }

    /// Starts another program of this machine, such as openssl.
    func tool(
        _ name: String, _ arguments: [String], input: String = "", environment: [String: String] = [:],
        output: FileHandle? = nil
    ) throws -> MonitorProcess {
        let process = try MonitorProcess(
            [name] + arguments, executable: URL(filePath: "/usr/bin/env"), folder: folder, input: input,
            environment: environment, output: output)
        started.list.withLock { $0.append(process) }
        return process
    }

    /// The options that send the program's requests to the lab.
    var route: [String] {
        ["--cacert", lab.caFile, "--connect-to", lab.connectTo, "--cdn-url", lab.cdnBaseURL]
    }

    /// The same, for a command other than `watch`, whose time limit is that of the whole watch. On a busy machine a
    /// request takes longer than a user would wait, so the time limit is that of the tests, unless later arguments set
    /// one.
    var network: [String] { route + ["--max-time", Self.patience] }

    /// The options that send the program's requests to the lab, with several CDN addresses, each an edge.
    func edges(_ addresses: [String]) -> [String] {
        [
            "--cacert", lab.caFile, "--cdn-url", lab.cdnBaseURL,
            "--resolve", "edges.test:\(lab.port):\(addresses.joined(separator: ","))",
            "--connect-to", "\(LabCDN.host):443:edges.test:\(lab.port)", "--connect-to", lab.connectTo,
        ]
    }

    func check(_ arguments: [String], input: String = "") async throws -> MonitorProcess {
        try await runNotSlow(["check"] + network + arguments, input: input)
    }

    /// Starts `watch`. A configuration gives its requests the longest time limit that there is.
    func watch(
        _ arguments: [String], edges: [String]? = nil, input: String = "", output: FileHandle? = nil
    ) throws -> MonitorProcess {
        try write(
            "patient.yaml",
            "version: 1\ndefaults: {timeout: 5m}\ndomains: [site.test]\nstore: {path: none.db}\n")
        let route = edges.map(self.edges) ?? route
        return try start(
            ["watch", "--every", "1s", "--config", "patient.yaml"] + route + arguments, input: input, output: output)
    }

    /// The JSON report of one target.
    func report(_ target: String, _ options: [String] = []) async throws -> JSONValue {
        try await check(["--format", "json"] + options + [target]).json()
    }

    /// The JSON reports of several hosts by name, from one run. Only the slow ones are repeated: among many, one is slow
    /// nearly every time.
    func reports(_ hosts: [String], _ options: [String] = []) async throws -> [String: JSONValue] {
        var reports: [String: JSONValue] = [:]
        var left = hosts
        for _ in 0..<20 where !left.isEmpty {
            if !reports.isEmpty { lab.forgetRequests(of: left) }
            let process = try await run(["check"] + network + ["--format", "jsonl"] + options + left)
            for line in process.output.split(separator: "\n") {
                let report = try JSONValue(String(line))
                reports[report["domain"].string ?? ""] = report
            }
            left = left.filter { reports[$0]?.rules.isDisjoint(with: Self.slowRules) == false }
        }
        return reports
    }

    /// The findings about how long something took.
    static let slowRules: Set = ["origin.slow", "monitor.name-server-slow"]

    /// Finds them in any format, also where the text is wrapped.
    static var slow: Regex<Substring> {
        /origin\.slow|first\s+byte\s+came|monitor\.name-server-slow|to\s+find\s+the\s+address/
    }

    /// On a busy machine any origin and name server is slow. Such a check does not count, nor do the requests until then;
    /// it is repeated.
    func notSlow(_ check: () async throws -> MonitorProcess) async throws -> MonitorProcess {
        try await repeated(check) { $0.output.contains(Self.slow) }
    }

    func runNotSlow(
        _ arguments: [String], input: String = "", environment: [String: String] = [:]
    ) async throws -> MonitorProcess {
        try await notSlow { try await run(arguments, input: input, environment: environment) }
    }

    func repeated<Answer>(
        _ check: () async throws -> Answer, while isSlow: (Answer) -> Bool
    ) async throws -> Answer {
        try await attempt(check) { answer in
            guard isSlow(answer) else { return false }
            ownLab?.forgetRequests()
            return true
        }
    }
}

/// An association file with its version in a path.
func file(_ version: String = "v1") -> String {
    #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/\#(version)/*"}]}]}}"#
}

extension JSONValue {
    var rules: Set<String> { Set(self["findings"].elements.compactMap { $0["rule"].string }) }

    var errorRules: Set<String> {
        Set(self["findings"].elements.filter { $0["severity"] == .string("error") }.compactMap { $0["rule"].string })
    }

    func finding(_ rule: String) -> JSONValue {
        self["findings"].elements.first { $0["rule"].string == rule } ?? .absent
    }
}

extension String {
    /// - Throws: if one of the texts does not occur exactly once: then the shipped file has changed.
    func replacing(once pairs: [(String, String)]) throws -> String {
        try pairs.reduce(self) { text, pair in
            guard text.components(separatedBy: pair.0).count == 2 else {
                throw NeverCame(what: "'\(pair.0)', once", seen: text)
            }
            return text.replacing(pair.0, with: pair.1)
        }
    }
}
