import Alerting
import MonitorConfiguration
import ServiceLifecycle

/// The delivery of messages as a service, and beside it the feed of those receivers that hold states. A message under way
/// when the process ends stays in the outbox and is sent again under the same key.
struct DeliveryService: Service {
    let delivery: Delivery
    let live: LiveConfiguration
    let feed: @Sendable (ConfigurationFile) -> StateFeed

    func run() async throws {
        try await cancelWhenGracefulShutdown {
            async let fed: Void = live.following { await feed($0).run() }
            try await delivery.run()
            await fed
        }
    }
}
