// Receivers that do to a message what servers do to a check.

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
            "a receiver that drips, resets, never ends or closes in the middle ends an attempt in time, and its class is clear",
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
            // Time for the request to be sent.
            request.timeout = .seconds(20)
            let answer = try await ReceiverTransport(driver: driver).post(request)
            #expect(answer.body.count <= TransportAnswer.maximumBodyBytes)
            let outcome = hook.format.judge(answer, now: noon)
            // A clear yes in the head counts, whatever becomes of the rest; without one the end is unclear.
            if answer.status == 200 {
                #expect(outcome == .delivered)
            } else {
                #expect(answer.status == nil && answer.fault?.kind == .network && outcome == .transient, "\(answer)")
                #expect(answer.fault?.wasSent == true, "the receiver has read it: \(answer)")
            }
            await driver.shutdown()
            await receiver.shutdown()
        }
    }
}
