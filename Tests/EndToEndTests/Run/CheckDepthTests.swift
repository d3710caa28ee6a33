// The load that the daemon puts on servers: almost nothing while all is well, and not much more otherwise.

import Foundation
import Lab
import LabFaults
import TestSupport
import Testing

extension EndToEndTests {
    @Suite struct CheckDepthTests {
        private static let host = "site.test"
        /// Only a full check requests it.
        private static let root = "/apple-app-site-association"

        private func rootRequests(_ stage: Stage) -> Int {
            stage.lab.origin(Self.host).requests.count { $0.pathOnly == Self.root }
        }

        @Test("a check makes one request to the origin and one to the CDN; a change gets a full check")
        func requests() async throws {
            try await Stage.with { stage in
                let origin = stage.lab.origin(Self.host)
                origin.serve(file("v1"))
                let watch = try Watch(
                    stage, [Self.host], Watch.Settings(staleAfter: "1h", defaults: "  full_every: 10000h"))
                let (process, _) = try await watch.started()
                // The first check is light, and its verdict is logged after the commit.
                try await until("the first verdict", seen: { process.errors }) {
                    process.errors.contains("comparison=in_sync")
                }
                try await watch.checks(6, of: Self.host)
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                let (asked, copied) = (origin.requests.count, stage.lab.cdn.requests(for: Self.host).count)
                // The last check may have been cancelled between the two.
                #expect(copied >= 6 && abs(asked - copied) <= 1, "\(asked) and \(copied)")
                #expect(rootRequests(stage) == 0)

                let (again, _) = try await watch.started()
                try await watch.checks(2, of: Self.host)
                #expect(rootRequests(stage) == 0)
                origin.serve(file("v2"))
                try await until("a full check of the change", seen: { again.errors }) {
                    rootRequests(stage) == 1 && origin.requests.contains { $0.userAgent.hasPrefix("AASA-Bot/") }
                }
            }
        }

        @Test("a broken origin gets a full check only once in minutes, and another when it recovers")
        func trouble() async throws {
            try await Stage.with { stage in
                let hook = try await LabReceiver.start()
                let origin = stage.lab.origin(Self.host)
                origin.behaviour = .reply(.status(500))
                let watch = try Watch(
                    stage, [Self.host], Watch.Settings(staleAfter: "1h", channels: [Watch.webhook(hook.url("/in"))]))
                let (process, _) = try await watch.started()
                _ = try await hook.deliveries(count: 1, within: Stage.timeout)
                try await watch.checks(4, of: Self.host)
                #expect(rootRequests(stage) == 1)
                origin.serve(file("v1"))
                _ = try await hook.deliveries(count: 2, within: Stage.timeout)
                #expect(
                    hook.messages.map(\.gist) == [
                        "incident.firing origin.broken site.test", "incident.resolved origin.broken site.test",
                    ])
                #expect(rootRequests(stage) == 2)
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                await hook.shutdown()
            }
        }

        @Test("light checks do not open or resolve an incident that only full checks see")
        func hiddenTrouble() async throws {
            try await Stage.with { stage in
                let hook = try await LabReceiver.start()
                let origin = stage.lab.origin(Self.host)
                origin.serve(file("v1"))
                // Plain requests succeed; requests with the user agent of Apple's crawler are refused.
                origin.on(userAgentContaining: "AASA-Bot", .reply(.status(403)))
                let watch = try Watch(
                    stage, [Self.host],
                    Watch.Settings(
                        staleAfter: "1h", defaults: "  full_every: 2s", channels: [Watch.webhook(hook.url("/in"))]))
                let (process, _) = try await watch.started()
                _ = try await hook.deliveries(count: 1, within: Stage.timeout)
                origin.on(userAgentContaining: "AASA-Bot", nil)
                _ = try await hook.deliveries(count: 2, within: Stage.timeout)
                #expect(
                    hook.messages.map(\.gist) == [
                        "incident.firing origin.broken site.test", "incident.resolved origin.broken site.test",
                    ])
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                await hook.shutdown()
            }
        }
    }
}
