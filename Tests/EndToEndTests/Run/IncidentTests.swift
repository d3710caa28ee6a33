import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct IncidentTests {
        @Test("each kind of trouble is notified once when it begins and once when it ends")
        func kinds() async throws {
            try await Stage.with { stage in
                let lab = stage.lab
                let hosts = ["broken.test", "refused.test", "missing.test", "ending.test", "fine.test"]
                for host in hosts { lab.origin(host).serve(file()) }
                let receiver = try await LabReceiver.start()
                let watch = try Watch(
                    stage, hosts,
                    Watch.Settings(staleAfter: Watch.soon, channels: [Watch.webhook(receiver.url("/in"))]))
                let (process, _) = try await watch.started()
                try await watch.checks(1, of: hosts)

                lab.origin("broken.test").behaviour = .reply(.html("<html>oops</html>"))
                lab.origin("refused.test").certificate = .wrongName
                lab.cdn.fails("missing.test", reason: "SWCERR00101 Bad HTTP Response: 403 Forbidden")
                lab.origin("ending.test").certificate = .expiring(in: .seconds(5 * 86_400))
                _ = try await receiver.deliveries(count: 4, within: Stage.timeout)
                #expect(
                    Set(receiver.messages.map(\.gist)) == [
                        "incident.firing origin.broken broken.test",
                        "incident.firing origin.unreachable refused.test",
                        "incident.firing cdn.missing missing.test",
                        "incident.firing certificate.expiring ending.test",
                    ])

                for host in hosts {
                    lab.origin(host).serve(file())
                    lab.origin(host).certificate = .valid
                    lab.cdn.refresh(host)
                }
                _ = try await receiver.deliveries(count: 8, within: Stage.timeout)
                try await watch.checks(2, of: hosts)
                let messages = try receiver.messages.distinct()
                #expect(messages.count == 8, "\(messages.map(\.gist))")
                #expect(messages.stories == Array(repeating: ["incident.firing", "incident.resolved"], count: 4))
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                await receiver.shutdown()
            }
        }

        @Test("a valid file without an app is notified at the deploy, when Apple has it, and after the repair")
        func withoutApp() async throws {
            try await Stage.with { stage in
                let lab = stage.lab
                lab.origin("site.test").serve(file("v1"))
                let receiver = try await LabReceiver.start()
                let watch = try Watch(
                    stage, ["site.test"], Watch.Settings(channels: [Watch.webhook(receiver.url("/in"))]))
                let (process, _) = try await watch.started()
                try await watch.checks(2, of: "site.test")
                lab.origin("site.test").serve(#"{"applinks":{"details":[]}}"#)
                _ = try await receiver.deliveries(count: 1, within: Stage.timeout)
                lab.cdn.refresh("site.test")
                _ = try await receiver.deliveries(count: 2, within: Stage.timeout)
                lab.origin("site.test").serve(file("v1"))
                _ = try await receiver.deliveries(count: 3, within: Stage.timeout)
                let messages = try receiver.messages.distinct()
                #expect(
                    messages.map(\.gist) == [
                        "incident.firing file.broken site.test", "incident.update file.broken site.test",
                        "incident.resolved file.broken site.test",
                    ])
                #expect(
                    messages[0].summary.contains("the file opens no app, and Apple may fetch it at any time"),
                    "\(messages[0].summary)")
                #expect(
                    messages[1].summary.contains("worse: the file opens no app ("), "\(messages[1].summary)")
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                await receiver.shutdown()
            }
        }

        @Test("a broken origin does not open or resolve cdn.stale")
        func errorPages() async throws {
            try await Stage.with { stage in
                let lab = stage.lab
                lab.origin("site.test").serve(file("v1"))
                let receiver = try await LabReceiver.start()
                let watch = try Watch(
                    stage, ["site.test"],
                    Watch.Settings(staleAfter: Watch.soon, channels: [Watch.webhook(receiver.url("/in"))]))
                let (process, _) = try await watch.started()
                try await watch.checks(2, of: "site.test")
                lab.origin("site.test").serve(file("v2"))
                _ = try await receiver.deliveries(count: 1, within: Stage.timeout)
                lab.origin("site.test").behaviour = .reply(.status(503))
                _ = try await receiver.deliveries(count: 2, within: Stage.timeout)
                try await watch.checks(2, of: "site.test")
                lab.origin("site.test").serve(file("v2"))
                _ = try await receiver.deliveries(count: 3, within: Stage.timeout)
                lab.cdn.refresh("site.test")
                _ = try await receiver.deliveries(count: 4, within: Stage.timeout)
                #expect(
                    receiver.messages.map(\.gist) == [
                        "incident.firing cdn.stale site.test", "incident.firing origin.broken site.test",
                        "incident.resolved origin.broken site.test", "incident.resolved cdn.stale site.test",
                    ])
                process.signal(SIGKILL)
                await receiver.shutdown()
            }
        }

        @Test("in developer mode Apple's copy is not watched, and a domain's channels override the default")
        func routing() async throws {
            try await Stage.with { stage in
                let lab = stage.lab
                for host in ["dev.test", "quiet.test", "loud.test"] {
                    lab.origin(host).behaviour = .reply(.status(500))
                }
                let receiver = try await LabReceiver.start()
                let other = try await LabReceiver.start()
                let watch = try Watch(
                    stage,
                    [
                        "{domain: dev.test, mode: developer, channels: [hook], labels: {team: growth}}",
                        "{domain: quiet.test, channels: []}", "{domain: loud.test, channels: [other]}",
                    ],
                    Watch.Settings(
                        channels: [
                            Watch.webhook(receiver.url("/in")), Watch.webhook(other.url("/in"), name: "other"),
                        ]))
                let (process, _) = try await watch.started()
                _ = try await receiver.deliveries(count: 1, within: Stage.timeout)
                _ = try await other.deliveries(count: 1, within: Stage.timeout)
                try await until("quiet.test to fire") {
                    process.errors.contains(/incident fired" .*domain=quiet\.test/)
                }
                try await watch.checks(3, of: "loud.test")
                #expect(receiver.messages.map(\.gist) == ["incident.firing origin.broken dev.test"])
                #expect(receiver.messages.first?.json["data"]["labels"] == .object(["team": .string("growth")]))
                #expect(other.messages.map(\.gist) == ["incident.firing origin.broken loud.test"])
                #expect(lab.cdn.requests(for: "dev.test").isEmpty)
                process.signal(SIGKILL)
                await receiver.shutdown()
                await other.shutdown()
            }
        }
    }
}
