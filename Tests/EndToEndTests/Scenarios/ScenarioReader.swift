import Foundation
import Lab
import LabFaults
import TestSupport

extension Scenario {
    /// The folder of scenario files.
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures/scenarios")

    static let files: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".yaml") }.sorted()
    }()

    init(file: String) throws {
        try self.init(file: file, text: String(contentsOf: Self.folder.appending(path: file), encoding: .utf8))
    }

    /// - Throws: `ScenarioFault`.
    init(file: String, text: String) throws {
        name = file
        let root = try ScenarioValue.root(of: text, file: file)
        let members = try root.members([
            "about", "target", "origins", "cdn", "holes", "vantages", "domain", "check", "expect",
        ])
        guard try members.need("about", in: root).string() != "" else { throw root.fault("about what is it?") }
        if let value = members["target"] { target = try value.string() }
        if let value = members["origins"] { origins = try value.map { try Origin(host: $0, $1) }.map(\.value) }
        if let value = members["cdn"] { cdn = try CDN(value) }
        if let value = members["holes"] {
            let kinds = Dictionary(LabHole.Kind.allCases.map { ($0.rawValue, $0) }) { first, _ in first }
            holes = try value.map { try $1.choice(kinds) }
        }
        if let value = members["vantages"] { vantages = try value.map { try Vantage($1) } }
        if let value = members["domain"] { domain = try value.string() }
        if let value = members["check"] { options = try value.strings() }
        expectation = try Expectation(try members.need("expect", in: root))
    }
}

extension Scenario.Origin {
    fileprivate init(host: String, _ value: ScenarioValue) throws {
        self.init(host: host)
        let members = try value.members([
            "addresses", "answer", "certificate", "handshake", "delay_ms", "paths", "agents", "at",
        ])
        if let value = members["addresses"] { addresses = try value.strings() }
        answer = try members["answer"]?.behaviour()
        if let value = members["certificate"] { certificate = try value.certificate() }
        if let value = members["handshake"] { handshake = try value.handshake() }
        if let value = members["delay_ms"] { delay = .milliseconds(try value.int()) }
        if let value = members["paths"] { paths = try value.map { try $1.behaviour() } }
        if let value = members["agents"] { agents = try value.map { try $1.behaviour() } }
        if let value = members["at"] {
            places = try value.map { address, value in
                let members = try value.members(["answer", "certificate", "handshake", "agents"])
                return Scenario.Place(
                    answer: try members["answer"]?.behaviour(), certificate: try members["certificate"]?.certificate(),
                    handshake: try members["handshake"]?.handshake(),
                    agents: try members["agents"]?.map { try $1.behaviour() } ?? [])
            }
        }
    }
}

extension Scenario.CDN {
    fileprivate init(_ value: ScenarioValue) throws {
        let shelfKeys: Set = ["copy", "failure", "answer", "network"]
        let members = try value.members(
            shelfKeys.union(["edges", "certificate", "handshake", "at"]))
        if let value = members["edges"] { edges = try value.strings() }
        if let value = members["certificate"] { certificate = try value.certificate() }
        if let value = members["handshake"] { handshake = try value.handshake() }
        everywhere = try Scenario.Shelf(members)
        if let value = members["at"] {
            places = try value.map { try Scenario.Shelf(try $1.members(shelfKeys)) }
        }
    }
}

extension Scenario.Shelf {
    fileprivate init(_ members: [String: ScenarioValue]) throws {
        if let value = members["copy"] {
            let (reply, rest) = try value.reply(besides: ["age", "max_age", "from"])
            copy = Scenario.Copy(
                body: String(decoding: reply.body, as: UTF8.self), age: .seconds(try rest["age"]?.int() ?? 0),
                maxAge: try rest["max_age"].map { .seconds(try $0.int()) }, from: try rest["from"]?.strings())
        }
        if let value = members["failure"] {
            let keys = try value.members(["status", "reason", "details", "try_direct", "age", "max_age"])
            failure = Scenario.CDNFailure(
                status: try keys["status"]?.int() ?? 404, reason: try keys["reason"]?.string(),
                details: try keys["details"]?.string(), tryDirect: try keys["try_direct"]?.bool() ?? false,
                age: .seconds(try keys["age"]?.int() ?? 0), maxAge: try keys["max_age"].map { .seconds(try $0.int()) })
        }
        answer = try members["answer"]?.behaviour()
        if let value = members["network"] {
            network = try value.choice(["apple": LabEdgeNetwork.apple, "lumen": .lumen])
        }
    }
}

extension Scenario.Vantage {
    fileprivate init(_ value: ScenarioValue) throws {
        let members = try value.members(["scheme", "address", "proxy"])
        let schemes = ["http": "http", "socks5h": "socks5h"]
        self.init(
            scheme: try members["scheme"]?.choice(schemes) ?? "http",
            address: members["proxy"] == nil ? try members.need("address", in: value).string() : "",
            proxy: try members["proxy"]?.string())
    }
}

extension Expectation {
    fileprivate init(_ value: ScenarioValue) throws {
        let members = try value.members([
            "exit", "verdict", "state", "findings", "absent", "cause", "effect", "diagnosis", "text", "json",
            "requests_at_most",
            "asks_cdn",
        ])
        exit = try members.need("exit", in: value).int()
        let verdicts = ["ok": "ok", "warning": "warning", "failing": "failing", "unknown": "unknown"]
        verdict = try members.need("verdict", in: value).choice(verdicts)
        state = try members["state"]?.string()
        let severities = ["error": "error", "warning": "warning", "note": "note"]
        if let value = members["findings"] { findings = try value.map { try $1.choice(severities) } }
        if let value = members["absent"] { absent = try value.strings() }
        cause = try members["cause"]?.string()
        effect = try members["effect"]?.string()
        if let value = members["diagnosis"] { diagnosis = try value.strings() }
        if let value = members["text"] { text = try value.strings() }
        if let value = members["json"] { json = try value.map { try $1.json() } }
        if let value = members["requests_at_most"] { requestsAtMost = try value.map { try $1.int() } }
        asksCDN = try members["asks_cdn"]?.bool()
    }
}
