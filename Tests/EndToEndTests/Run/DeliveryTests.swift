// Receivers in trouble: every message eventually arrives, in order, and no check waits for it.

import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct DeliveryTests {
        private static let host = "site.test"

        enum Trouble: String, CaseIterable {
            case refusesOnce, asksToWait, hangs, isGone, resets
        }

        @Test("a receiver in trouble eventually gets each message, and checks continue", arguments: Trouble.allCases)
        func trouble(_ trouble: Trouble) async throws {
            try await Stage.with { stage in
                var receiver = try await LabReceiver.start(port: stage.port())
                let origin = stage.lab.origin(Self.host)
                origin.serve(file())
                let watch = try Watch(
                    stage, [Self.host],
                    // Most time is spent between attempts, so few checks are enough.
                    Watch.Settings(interval: "1s", channels: [Watch.webhook(receiver.url("/in"))]))
                let (process, _) = try await watch.started()
                try await watch.checks(1, of: Self.host)
                switch trouble {
                case .refusesOnce: receiver.next([.reply(.status(500))])
                case .asksToWait: receiver.next([.reply(LabReply(status: 429, headers: [("Retry-After", "2")]))])
                case .hangs: receiver.next([.fault(.hang)])
                case .resets: receiver.next([.fault(.reset)])
                case .isGone: await receiver.shutdown()
                }
                origin.behaviour = .reply(.status(500))
                try await until("the firing", seen: { process.errors }) { process.errors.contains("incident fired") }
                if trouble == .isGone {
                    try await until("a failed attempt", seen: { process.errors }) {
                        process.errors.contains("not delivered")
                    }
                } else {
                    _ = try await receiver.deliveries(count: 1, within: Stage.timeout)
                }
                // Checks do not wait for the channel.
                try await watch.checks(5, of: Self.host)
                if trouble == .isGone { receiver = try await LabReceiver.start(port: receiver.port) }
                let attempts = trouble == .isGone ? 1 : 2
                let deliveries = try await receiver.deliveries(count: attempts, within: Stage.timeout)
                if trouble == .asksToWait {
                    let (first, second) = (try #require(deliveries.first), try #require(deliveries.dropFirst().first))
                    #expect(second.receivedAt.timeIntervalSince(first.receivedAt) >= 1.9)
                }
                origin.serve(file())
                _ = try await receiver.deliveries(count: attempts + 1, within: Stage.timeout)
                try await watch.checks(2, of: Self.host)
                let messages = try receiver.messages.distinct()
                #expect(
                    messages.map(\.gist) == [
                        "incident.firing origin.broken site.test", "incident.resolved origin.broken site.test",
                    ])
                #expect(receiver.messages.count == attempts + 1)
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                await receiver.shutdown()
            }
        }

        @Test(
            "the fallback reports a receiver that answers 400; after its repair it gets the missed messages")
        func refuses() async throws {
            try await Stage.with { stage in
                let (sick, good) = (try await LabReceiver.start(), try await LabReceiver.start())
                sick.answers(400)
                let hosts = (0..<3).map { "site\($0).test" }
                for host in hosts { stage.lab.origin(host).behaviour = .reply(.status(500)) }
                let watch = try Watch(
                    stage, hosts,
                    Watch.Settings(
                        alerts: "  fallback: good",
                        channels: [
                            Watch.webhook(sick.url("/in"), name: "sick"), Watch.webhook(good.url("/in"), name: "good"),
                        ]))
                let (process, _) = try await watch.started()
                func reports() -> [Message] { good.messages.filter { $0.kind == "monitor.degraded" } }
                try await until("the report", seen: { process.errors }) { !reports().isEmpty }
                let finding = reports().first?.json["data"].finding("monitor.delivery-failing")
                #expect(finding?["message"].string?.contains("'sick'") == true, "\(reports().map(\.gist))")

                let count = sick.messages.count
                sick.answers(200)
                let retried = try await stage.run(["deliveries", "retry", "sick", "--config", watch.file])
                #expect(retried.end == .exit(0), "\(retried.errors)")
                try await until("the missed messages", seen: { process.errors }) {
                    Set(sick.messages.dropFirst(count).map(\.domain)) == Set(hosts)
                }
                try await until("the end of the report", seen: { process.errors }) {
                    reports().map(\.type) == ["incident.firing", "incident.resolved"]
                }
                // Never about its own trouble.
                #expect(Set(sick.messages.map(\.kind)) == ["origin.broken"])
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                for receiver in [sick, good] { await receiver.shutdown() }
            }
        }

        @Test("an incident that began and ended while the receiver was down is one message")
        func wasFiring() async throws {
            try await Stage.with { stage in
                let port = try stage.port()
                // Apple's CDN has a copy: otherwise the CDN would get its own incident.
                stage.lab.origin(Self.host).serve(file())
                let watch = try Watch(
                    stage, [Self.host], Watch.Settings(channels: [Watch.slack("http://127.0.0.1:\(port)/in")]))
                let (process, _) = try await watch.started()
                try await watch.checks(2, of: Self.host)
                stage.lab.origin(Self.host).behaviour = .reply(.status(500))
                try await until("a failed attempt", seen: { process.errors }) {
                    process.errors.contains("not delivered")
                }
                stage.lab.origin(Self.host).serve(file())
                try await until("the end", seen: { process.errors }) { process.errors.contains("incident resolved") }
                let receiver = try await LabReceiver.start(port: port)
                _ = try await receiver.deliveries(count: 1, within: Stage.timeout)
                try await watch.checks(3, of: Self.host)
                let bodies = receiver.received.map { String(decoding: $0.body, as: UTF8.self) }
                #expect(bodies.count == 1 && bodies.allSatisfy { $0.contains("was firing, resolved") }, "\(bodies)")
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                await receiver.shutdown()
            }
        }

        @Test("a hanging channel does not delay another")
        func twoChannels() async throws {
            try await Stage.with { stage in
                let deaf = try await LabReceiver.start()
                let good = try await LabReceiver.start()
                deaf.behaviour = .fault(.hang)
                let origin = stage.lab.origin(Self.host)
                origin.behaviour = .reply(.status(500))
                let watch = try Watch(
                    stage, [Self.host],
                    Watch.Settings(
                        channels: [
                            Watch.webhook(deaf.url("/in"), name: "deaf"), Watch.webhook(good.url("/in"), name: "good"),
                        ]))
                let process = try watch.start()
                for receiver in [deaf, good] { _ = try await receiver.deliveries(count: 1, within: Stage.timeout) }
                origin.serve(file())
                _ = try await good.deliveries(count: 2, within: Stage.timeout)
                #expect(good.messages.prefix(2).map(\.type) == ["incident.firing", "incident.resolved"])
                // An incident is in at most one unfinished message. The end waits for an answer to the firing, or for
                // that attempt to end, which may happen on a slow machine.
                let told = deaf.messages.map(\.type)
                #expect(told.first == "incident.firing")
                if !process.errors.contains("not delivered") { #expect(told == ["incident.firing"]) }
                process.signal(SIGKILL)
                await deaf.shutdown()
                await good.shutdown()
            }
        }
    }
}
