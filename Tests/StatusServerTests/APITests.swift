import Evidence
import Foundation
import MonitorMetrics
import StatusServer
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Monitoring

extension StatusServerSuite {
    @Suite("API")
    struct APITests {
        private let scratch: ScratchStore

        init() throws { scratch = try ScratchStore() }

        private static func object(_ answer: RawAnswer) throws -> [String: Any] {
            try #require(try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any])
        }

        private static func names(_ answer: RawAnswer) throws -> [String] {
            try #require(try object(answer)["domains"] as? [[String: Any]]).compactMap { $0["domain"] as? String }
        }

        private func fill() async throws -> [WatchedDomain] {
            var states: [DomainState] = []
            var watched: [WatchedDomain] = []
            for index in 0..<12 {
                let isStale = index % 4 == 1
                let name = "\(index < 6 ? "a" : "b")\(index).test"
                watched.append(try info(name, labels: ["team": index % 2 == 0 ? "even" : "odd"]))
                states.append(
                    try state(
                        name, isStale ? .failing : .ok,
                        comparison: Comparison(state: isStale ? .stale : .inSync, lagSeconds: isStale ? 90_000 : nil)))
            }
            try await scratch.commit(states)
            return watched.reversed()
        }

        static let lists: [(query: String, names: [String])] = [
            ("prefix=b", ["b10.test", "b11.test", "b6.test", "b7.test", "b8.test", "b9.test"]),
            ("prefix=B1", ["b10.test", "b11.test"]), ("state=stale", ["a1.test", "a5.test", "b9.test"]),
            ("state=stale&limit=2", ["a1.test", "a5.test"]), ("state=stale&cursor=a5.test", ["b9.test"]),
            ("label=team%3Aodd&prefix=a", ["a1.test", "a3.test", "a5.test"]), ("label=team:none", []),
            ("limit=2", ["a0.test", "a1.test"]), ("limit=2&cursor=a1.test", ["a2.test", "a3.test"]),
        ]

        @Test("domains are listed by name, filtered and in pages", arguments: lists)
        func list(query: String, names: [String]) async throws {
            try await scratch.serving(watched: try await fill()) { port in
                let answer = try await ask(port, "/api/v1/domains?\(query)")
                #expect(answer.status == 200, "\(answer.body)")
                #expect(try Self.names(answer) == names)
            }
        }

        @Test("pages of any size make up the whole list, and the last one has no next", arguments: [1, 5, 12])
        func pages(limit: Int) async throws {
            try await scratch.serving(watched: try await fill()) { port in
                for filter in ["", "&state=in_sync"] {
                    var seen: [String] = []
                    var cursor: String? = ""
                    while let place = cursor {
                        let answer = try await ask(port, "/api/v1/domains?limit=\(limit)&cursor=\(place)\(filter)")
                        seen += try Self.names(answer)
                        cursor = try Self.object(answer)["next"] as? String
                    }
                    #expect(seen.count == (filter.isEmpty ? 12 : 9))
                    #expect(seen == seen.sorted() && Set(seen).count == seen.count)
                }
            }
        }

        static let faults: [(method: String, target: String, status: Int, code: String)] = [
            ("GET", "/api/v1/domains?limit=0", 400, "bad_request"), ("GET", "/api/v1/domains?x=1", 400, "bad_request"),
            ("GET", "/api/v1/domains?state=old", 400, "bad_request"),
            ("GET", "/api/v1/domains?label=team", 400, "bad_request"),
            ("GET", "/api/v1/domains?limit=1&limit=2", 400, "bad_request"),
            ("GET", "/api/v1/domains/none.test?x=1", 400, "bad_request"),
            ("GET", "/api/v1/incidents/0123?x=1", 400, "bad_request"),
            ("GET", "/api/v1/deliveries/1?x=1", 400, "bad_request"),
            ("GET", "/api/v1/deliveries?cursor=x", 400, "bad_request"),
            ("GET", "/api/v1/silences?x=1", 400, "bad_request"),
            ("GET", "/api/v1/domains/none.test/check", 405, "method_not_allowed"),
            ("GET", "/api/v1/domains/none.test", 404, "not_found"),
            ("GET", "/api/v1/domains/none.test/history", 404, "not_found"),
            ("GET", "/api/v1/incidents?cursor=x", 400, "bad_request"),
            ("GET", "/api/v1/incidents?kind=x", 400, "bad_request"),
            ("GET", "/api/v1/incidents/none", 404, "not_found"),
            ("GET", "/api/v1/nothing", 404, "not_found"), ("PUT", "/api/v1/domains", 405, "method_not_allowed"),
            ("POST", "/api/v1/domains/none.test/check", 404, "not_found"),
            ("POST", "/api/v1/silences", 415, "unsupported_media_type"),
        ]

