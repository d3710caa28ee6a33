import Alerting
import ServiceLifecycle

/// The delivery of messages as a service. A message under way when the process ends stays in the outbox and is sent again
/// under the same key.
struct DeliveryService: Service {
    let delivery: Delivery

    func run() async throws {
        try await cancelWhenGracefulShutdown { try await delivery.run() }
    }
}
