// The main scenario: a change, a lagging CDN, one alert, and one recovery, whatever happens to the process in between.

import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct StoryTests {
        private static let host = "site.test"
        private static let story = ["incident.firing cdn.stale site.test", "incident.resolved cdn.stale site.test"]

        @Test("a lagging CDN is notified once, and its recovery once")
        func story() async throws {
            try await Stage.with { stage in
                let hook = try await LabReceiver.start()
                let chat = try await LabReceiver.start()
                stage.lab.origin(Self.host).serve(file("v1"))
                let watch = try Watch(
                    stage, [Self.host],
                    Watch.Settings(
                        staleAfter: Watch.soon,
                        channels: [Watch.webhook(hook.url("/in?q=1")), Watch.slack(chat.url("/services/x"))]))
                let begin = Date()
                let (process, _) = try await watch.started()
                try await watch.checks(2, of: Self.host)
                let changed = Date()
                stage.lab.origin(Self.host).serve(file("v2"))
                _ = try await hook.deliveries(count: 1, within: Stage.timeout)
                // Nobody is notified too early.
                #expect(Date().timeIntervalSince(changed) >= 1.9)
                _ = try await chat.deliveries(count: 1, within: Stage.timeout)
                stage.lab.cdn.refresh(Self.host)
                _ = try await hook.deliveries(count: 2, within: Stage.timeout)
                _ = try await chat.deliveries(count: 2, within: Stage.timeout)
                try await watch.checks(3, of: Self.host)
                #expect(hook.messages.map(\.gist) == Self.story)
                #expect(chat.received.count == 2)
                for delivery in chat.received {
                    #expect(delivery.path == "/services/x")
                    #expect(String(decoding: delivery.body, as: UTF8.self).contains(Self.host))
                    #expect(try JSONValue(delivery.body)["text"].string?.isEmpty == false)
                }
                for delivery in hook.received {
                    #expect(delivery.method == "POST")
                    #expect(delivery.path == "/in?q=1")
                    #expect(delivery.header("content-type") == "application/json")
                }
                try await Self.verify(hook.messages, since: begin, on: stage)
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                // The log contains no secret and no URL with one.
                #expect(!process.errors.contains("whsec_"))
                #expect(!process.errors.contains("/services/x"))
                await hook.shutdown()
                await chat.shutdown()
            }
        }

        /// Checks the payload against the contract, and the signature with another implementation.
        private static func verify(_ messages: [Message], since begin: Date, on stage: Stage) async throws {
            for message in messages {
                let data = message.json["data"]
                #expect(message.json.keys == ["type", "timestamp", "data"])
                #expect(
                    data.keys == [
                        "schema", "instance", "domain", "labels", "kind", "severity", "summary", "diagnosis",
                        "diagnosis_id", "effect", "cause", "action", "outlook", "note", "incident",
                        "comparison", "findings", "links",
                    ])
                #expect(data["schema"] == .string("aasa-monitor/alert/v1"))
                // The keys of the contract, and the other keys of the API's incident.
                #expect(
                    data["incident"].keys
                        == Set(["id", "state", "since", "opened_at", "resolved_at", "reason"]).union([
                            "domain", "kind", "severity", "fired_at", "is_flapping", "alerts_after", "silenced_until",
                            "inhibited_by", "acknowledged", "notified", "diagnosis", "diagnosis_id", "effect", "cause",
                            "action", "outlook", "ended",
                        ]))
                #expect(data["comparison"].keys.isSuperset(of: ["state", "lag_seconds", "changes"]))
                #expect(data["links"].keys == ["incident", "status_page", "cdn", "origin", "acknowledge"])
                #expect(data["links"]["origin"] == .string("https://site.test\(LabOrigin.wellKnownPath)"))
                let isFiring = message.type == "incident.firing"
                #expect(data["incident"]["state"] == .string(isFiring ? "firing" : "resolved"))
                #expect((data["incident"]["resolved_at"] == .null) == isFiring)
                #expect(data["incident"]["reason"] == (isFiring ? .null : .string("cdn_caught_up")))
                if isFiring {
                    #expect(data["diagnosis_id"] == .string("cdn-stale"))
                    #expect(data["comparison"]["state"] == .string("stale"))
                    #expect((data["comparison"]["lag_seconds"].int ?? 0) >= 2)
                    #expect(data["comparison"]["changes"].elements.isEmpty == false)
                    #expect(data["findings"][0]["rule"] == .string("cdn.stale"))
                }
                let signed = stage.path("signed-\(message.id)")
                try (Data("\(message.id).\(message.timestamp).".utf8) + message.body).write(to: URL(filePath: signed))
                let words = "openssl dgst -sha256 -mac HMAC -macopt hexkey:\(Watch.secretInHex) -binary '\(signed)'"
                let openssl = try stage.tool("bash", ["-c", "\(words) | base64 -w 0"])
                try await openssl.ended()
                #expect(message.signature == "v1,\(openssl.output)")
                // In whole seconds, from a clock that may be corrected meanwhile.
                let sent = Date(timeIntervalSince1970: Double(message.timestamp) ?? 0)
                #expect((begin - 5...Date() + 5).contains(sent), "\(message.timestamp)")
            }
            #expect(Set(messages.map(\.incident)).count == 1)
            #expect(Set(messages.map(\.id)).count == messages.count)
        }

        /// The moment when the process is killed.
        enum Moment: String, CaseIterable {
            case atFirstCheck, afterFirstCheck, asTheFileChanges, afterTheChangeWasSeen, justBeforeItIsStale
            case whileTheReceiverHangs, whileTheReceiverRefuses, whileTheReceiverIsGone
            case afterTheFiring, asTheCDNCatchesUp, whileTheResolveHangs, afterTheResolve
        }

        @Test("a kill at any moment loses and duplicates no alert", arguments: Moment.allCases)
        func kill(_ moment: Moment) async throws {
            try await Stage.with { stage in
                let scene = try await Scene(stage)
                var process = try scene.watch.start()
                func killed(_ here: Moment) async throws {
                    guard moment == here else { return }
                    try await process.kill9()
                    await scene.mendReceiver()
                    process = try scene.watch.start()
                }

                try await until("the first request", seen: { process.errors }) {
                    !stage.lab.origin(Self.host).requests.isEmpty
                }
                try await killed(.atFirstCheck)
                try await scene.watch.checks(2, of: Self.host)
                try await killed(.afterFirstCheck)
                try await scene.watch.checks(2, of: Self.host)
                // Break the receiver before the first message.
                try await scene.breakReceiver(moment)
                stage.lab.origin(Self.host).serve(file("v2"))
                let changed = ContinuousClock.now
                try await killed(.asTheFileChanges)
                try await scene.watch.checks(2, of: Self.host)
                try await killed(.afterTheChangeWasSeen)
                if moment == .justBeforeItIsStale {
                    try await until("two seconds") { ContinuousClock.now - changed > .milliseconds(1900) }
                }
                try await killed(.justBeforeItIsStale)
                try await until("the firing", seen: { process.errors }) {
                    process.errors.contains("incident fired")
                        || scene.messages.contains { $0.type == "incident.firing" }
                }
                switch moment {
                case .whileTheReceiverHangs, .whileTheReceiverRefuses:
                    try await until("an attempt") { !scene.messages.isEmpty }
                    try await killed(moment)
                case .whileTheReceiverIsGone:
                    try await killed(moment)
                default:
                    break
                }
                try await until("the delivery of the firing", seen: { process.errors }) { !scene.messages.isEmpty }
                try await scene.watch.checks(1, of: Self.host)
                try await killed(.afterTheFiring)
                if moment == .whileTheResolveHangs { scene.receiver.behaviour = .fault(.hang) }
                let before = scene.messages.count
                stage.lab.cdn.refresh(Self.host)
                try await killed(.asTheCDNCatchesUp)
                try await until("the resolve", seen: { process.errors }) {
                    scene.messages.dropFirst(before).contains { $0.type == "incident.resolved" }
                }
                try await killed(.whileTheResolveHangs)
                try await scene.watch.checks(1, of: Self.host)
                try await killed(.afterTheResolve)
                if moment == .whileTheResolveHangs {
                    try await until("the resolve again", seen: { process.errors }) { scene.messages.count > before + 1 }
                }
                try await scene.watch.checks(3, of: Self.host)

                let distinct = try scene.messages.distinct()
                #expect(distinct.map(\.gist) == Self.story, "\(scene.messages.map(\.gist))")
                #expect(Set(distinct.map(\.incident)).count == 1)
                try await scene.end(process)
            }
        }

        /// One host, one webhook, and a receiver that may stop and come back.
        final class Scene {
            let stage: Stage
            let watch: Watch
            private(set) var receiver: LabReceiver
            /// What earlier receivers on the same port got.
            private var earlier: [Message] = []
            private var isGone = false

            var messages: [Message] { earlier + receiver.messages }

            init(_ stage: Stage) async throws {
                self.stage = stage
                receiver = try await LabReceiver.start(port: stage.port())
                stage.lab.origin(StoryTests.host).serve(file("v1"))
                watch = try Watch(
                    stage, [StoryTests.host],
                    Watch.Settings(staleAfter: Watch.soon, channels: [Watch.webhook(receiver.url("/in"))]))
            }

            func breakReceiver(_ moment: Moment) async throws {
                switch moment {
                case .whileTheReceiverHangs: receiver.behaviour = .fault(.hang)
                case .whileTheReceiverRefuses: receiver.answers(500)
                case .whileTheReceiverIsGone:
                    await receiver.shutdown()
                    isGone = true
                default: break
                }
            }

            func mendReceiver() async {
                if isGone {
                    let port = receiver.port
                    earlier += receiver.messages
                    while isGone {
                        guard let again = try? await LabReceiver.start(port: port) else { continue }
                        receiver = again
                        isGone = false
                    }
                }
                receiver.answers(200)
            }

            func end(_ process: MonitorProcess) async throws {
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                await receiver.shutdown()
            }
        }
    }
}
