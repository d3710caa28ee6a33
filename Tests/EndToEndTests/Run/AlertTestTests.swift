// `alert test` sends a real message and prints the receiver's answer without secrets.

import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct AlertTestTests {
        private static func stage(
            _ names: [String] = ["hook"], _ body: (Stage, LabReceiver, Watch) async throws -> Void
        ) async throws {
            try await Stage.with { stage in
                let receiver = try await LabReceiver.start()
                stage.lab.origin("site.test").serve(file())
                let channels = names.map { Watch.webhook(receiver.url("/PLANTED-\($0)-SECRET"), name: $0) }
                let watch = try Watch(stage, ["site.test"], Watch.Settings(channels: channels))
                try await body(stage, receiver, watch)
                await receiver.shutdown()
            }
        }

        private static func test(_ stage: Stage, _ watch: Watch, _ names: String...) async throws -> MonitorProcess {
            try await stage.run(["alert", "test", "--config", watch.file] + names)
        }

        @Test("beside a running daemon, alert test sends a marked, signed message and prints the answer")
        func delivered() async throws {
            try await Self.stage { stage, receiver, watch in
                let (daemon, _) = try await watch.started()
                let process = try await Self.test(stage, watch)
                #expect(process.end == .exit(0), "\(process.errors)")
                let line = #/hook \(webhook, 127.0.0.1, \#[0-9a-f]{8}\): delivered \(status 200, /#
                #expect(process.output.contains(line))
                #expect(process.output.contains("answer: ok"))
                let message = try #require(receiver.messages.first)
                #expect(message.type == "test")
                #expect(message.domain == "site.test")
                #expect(message.signature.hasPrefix("v1,"))
                #expect(receiver.messages.count == 1)
                #expect(daemon.end == nil)
                #expect(!(process.output + process.errors).contains("PLANTED"))
            }
        }

        @Test("each kind of answer has its message, and only a delivery ends with 0")
        func refused() async throws {
            let cases: [(reply: LabReply, words: String)] = [
                (
                    LabReply(status: 429, headers: [("Retry-After", "120")]),
                    "the receiver asks to wait 2 min (status 429, "
                ),
                (
                    LabReply(status: 400, body: Array("bad /PLANTED-hook-SECRET".utf8)),
                    "the receiver refused the message (status 400, "
                ),
                (LabReply(status: 403), "the receiver refused the channel (status 403, "),
                (LabReply(status: 410), "the receiver says that the channel is gone (status 410, "),
                (
                    LabReply(status: 302, headers: [("Location", "/else")]),
                    "the receiver refused the channel (status 302, "
                ),
                (LabReply(status: 500), "the receiver failed (status 500, "),
            ]
            try await Self.stage { stage, receiver, watch in
                for (reply, words) in cases {
                    receiver.behaviour = .reply(reply)
                    let process = try await Self.test(stage, watch)
                    #expect(process.end == .exit(1), "\(process.errors)")
                    #expect(process.output.contains("not delivered: \(words)"), "\(process.output)")
                    #expect(!(process.output + process.errors).contains("PLANTED"))
                }
            }
        }

        @Test("nothing is sent to the metadata addresses of clouds")
        func metadata() async throws {
            let hosts = [
                "169.254.169.254", "100.100.100.200", "168.63.129.16", "192.0.0.192", "[fd00:ec2::254]",
                "[::ffff:169.254.169.254]",
            ]
            try await Self.stage { stage, _, _ in
                let channels = hosts.enumerated().map { index, host in
                    Watch.webhook("https://\(host)/latest/meta-data", name: "cloud\(index)")
                }
                let watch = try Watch(
                    stage, ["site.test"], Watch.Settings(channels: channels), file: "metadata.yaml")
                let process = try await Self.test(stage, watch)
                #expect(process.end == .exit(1), "\(process.errors)")
                let lines = process.output.split(separator: "\n")
                for index in hosts.indices {
                    let line = lines.first { $0.hasPrefix("cloud\(index) (") } ?? ""
                    #expect(line.contains("not sent: aasa-monitor does not send to this address"), "\(process.output)")
                }
            }
        }

        @Test("one channel without an answer fails the test, and the others are reported as usual")
        func several() async throws {
            try await Self.stage(["first", "second"]) { stage, receiver, watch in
                receiver.next([.fault(.reset)])
                let process = try await Self.test(stage, watch)
                #expect(process.end == .exit(1), "\(process.errors)")
                let lines = process.output.split(separator: "\n").filter { !$0.hasPrefix(" ") }
                #expect(lines.count == 2)
                #expect(lines.first?.hasPrefix("first (") == true)
                #expect(lines.last?.hasPrefix("second (") == true)
                #expect(lines.filter { $0.contains("not delivered: no answer (no status, ") }.count == 1)
                #expect(lines.filter { $0.contains(": delivered (status 200, ") }.count == 1)
                let one = try await Self.test(stage, watch, "second")
                #expect(one.end == .exit(0), "\(one.errors)")
                #expect(one.output.hasPrefix("second ("))
            }
        }

        @Test("an unknown channel ends with 64 and a suggestion, and sends nothing")
        func unknown() async throws {
            try await Self.stage { stage, receiver, watch in
                let near = try await Self.test(stage, watch, "hook", "hoook")
                #expect(near.end == .exit(64))
                #expect(near.errors.hasSuffix("aasa-monitor: no channel is named 'hoook'; did you mean 'hook'?\n"))
                let far = try await Self.test(stage, watch, "elsewhere")
                #expect(far.end == .exit(64))
                #expect(far.errors.hasSuffix("aasa-monitor: no channel is named 'elsewhere'; configured: hook\n"))
                #expect(receiver.received.isEmpty)
            }
        }

        @Test("without any channel it ends with 78")
        func none() async throws {
            try await Self.stage([]) { stage, _, watch in
                let process = try await Self.test(stage, watch)
                #expect(process.end == .exit(78))
                #expect(process.errors.contains("no channels are configured"))
            }
        }

        @Test("Alertmanager gets one alert with an end time")
        func stateFeed() async throws {
            try await Self.stage { stage, receiver, _ in
                let channel = #"    - {name: state, type: alertmanager, url: "\#(receiver.url(""))"}"#
                let watch = try Watch(stage, ["site.test"], Watch.Settings(channels: [channel]), file: "state.yaml")
                let process = try await Self.test(stage, watch)
                #expect(process.end == .exit(0), "\(process.errors)")
                let delivery = try #require(receiver.received.first)
                #expect(delivery.path == "/api/v2/alerts")
                let alerts = try JSONValue(delivery.body).elements
                #expect(alerts.count == 1)
                #expect(alerts.first?["endsAt"].string != nil)
                #expect(receiver.received.count == 1)
            }
        }
    }
}