        @Test("every refusal is JSON with a code, a sentence and the id of the request", arguments: faults)
        func fault(method: String, target: String, status: Int, code: String) async throws {
            try await scratch.serving(watched: [try info("a.test")]) { port in
                let answer = try await ask(port, target, method: method)
                #expect(answer.status == status)
                #expect(answer.headers["content-type"] == "application/json")
                #expect(answer.headers["content-length"] == "\(answer.body.utf8.count)")
                let error = try #require(try Self.object(answer)["error"] as? [String: Any])
                #expect(error["code"] as? String == code)
                #expect((error["message"] as? String)?.isEmpty == false)
                #expect(error["request_id"] as? String == answer.headers["x-request-id"])
                #expect(error.count == 3)
            }
        }

        @Test("a known ETag gets 304 without a body; a new check changes the ETag")
        func entityTag() async throws {
            let watched = try await fill()
            try await scratch.serving(watched: watched) { [scratch] port in
                let path = "/api/v1/domains/a0.test"
                let first = try await ask(port, path)
                let tag = try #require(first.headers["etag"])
                #expect(first.headers["cache-control"] == "private, no-cache")
                for known in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
                    let again = try await ask(port, path, headers: ["If-None-Match: \(known)"])
                    #expect(again.status == 304, "\(known)")
                    #expect(again.body.isEmpty && again.headers["etag"] == tag)
                }
                #expect(try await ask(port, path, headers: ["If-None-Match: \"x\""]).status == 200)
                try await scratch.commit([try state("a0.test", .failing, checkedAt: noon)])
                #expect(try await ask(port, path, headers: ["If-None-Match: \(tag)"]).status == 200)
            }
        }

