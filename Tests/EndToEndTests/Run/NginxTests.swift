// A real web server as the origin. `make setup` installs it.

import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

extension EndToEndTests {
    @Suite(.enabled(if: Nginx.isInstalled, "nginx is not installed; make setup installs it")) struct NginxTests {
        @Test("check reads a file that nginx serves")
        func check() async throws {
            try await Stage.with { stage in
                let nginx = try await Nginx.start(on: stage, host: "site.test", file())
                stage.lab.cdn.holds("site.test", body: file())
                let process = try await stage.runNotSlow(
                    ["check", "--format", "json"] + nginx.network + ["site.test"])
                #expect(process.end == .exit(0), "\(process.output)")
                let report = try process.json()
                #expect(report["verdict"] == .string("ok"))
                #expect(report["origin"]["etag"].string != nil)
                #expect(report["origin"]["last_modified"].string != nil)
                #expect(report["origin"]["content_type"] == .string("application/json"))
            }
        }

        @Test("a file that is replaced on disk is a change and is notified when the CDN is late")
        func story() async throws {
            try await Stage.with { stage in
                let nginx = try await Nginx.start(on: stage, host: "site.test", file("v1"))
                stage.lab.cdn.holds("site.test", body: file("v1"))
                let receiver = try await LabReceiver.start()
                let rules = nginx.rules.map { "\"\($0)\"" }.joined(separator: ", ")
                let watch = try Watch(
                    stage, ["site.test"],
                    Watch.Settings(
                        staleAfter: Watch.soon, network: "  connect_to: [\(rules)]",
                        channels: [Watch.webhook(receiver.url("/in"))]))
                let (process, _) = try await watch.started()
                try await watch.checks(2, of: "site.test")
                // Data.write(.atomic) puts the new file in place by rename.
                try nginx.deploy(file("v2"))
                _ = try await receiver.deliveries(count: 1, within: Stage.timeout)
                stage.lab.cdn.holds("site.test", body: file("v2"))
                _ = try await receiver.deliveries(count: 2, within: Stage.timeout)
                try await watch.checks(2, of: "site.test")
                #expect(
                    receiver.messages.map(\.gist) == [
                        "incident.firing cdn.stale site.test", "incident.resolved cdn.stale site.test",
                    ])
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                await receiver.shutdown()
            }
        }
    }
}
