// A real Alertmanager as receiver. `make setup` installs it.

import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

extension EndToEndTests {
    @Suite(.enabled(if: Alertmanager.isInstalled, "Alertmanager is not installed; make setup installs it"))
    struct AlertmanagerTests {
        @Test("Alertmanager shows an open incident, passes it on, and ends it with the incident")
        func story() async throws {
            try await Stage.with { stage in
                let receiver = try await LabReceiver.start()
                let alertmanager = try await Alertmanager.start(on: stage, receiver: receiver.url("/in"))
                stage.lab.origin("site.test").serve(file("v1"))
                let watch = try Watch(
                    stage, ["{domain: site.test, labels: {team: growth}}"],
                    Watch.Settings(
                        staleAfter: Watch.soon,
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

                // A restart does not end the alert and does not create another.
                process.signal(SIGKILL)
                _ = try await process.ended()
                let left = try await alertmanager.alerts().first?["updatedAt"]
                let (again, _) = try await watch.started()
                try await watch.checks(2, of: "site.test")
                // A process must send an alert before it can end it.
                _ = try await alertmanager.alerts("the alert once more") { $0.first.map { $0["updatedAt"] } != left }
                #expect(try await alertmanager.alerts().map { $0["fingerprint"] } == [alert["fingerprint"]])

                stage.lab.cdn.refresh("site.test")
                _ = try await alertmanager.alerts("the end") { $0.isEmpty }
                let passed = try await receiver.deliveries(count: 2, within: Stage.timeout)
                #expect(
                    try passed.map { try JSONValue($0.body)["status"].string } == ["firing", "resolved"])
                again.signal(SIGTERM)
                #expect(try await again.ended() == .exit(0))
                await receiver.shutdown()
            }
        }

        @Test("two monitors and two Alertmanagers send each notification once, even if one of each is killed")
        func pair() async throws {
            try await Stage.with { stage in
                let receiver = try await LabReceiver.start()
                let cluster = try await Alertmanager.pair(on: stage, receiver: receiver.url("/in"))
                stage.lab.origin("site.test").serve(file("v1"))
                let channels = cluster.enumerated().map {
                    #"    - {name: state-\#($0), type: alertmanager, url: "\#($1.url)"}"#
                }
                var monitors: [MonitorProcess] = []
                for name in ["eu", "us"] {
                    let watch = try Watch(
                        stage, ["{domain: site.test, labels: {team: growth}}"],
                        Watch.Settings(
                            staleAfter: Watch.soon, store: "\(name).db", more: "instance: \(name)", channels: channels),
                        file: "\(name).yaml")
                    monitors.append(try await watch.started().0)
                    try await watch.checks(2, of: "site.test")
                }
                stage.lab.origin("site.test").serve(file("v2"))
                var fingerprints: [JSONValue] = []
                for one in cluster {
                    let alert = try #require(try await one.alerts("the alert") { !$0.isEmpty }.first)
                    fingerprints.append(alert["fingerprint"])
                    #expect(["eu", "us"].contains(alert["annotations"]["instance"].string))
                }
                #expect(fingerprints.first == fingerprints.last)
                for one in cluster {
                    try await one.metric(
                        #"alertmanager_alerts_received_total{status="firing",version="v2"}"#, isAtLeast: 2)
                }
                // The second of the cluster waits for the first, and queries the notification log before it sends its
                // own.
                for one in cluster { try await one.metric("alertmanager_nflog_queries_total", isAtLeast: 1) }
                #expect(try await receiver.deliveries(count: 1, within: Stage.timeout).count == 1)

                monitors[0].signal(SIGKILL)
                _ = try await monitors[0].ended()
                cluster[0].process.signal(SIGKILL)
                stage.lab.cdn.refresh("site.test")
                _ = try await cluster[1].alerts("the end") { $0.isEmpty }
                let passed = try await receiver.deliveries(count: 2, within: Stage.timeout)
                #expect(try passed.map { try JSONValue($0.body)["status"].string } == ["firing", "resolved"])
                monitors[1].signal(SIGTERM)
                #expect(try await monitors[1].ended() == .exit(0))
                await receiver.shutdown()
            }
        }
    }
}