        private func openIncidents() async throws {
            let kinds: [IncidentKind] = [.cdnStale, .originBroken, .cdnMissing]
            for index in 0..<9 {
                var one = try incident(
                    String(repeating: "\(index)", count: 32), index % 2 == 0 ? "a.test" : "b.test", kinds[index % 3],
                    index < 6 ? .resolved : index == 8 ? .pending : .firing)
                one.openedAt = noon - 3600 + Double(index / 2)
                if one.state == .resolved { one.resolvedAt = noon }
                let facts = IncidentFacts(diagnosis: .saying("It is old."))
                try await scratch.store.commit(
                    Evaluation(
                        state: DomainState(domain: try #require(one.domain)),
                        changes: [IncidentChange(incident: one, facts: facts, transition: .firing)]))
            }
        }

        static let incidentLists: [(query: String, first: [Int])] = [
            ("", [7, 6, 5, 4, 3, 2, 1, 0]), ("?state=open", [7, 6]), ("?state=firing", [7, 6]),
            ("?state=recovering", []),
            ("?state=resolved&domain=a.test", [4, 2, 0]), ("?kind=cdn.stale", [6, 3, 0]),
            ("?kind=cdn.stale&domain=b.test", [3]), ("?domain=none.test", []),
        ]

        @Test("incidents are listed newest first, filtered, in pages without gaps", arguments: incidentLists)
        func incidents(query: String, first: [Int]) async throws {
            try await openIncidents()
            try await scratch.serving(watched: []) { port in
                for limit in [2, 3, 50] {
                    var seen: [Int] = []
                    var cursor: String? = ""
                    while let place = cursor {
                        let separator = query.isEmpty ? "?" : "&"
                        let answer = try await ask(
                            port, "/api/v1/incidents\(query)\(separator)limit=\(limit)&cursor=\(place)")
                        let object = try Self.object(answer)
                        let entries = try #require(object["incidents"] as? [[String: Any]])
                        seen += entries.compactMap { ($0["id"] as? String)?.first?.wholeNumberValue }
                        #expect(entries.allSatisfy { ($0["effect"] as? String)?.isEmpty == false })
                        cursor = object["next"] as? String
                    }
                    #expect(seen == first, "\(limit)")
                }
            }
        }

        static let checks: [(MonitorActions.CheckAnswer, Int)] = [
            (.done, 200), (.underWay, 202), (.tooOften(retryAfter: 7), 429), (.notWatched, 404),
        ]

        @Test("an immediate check is passed to the monitor, and its result is the answer", arguments: checks)
        func check(answer: MonitorActions.CheckAnswer, status: Int) async throws {
            let asked = Mutex<[Domain]>([])
            let actions = MonitorActions(checkNow: { domain, _ in
                asked.withLock { $0.append(domain) }
                return answer
            })
            try await scratch.serving(watched: [try info("a.test")], actions: actions) { port in
                let path = "/api/v1/domains/a.test/check"
                let done = try await ask(port, path, method: "POST")
                #expect(done.status == status)
                #expect(done.headers["retry-after"] == (status == 429 ? "7" : nil))
                if status == 200 { #expect(try Self.object(done)["domain"] as? String == "a.test") }
                #expect(
                    try await ask(port, path, method: "POST", headers: ["Origin: https://evil.example"]).status == 403)
                #expect(try await ask(port, path).status == 405)
            }
            #expect(asked.withLock(\.self) == [try Domain("a.test")])
        }

        @Test("a configured channel is retried at once, unless its receiver asked to wait")
        func retry() async throws {
            for (name, reason) in [("ops", .failing), ("slow", .throttled), ("removed", .failing)]
                as [(String, ChannelRecord.Hold.Reason)]
            {
                try await scratch.store.transact(channel: name) { channel in
                    var record = ChannelRecord(name: name, type: "slack")
                    record.hold = ChannelRecord.Hold(until: noon + 600, reason: reason)
                    try channel.save(record)
                }
            }
            let actions = MonitorActions(hasChannel: { $0 != "removed" })
            try await scratch.serving(watched: [], actions: actions) { [scratch] port in
                func retry(_ name: String, _ headers: [String] = []) async throws -> RawAnswer {
                    try await ask(port, "/api/v1/channels/\(name)/retry", method: "POST", headers: headers)
                }
                #expect(try await retry("ops", ["Origin: https://evil.example"]).status == 403)
                let untouched = try await scratch.store.channelRecords()
                #expect(untouched.count { $0.hold != nil } == 3)
                #expect(
                    try await retry("ops").body
                        == #"{"channel":"ops","held_until":null,"pending":0,"schema":"aasa-monitor/retry/v1"}"#)
                #expect(
                    try await retry("slow").body
                        == #"{"channel":"slow","held_until":"2026-11-21T07:10:00Z","pending":0,"#
                        + #""schema":"aasa-monitor/retry/v1"}"#)
                for name in ["removed", "none"] { #expect(try await retry(name).status == 404) }
                #expect(try await ask(port, "/api/v1/channels/ops/retry").status == 405)
            }
            let records = try await scratch.store.channelRecords()
            #expect(records.filter { $0.hold != nil }.map(\.name) == ["removed", "slow"])
        }

        @Test("pending notifications of a removed channel do not count in the API or on the page")
        func removedChannel() async throws {
            let firing = try await scratch.fire()
            for name in ["ops", "removed"] {
                try await scratch.store.transact(channel: name) { channel in
                    try channel.save(ChannelRecord(name: name, type: "slack"))
                    var row = NotificationRecord(incidentID: firing.id)
                    row.pendingSince = noon
                    try channel.save(row, of: firing)
                }
            }
            for (names, words) in [(["ops"], "1 pending, "), ([], "0 pending, ")] as [(Set<String>, String)] {
                let actions = MonitorActions(hasChannel: { names.contains($0) })
                try await scratch.serving(
                    watched: [try info("a.test")], actions: actions, health: MonitorHealth(channels: 1)
                ) { port in
                    let deliveries = try await ask(port, "/api/v1/deliveries").body
                    #expect(deliveries.contains(#""channel":"ops""#) == names.contains("ops"))
                    #expect(!deliveries.contains("removed"))
                    let page = try await ask(port, "/").body
                    #expect(page.contains(words), "\(page.prefix(3000))")
                }
            }
        }

        /// The keys of all pages, two items per page.
        private static func keys(_ port: Int, _ filter: String) async throws -> [String] {
            var seen: [String] = []
            var cursor: String? = ""
            while let place = cursor {
                let answer = try await ask(port, "/api/v1/deliveries?limit=2&cursor=\(place)\(filter)")
                let page = try object(answer)
                let deliveries = try #require(page["deliveries"] as? [[String: Any]])
                #expect(deliveries.count <= 2 && !deliveries.isEmpty)
                for entry in deliveries {
                    #expect(entry["error"] as? String == (entry["outcome"] as? String == "refused" ? "ok" : nil))
                }
                seen += deliveries.compactMap { $0["message_key"] as? String }
                let pending = try #require(page["pending"] as? [[String: Any]])
                #expect(
                    pending.compactMap { $0["channel"] as? String } == (filter.isEmpty ? ["ops", "slow"] : ["slow"]))
                cursor = page["next"] as? String
            }
            return seen
        }

        @Test(
            "deliveries come in pages; a channel's list has only its own; a delivered one has no error"
        )
        func deliveryPages() async throws {
            let firing = try await scratch.fire()
            for name in ["ops", "slow"] {
                try await scratch.store.transact(channel: name) { channel in
                    try channel.save(ChannelRecord(name: name, type: "slack"))
                    var row = NotificationRecord(incidentID: firing.id)
                    row.pendingSince = noon
                    try channel.save(row, of: firing)
                    for index in 0..<3 {
                        try channel.log(
                            DeliveryRecord(
                                channel: name, incidentID: firing.id, type: .firing, reason: .firing, version: 1,
                                key: "\(name)\(index)", at: noon - Double(index), attempts: 1,
                                outcome: index == 0 ? .refused : .delivered, status: 200, error: "ok"))
                    }
                }
            }
            try await scratch.serving(watched: [try info("a.test")]) { port in
                let all = try await Self.keys(port, "")
                #expect(all == ["slow0", "ops0", "slow1", "ops1", "slow2", "ops2"])
                #expect(try await Self.keys(port, "&channel=slow") == ["slow0", "slow1", "slow2"])
            }
        }

        @Test("HEAD has the headers of GET", arguments: ["/api/v1/domains", "/api/v1/silences", "/openapi.json"])
        func head(_ path: String) async throws {
            try await scratch.serving(watched: try await fill()) { port in
                let (whole, head) = (try await ask(port, path), try await ask(port, path, method: "HEAD"))
                #expect(head.status == 200 && head.body.isEmpty)
                #expect(head.headers["etag"] == whole.headers["etag"] && whole.headers["etag"] != nil)
                #expect(head.headers["content-length"] == "\(whole.body.utf8.count)")
                let again = try await ask(
                    port, path, method: "HEAD", headers: ["If-None-Match: \(whole.headers["etag"] ?? "")"])
                #expect(again.status == 304)
            }
        }

        @Test("a probe gives metrics, or says why not")
        func probe() async throws {
            let actions = MonitorActions(probe: { target, isFull in
                switch target {
                case "a.test":
                    var exposition = Exposition()
                    exposition.family("probe_success", .gauge, "Help", [(Labels(), isFull ? 0 : 1)])
                    return .metrics(exposition)
                case "busy.test": return .busy
                default: return .refused("not watched")
                }
            })
            try await scratch.serving(watched: [], actions: actions) { port in
                let answer = try await ask(port, "/probe?target=a.test")
                #expect(answer.status == 200 && answer.body.hasSuffix("\nprobe_success 1\n"))
                #expect(answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
                #expect(try await ask(port, "/probe?target=a.test&module=full").body.hasSuffix("\nprobe_success 0\n"))
                let refused = try await ask(port, "/probe?target=b.test")
                #expect(refused.status == 400 && refused.body == "not watched\n")
                #expect(try await ask(port, "/probe?target=busy.test").status == 503)
                #expect(try await ask(port, "/probe").status == 400)
                #expect(try await ask(port, "/probe?target=a.test&module=x").status == 400)
            }
        }

        @Test(
            "clients that prefer OpenMetrics get it",
            arguments: [
                (nil, false), ("*/*", false), ("text/plain", false), ("application/openmetrics-text", true),
                // From Prometheus 2, and from Prometheus 3 that is configured to prefer text.
                (
                    "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
                        + "text/plain;version=0.0.4;q=0.5,*/*;q=0.1", true
                ),
                ("text/plain;version=0.0.4;q=0.6,application/openmetrics-text;version=1.0.0;q=0.5,*/*;q=0.4", false),
                ("application/openmetrics-text;q=0", false), ("APPLICATION/OpenMetrics-Text ; q=1", true),
                ("application/openmetrics-text;q=x", false),
            ] as [(String?, Bool)])
        func openMetrics(accept: String?, isOpen: Bool) async throws {
            let metrics: @Sendable () async throws -> Exposition = {
                var exposition = Exposition()
                exposition.family("a_total", .counter, "Help", [(Labels(), 1)])
                return exposition
            }
            try await scratch.serving(watched: [], metrics: metrics) { port in
                let answer = try await ask(port, "/metrics", headers: accept.map { ["Accept: \($0)"] } ?? [])
                let type = answer.headers["content-type"] ?? ""
                #expect(
                    type.hasPrefix(isOpen ? "application/openmetrics-text; version=1.0.0" : "text/plain; version=0.0.4")
                )
                #expect(answer.body.contains(isOpen ? "# TYPE a counter\n" : "# TYPE a_total counter\n"))
                #expect(answer.body.hasSuffix(isOpen ? "\na_total 1\n# EOF\n" : "\na_total 1\n"))
            }
        }

