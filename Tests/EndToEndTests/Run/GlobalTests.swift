import Foundation
import Lab
import LabFaults
import TestTraits
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct GlobalTests {
        private static let hosts = (1...12).map { "site\($0).test" }

        private func watch(_ stage: Stage, _ receiver: LabReceiver) throws -> Watch {
            for host in Self.hosts { stage.lab.origin(host).serve(file()) }
            return try Watch(
                stage, Self.hosts,
                // Copies vanish together if the monitor sees it within two intervals. The message about all of them is due
                // 30 seconds before that about one. Both leave room for a busy machine.
                Watch.Settings(
                    interval: "10s", staleAfter: "45s", channels: [Watch.webhook(receiver.url("/in"))]))
        }

        @Test(
            "a dozen copies that vanish together are one message; a copy that stays missing gets its own",
            .waitsForTimeout
        )
        func copiesGone() async throws {
            try await Stage.with { stage in
                let receiver = try await LabReceiver.start()
                // On a slow machine more domains may join after the first message; each is an update. Others may be checked
                // so late that they get a message when the incident of all of them ends.
                var others: Set<String> = []
                func messages() -> [Message] {
                    receiver.messages.filter {
                        ($0.type != "incident.update" || $0.kind != "cdn.wide") && !others.contains($0.domain)
                    }
                }
                func told(_ count: Int) async throws {
                    var seen = receiver.received.count
                    while messages().count < count {
                        seen = try await receiver.deliveries(count: seen + 1, within: Stage.timeout).count
                    }
                }
                let watch = try watch(stage, receiver)
                let (first, _) = try await watch.started()
                try await watch.checks(1, of: Self.hosts)
                for host in Self.hosts { stage.lab.cdn.fails(host, reason: "SWCERR00101 Bad HTTP Response: 403") }
                try await told(1)
                // Longer than each copy's own message would take.
                try await watch.checks(5, of: Self.hosts)
                #expect(messages().map { "\($0.type) \($0.kind)" } == ["incident.firing cdn.wide"])
                let data = try #require(messages().first).json["data"]
                #expect(data["domain"] == .absent)
                #expect(!data["domains"].elements.isEmpty && data["links"]["cdn"] == .null)

                try await first.kill9()
                let (second, page) = try await watch.started()
                try await watch.checks(2, of: Self.hosts)
                #expect(messages().count == 1, "\(messages().map(\.gist))")
                let html = try await fetch(page, on: stage)
                #expect(html.contains(/Links of \d+ domains open the website/))

                others = Set(Self.hosts.dropFirst())
                for host in others { stage.lab.cdn.refresh(host) }
                try await told(3)
                // The end of one and the beginning of the other are due at the same time; a failed attempt comes later.
                let last = messages().dropFirst().sorted { $0.type < $1.type }
                #expect(
                    last.map { "\($0.type) \($0.kind)" } == [
                        "incident.firing cdn.missing", "incident.resolved cdn.wide",
                    ])
                #expect(last.first?.domain == Self.hosts[0])
                // Whatever arrives first, one was created after the other had ended.
                let end = try #require(last.last?.json["data"]["incident"]["resolved_at"].string)
                #expect(try #require(last.first?.json["timestamp"].string) >= end)
                stage.lab.cdn.refresh(Self.hosts[0])
                try await told(4)
                #expect(messages().last?.type == "incident.resolved")
                second.signal(SIGTERM)
                #expect(try await second.ended() == .exit(0))
                await receiver.shutdown()
            }
        }

        /// Four domains are too few for a global incident, even if they are most of them.
        @Test("four of five failing domains are each notified", arguments: [0, 15])
        func fourOfFive(_ slow: Int) async throws {
            try await Stage.with { stage in
                let receiver = try await LabReceiver.start()
                let hosts = (1...5).map { "site\($0).test" }
                let others = (0..<slow).map { "slow\($0).test" }
                for host in hosts + others { stage.lab.origin(host).serve(file()) }
                let watch = try Watch(
                    stage, hosts + others.map { "{domain: \($0), interval: 1h}" },
                    Watch.Settings(staleAfter: Watch.soon, channels: [Watch.webhook(receiver.url("/in"))]))
                let (process, _) = try await watch.started()
                try await watch.checks(2, of: hosts)
                let some = hosts.prefix(4)
                for host in some { stage.lab.cdn.fails(host, reason: "SWCERR00101 Bad HTTP Response: 403") }
                _ = try await receiver.deliveries(count: 4, within: Stage.timeout)
                for host in some { stage.lab.cdn.refresh(host) }
                _ = try await receiver.deliveries(count: 8, within: Stage.timeout)
                #expect(
                    receiver.messages.map(\.gist).sorted()
                        == ["firing", "resolved"].flatMap { type in
                            some.map { "incident.\(type) cdn.missing \($0)" }
                        })
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                await receiver.shutdown()
            }
        }

        @Test("an acknowledged incident still sends its end")
        func acknowledged() async throws {
            try await Stage.with { stage in
                let receiver = try await LabReceiver.start()
                stage.lab.origin("site.test").serve(file())
                let watch = try Watch(
                    stage, ["site.test"], Watch.Settings(channels: [Watch.webhook(receiver.url("/in"))]))
                let (process, _) = try await watch.started()
                try await watch.checks(1, of: "site.test")
                stage.lab.origin("site.test").behaviour = .reply(.status(500))
                _ = try await receiver.deliveries(count: 1, within: Stage.timeout)
                let id = try #require(receiver.messages.first).incident
                let done = try await stage.run(
                    ["ack", String(id.prefix(8)), "--by", "eva", "--reason", "on it", "--config", watch.file])
                #expect(done.end == .exit(0) && done.output.contains("acknowledged by eva"), "\(done.errors)")
                let unknown = try await stage.run(["ack", "ffffffff", "--config", watch.file])
                #expect(unknown.end == .exit(64))
                stage.lab.origin("site.test").serve(file())
                _ = try await receiver.deliveries(count: 2, within: Stage.timeout)
                #expect(receiver.messages.last?.type == "incident.resolved")
                process.signal(SIGKILL)
                await receiver.shutdown()
            }
        }
    }
}
