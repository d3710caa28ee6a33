// A real Alertmanager as the receiver of states. It is installed by `make setup`.

import Foundation
import Lab
import Testing

extension EndToEndTests {
    @Suite(.enabled(if: Alertmanager.isInstalled, "Alertmanager is not installed; make setup installs it"))
    struct AlertmanagerTests {
        @Test("an incident is shown there while it lasts, passed on, and ended")
        func story() async throws {
            try await Stage.with { stage in
                let receiver = try await LabReceiver.start()
                let alertmanager = try await Alertmanager.start(on: stage, receiver: receiver.url("/in"))
                stage.lab.origin("site.test").serve(file("v1"))
                let watch = try Watch(
                    stage, ["{domain: site.test, labels: {team: growth}}"],
                    Watch.Settings(
                        channels: [#"    - {name: state, type: alertmanager, url: "\#(alertmanager.url)"}"#]))
                let (process, _) = try await watch.started()
                try await watch.checks(2, of: "site.test")
                #expect(try await alertmanager.alerts().isEmpty)
                stage.lab.origin("site.test").serve(file("v2"))
                let alert = try #require(
                    try await alertmanager.alerts("the alert") { !$0.isEmpty }.first)
                #expect(
                    alert["labels"]
                        == (try JSONValue(
                            #"{"alertname":"aasa_monitor_incident","domain":"site.test","kind":"cdn.stale","team":"growth"}"#
                        )))
                #expect(alert["status"]["state"] == .string("active"))
                #expect(alert["annotations"]["severity"].string?.isEmpty == false)
                #expect(alert["annotations"]["description"].string?.isEmpty == false)

                // A restart neither ends the alert nor makes another.
                process.signal(SIGKILL)
                _ = try await process.ended()
                let (again, _) = try await watch.started()
                try await watch.checks(2, of: "site.test")
                #expect(try await alertmanager.alerts().map { $0["fingerprint"] } == [alert["fingerprint"]])

                stage.lab.cdn.refresh("site.test")
                _ = try await alertmanager.alerts("the end") { $0.isEmpty }
                let passed = try await receiver.deliveries(count: 2, within: Stage.patience)
                #expect(
                    try passed.map { try JSONValue($0.body)["status"].string } == ["firing", "resolved"])
                again.signal(SIGTERM)
                #expect(try await again.ended() == .exit(0))
                await receiver.shutdown()
            }
        }
    }
}