        @Test("answers are counted by their status code")
        func counted() async throws {
            let requests = Counter()
            try await scratch.serving(watched: [], requests: requests) { port in
                for path in ["/healthz", "/healthz", "/nowhere", "/probe"] { _ = try await ask(port, path) }
            }
            var exposition = Exposition()
            requests.write("r_total", "Help", to: &exposition)
            let text = String(decoding: exposition.bytes(as: .text), as: UTF8.self)
            #expect(
                text.split(separator: "\n").dropFirst(2) == [
                    #"r_total{code="200"} 2"#, #"r_total{code="400"} 1"#, #"r_total{code="404"} 1"#,
                ])
        }

        @Test(
            "readiness needs no token, and says why it is not ready",
            arguments: [
                (MonitorHealth(), "ready\n"),
                (MonitorHealth(lateness: 61), "not ready: checks start 61 s late\n"),
                (MonitorHealth(isStoreFailing: true), "not ready: the store accepts no writes\n"),
            ])
        func readiness(health: MonitorHealth, words: String) async throws {
            try await scratch.serving(watched: [], token: "s3cret", health: health) { [scratch] port in
                let client = try RawClient(port: port)
                try client.send("GET /readyz HTTP/1.1\r\nHost: 10.1.2.3:9630\r\nConnection: close\r\n\r\n")
                let answer = RawAnswer(try await client.receive())
                #expect(answer.status == (words == "ready\n" ? 200 : 503))
                #expect(answer.body == words)
                try scratch.store.close()
                let away = try await ask(port, "/readyz")
                #expect(away.status == 503 && away.body == "not ready: the store cannot be read\n")
                #expect(try await ask(port, "/healthz").status == 200)
            }
        }
    }
}
