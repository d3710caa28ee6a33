// Receivers that misbehave like hostile web servers.

import Curl
import Evidence
import Foundation
import Lab
import LabFaults
import Monitoring
import TestTraits
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("Hostile receivers")
    struct HostileReceiverTests {
        @Test(
            "an attempt ends in time with a clear outcome if the receiver drips, resets, never ends or breaks off",
            .waitsForTimeout,
            arguments: LabFault.allCases)
        func fault(_ fault: LabFault) async throws {
            let receiver = try await LabReceiver.start()
            receiver.behaviour = .fault(fault)
            let driver = try CurlDriver()
            let hook = Channel(name: "hook", kind: .webhook, url: receiver.url("/in"))
            var request = try hook.format.request(
                body: Data("{}".utf8), messageKey: "key", timestamp: noon, userAgent: "aasa-monitor/test",
                channel: hook)
            // Enough time to send the request.
            request.timeout = .seconds(20)
            request.connectTimeout = request.timeout
            let answer = try await ReceiverTransport(driver: driver).post(request)
            #expect(answer.body.count <= TransportAnswer.maximumBodyBytes)
            let outcome = hook.format.judge(answer, now: noon)
            // A success status counts, whatever happens to the rest. Without one the message may have arrived.
            if answer.status == 200 {
                #expect(outcome == .delivered)
            } else {
                #expect(answer.status == nil && answer.fault?.kind == .network && outcome == .transient, "\(answer)")
                #expect(answer.fault?.wasSent == true, "the receiver read the request: \(answer)")
            }
            await driver.shutdown()
            await receiver.shutdown()
        }
    }
}
