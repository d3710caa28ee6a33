import Evidence
import Foundation
import MonitorMetrics
import Monitoring
import StatusServer
import Storage
import TestSupport
import Testing

extension StatusServerSuite {
    /// Compares the description of the API with real answers from a store with a history.
    @Suite("OpenAPI")
    struct OpenAPITests {
        private static let domain = "a.test"
        private let scratch: ScratchStore

        init() throws { scratch = try ScratchStore() }

        /// Apple's CDN followed six changes. Of the seventh, one edge has been behind for two days.
        private func fill() async throws {
            func file(_ version: Int) -> Reply {
                .file(SampleFile.version(version)).expiring(at: noon + 90 * 86_400)
            }
            var state = DomainState(domain: try Domain(Self.domain))
            var at = noon - 30 * 86_400
            func check(_ origin: Reply, _ edges: [Reply], at now: Date) async throws {
                let scene = Scene.calm(origin).edges(edges).with {
                    $0.vantages = [("outside", Reply.status(403).redirected(to: "https://www.a.test/"))]
                }
                let seen = try Observation.of(Self.domain, at: now, origin: origin, cdn: edges[0], scene: scene)
                let made = evaluate(
                    state, seen,
                    Policy(
                        CheckSettings(
                            failureThreshold: 1,
                            ignore: [
                                IgnoredRule(
                                    Rule(rawValue: "origin.vantage-refused"), reason: "by country",
                                    until: CalendarDay("2999-12-31"))
                            ])), now: now, wall: now)
                try await scratch.store.commit(made, of: seen)
                state = made.state
            }
            for version in 0..<7 {
                try await check(file(version), [file(max(0, version - 1)), file(max(0, version - 1))], at: at)
                try await check(file(version), [file(version), file(version)], at: at + 7200)
                at += 86_400
            }
            try await check(file(7), [file(6), file(7)], at: noon - 3 * 86_400)
            try await check(file(7), [file(6), file(7)], at: noon - 60)
            let open = try #require(state.open[.cdnStale]?.incident)
            _ = try await scratch.store.acknowledge(
                named: open.id, Acknowledgement(asked: "eva", reason: "on it", at: noon))
            try await scratch.store.transact(channel: "ops") { channel in
                try channel.log(
                    DeliveryRecord(
                        channel: "ops", incidentID: open.id, type: .firing, reason: .firing, version: 1, key: "k",
                        at: noon - 30, attempts: 1, outcome: .delivered, status: 200))
                var pending = NotificationRecord(incidentID: open.id)
                pending.reason = .worse
                pending.pendingSince = noon - 20
                try channel.save(pending, of: open)
                try channel.save(ChannelRecord(name: "ops", type: "slack"))
            }
            _ = try await scratch.store.add(
                Silence(
                    scope: SilenceScope(domains: [try DomainPattern("b.test")]), startsAt: noon, endsAt: noon + 3600,
                    author: "eva", reason: "upgrade"))
        }

        private static let bodies: [APIEndpoint: String] = [
            .acknowledge: #"{"by": "eva", "reason": "on it"}"#,
            .addSilence: #"{"domain": "a.test", "for": "2h", "reason": "upgrade", "author": "eva"}"#,
        ]

