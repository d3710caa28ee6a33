import Evidence
import Foundation
import Logging
import Monitoring
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("A message past the store")
    struct DirectMessageTests {
        private static let silent = Logger(label: "x") { _ in SwiftLogNoOpLogHandler() }

        private func reach(_ answer: TransportAnswer) async throws -> DirectMessage.Reach {
            let transport = ScriptedTransport(time: ManualTime(), script: ["hook": [.answer(answer)]])
            let routes = Routes(
                channels: [try channel("hook"), try channel("other")], cdnBaseURL: "https://cdn.test")
            let message = DirectMessage(
                transport: transport, userAgent: "x", wallClock: { noon }, logger: Self.silent)
            return await message.tell(try event(), of: .store, routes)
        }

        @Test(
            "an answer that leaves open whether it was taken is unclear, a refusal is not",
            arguments: [
                (200, nil, "taken"), (500, nil, "unclear"), (502, nil, "unclear"), (503, nil, "unclear"),
                (504, nil, "unclear"), (408, nil, "unclear"), (503, "9", "missed"), (429, nil, "missed"),
                (302, nil, "missed"), (400, nil, "missed"), (403, nil, "missed"), (410, nil, "missed"),
            ] as [(Int, String?, String)])
        func status(status: Int, retryAfter: String?, expected: String) async throws {
            let headers = retryAfter.map { [HeaderField(name: "retry-after", value: $0)] } ?? []
            let reach = try await reach(TransportAnswer(status: status, headers: headers))
            #expect(reach.taken == (expected == "taken" ? ["hook", "other"] : ["other"]))
            #expect(reach.unclear == (expected == "unclear" ? ["hook"] : []))
        }

        @Test("a channel has what never left for certain not, and may have what left", arguments: [true, false])
        func fault(wasSent: Bool) async throws {
            for kind in [TransportFault.Kind.network, .certificate] {
                let reach = try await reach(
                    TransportAnswer(
                        status: nil, fault: TransportFault(kind: kind, detail: "reset", wasSent: wasSent)))
                #expect(reach == DirectMessage.Reach(taken: ["other"], unclear: wasSent ? ["hook"] : []))
            }
        }

        @Test("a failure that breaks off is a failure, and a yes that breaks off a yes", arguments: [500, 200])
        func brokenOff(status: Int) async throws {
            let reach = try await reach(
                TransportAnswer(status: status, fault: TransportFault(kind: .network, detail: "truncated")))
            #expect(reach.taken.contains("hook") == (status == 200))
            #expect(reach.unclear.contains("hook") == (status == 500))
        }
    }
}
