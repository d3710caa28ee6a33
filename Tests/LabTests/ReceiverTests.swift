import Foundation
import Lab
import LabFaults
import TestTraits
import Testing

extension LabTests {
    @Suite struct Receiver {
        private func withReceiver(_ body: (LabReceiver) async throws -> Void) async throws {
            let receiver = try await LabReceiver.start()
            do {
                try await body(receiver)
                await receiver.shutdown()
            } catch {
                await receiver.shutdown()
                throw error
            }
        }

        private func post(_ receiver: LabReceiver, _ text: String) async throws -> ChildProcess {
            try await Tool.run(
                "curl",
                [
                    "-q", "-sS", "--max-time", Tool.patience, "--data-binary", text, "-H", "webhook-id: 1", "-w",
                    "%{http_code}", "-o", "/dev/null", receiver.url("/hook"),
                ])
        }

        @Test("deliveries are kept in order, and queued behaviours are used before the default")
        func keeps() async throws {
            try await withReceiver { receiver in
                receiver.next([.reply(.status(503)), .fault(.close)])
                let first = try await post(receiver, "one")
                #expect(first.output == "503")
                let second = try await post(receiver, "two")
                #expect(second.exitCode == 52)
                let third = try await post(receiver, "three")
                #expect(third.output == "200")
                let received = receiver.received
                #expect(received.map { String(decoding: $0.body, as: UTF8.self) } == ["one", "two", "three"])
                #expect(received.allSatisfy { $0.path == "/hook" && $0.method == "POST" })
                #expect(received.first?.header("Webhook-Id") == "1")
            }
        }

        @Test("a wait ends when the deliveries have arrived")
        func waits() async throws {
            try await withReceiver { receiver in
                _ = try await post(receiver, "one")
                async let waited = receiver.deliveries(count: 2, within: .seconds(600))
                _ = try await post(receiver, "two")
                #expect(try await waited.count == 2)
            }
        }

        @Test("a wait that times out reports the deliveries so far")
        func timesOut() async throws {
            try await withReceiver { receiver in
                _ = try await post(receiver, "one")
                let error = await #expect(throws: LabWaitTimedOut.self) {
                    try await receiver.deliveries(count: 2, within: .milliseconds(20))
                }
                #expect(error?.wanted == 2)
                #expect(error?.seen.count == 1)
            }
        }

        @Test("a body beyond the limit ends the connection and is not kept")
        func tooLarge() async throws {
            try await withReceiver { receiver in
                let file = FileManager.default.temporaryDirectory.appending(path: "big-\(UUID().uuidString)")
                defer { try? FileManager.default.removeItem(at: file) }
                try Data(count: 2 << 20).write(to: file)
                let curl = try await post(receiver, "@\(file.path)")
                #expect(curl.exitCode != 0)
                #expect(receiver.received.isEmpty)
            }
        }
    }
}