        private func request(_ port: Int, _ endpoint: APIEndpoint, _ target: String) async throws -> RawAnswer {
            guard let body = Self.bodies[endpoint] else { return try await ask(port, target, method: endpoint.method) }
            let client = try RawClient(port: port)
            let head = [
                "\(endpoint.method) \(target) HTTP/1.1", "Host: localhost", "Connection: close",
                "Content-Type: application/json", "Content-Length: \(body.utf8.count)",
            ]
            try client.send(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
            return RawAnswer(try await client.receive())
        }

        /// Keys that a client may leave out of a body, and those that only the answer to a new silence has.
        private static let optional: Set = [
            "NewSilence.domain", "NewSilence.domains", "NewSilence.for", "NewSilence.kinds", "NewSilence.labels",
            "NewSilence.until", "NewAcknowledgement.reason", "Silence.watched_domains",
        ]

        @Test("a described object requires all its keys and allows no other")
        func strictness() throws {
            let file = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../Sources/StatusServer/Resources/openapi.json")
            let document = try JSONValue(Data(contentsOf: file))
            func loose(_ schema: JSONValue, _ name: String) -> [String] {
                let properties = schema["properties"].members
                let required = Set(schema["required"].elements.compactMap(\.string))
                // A map describes its values.
                let isClosed = schema["additionalProperties"].present.map { $0 != .bool(true) } ?? properties.isEmpty
                let isMap =
                    properties.isEmpty && schema["type"] == .string("object")
                    && schema["additionalProperties"].present == nil
                return (isClosed && !isMap ? [] : ["\(name) is open"])
                    + properties.keys.filter { !required.contains($0) && !Self.optional.contains("\(name).\($0)") }
                    .map { "\(name).\($0) is optional" }
                    + properties.flatMap { loose($0.value, "\(name).\($0.key)") }
                    + [schema["items"], schema["additionalProperties"]].compactMap(\.present)
                    .flatMap { loose($0, "\(name)[]") }
                    + (schema["anyOf"].elements + schema["oneOf"].elements).flatMap { loose($0, name) }
            }
            let schemas = document["components"]["schemas"].members
            #expect(!schemas.isEmpty && schemas.flatMap { loose($0.value, $0.key) }.sorted() == [])
        }

        @Test("each served path is documented, and each documented path and field is served")
        func description() async throws {
            try await fill()
            let actions = MonitorActions(
                checkNow: { _, _ in .done }, probe: { _, _ in .metrics(Exposition()) })
            let window = MaintenanceWindow(
                name: "night", scope: SilenceScope(domains: [try DomainPattern("*")]), days: [.mon],
                start: try #require(TimeOfDay("02:00")), extent: .lasting(.seconds(3600)), zone: .gmt, reason: "backup")
            try await scratch.serving(
                watched: [try info(Self.domain, labels: ["team": "growth"])], actions: actions, maintenance: [window]
            ) { [scratch] port in
                let document = try JSONValue(try await ask(port, "/openapi.json").body)
                let paths = document["paths"].members
                let documented = paths.flatMap { path, methods in
                    methods.keys.map { "\($0.uppercased()) \(path)" }
                }
                #expect(documented.sorted() == APIEndpoint.allCases.map(\.rawValue).sorted())

                let incident = try await scratch.store.incidents(IncidentQuery(state: .open, limit: 1)).first
                let id = try #require(incident?.incident.id)
                var judge = SchemaJudge(document)
                for endpoint in APIEndpoint.allCases {
                    let place = endpoint == .endSilence || endpoint == .delivery ? "1" : id
                    let target =
                        endpoint.path.replacing("{domain}", with: Self.domain).replacing("{id}", with: place)
                        .replacing("{channel}", with: "ops")
                        + (endpoint == .probe ? "?target=a.test" : "")
                    let answer = try await request(port, endpoint, target)
                    let operation = paths[endpoint.path]?[endpoint.method.lowercased()]
                    let content = operation?["responses"]["\(answer.status)"]["content"].present
                    #expect(
                        content != nil && answer.status < 300, "\(endpoint.rawValue): \(answer.status) \(answer.body)")
                    guard let schema = content?["application/json"]["schema"].present else { continue }
                    #expect(answer.headers["content-type"] == "application/json")
                    let faults = judge.faults(of: try JSONValue(answer.body), schema)
                    #expect(faults.isEmpty, "\(endpoint.rawValue): \(faults)\n\(answer.body)")
                }
                let fault = try JSONValue(try await ask(port, "/api/v1/incidents/none").body)
                let refusal = document["components"]["responses"]["Error"]["content"]["application/json"]["schema"]
                #expect(judge.faults(of: fault, try #require(refusal.present)).isEmpty)

                #expect(judge.unknown.isEmpty)
                let seen = Set(judge.visited.compactMap { $0.split(separator: "/").last.map(String.init) })
                let named = document["components"]["schemas"].keys
                // Bodies of requests, and an answer that only a slow check gets.
                #expect(named.subtracting(seen) == ["CheckUnderWay", "NewAcknowledgement", "NewSilence"])
            }
        }
    }
}
