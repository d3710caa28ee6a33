// Test messages for `alert test`. They use the same channels, network and links as the daemon, and no store.

import Alerting
import Curl
import Evidence
import Foundation
import Logging
import MonitorConfiguration
import Monitoring

package struct AlertTest: Sendable {
    /// In the order of the configuration.
    package let channels: [Channel]
    private let configuration: ConfigurationFile
    private let userAgent: String

    package init(_ configuration: ConfigurationFile, userAgent: String) {
        channels = configuration.alerts.channels
        self.configuration = configuration
        self.userAgent = userAgent
    }

    /// Calls `body` with a function that sends a test message to one channel.
    /// - Throws: `CurlError` for invalid network settings; `ChannelFault`; the errors of `body`.
    package func withSender(
        _ body: (@escaping @Sendable (Channel) async throws -> TestReport) async throws -> Void
    ) async throws {
        let driver = try CurlDriver(
            network: configuration.network.forAlerts, maximumConcurrent: max(4, channels.count))
        let notifier = DirectNotifier(
            transport: ReceiverTransport(driver: driver), userAgent: userAgent,
            logger: Logger(label: "aasa-monitor") { _ in SwiftLogNoOpLogHandler() })
        try await driver.shutdown(after: {
            try await body { channel in try await notifier.test(alert(for: channel), on: channel) }
        })
    }

    /// Uses a domain that is routed to the channel: the links must be the ones of real alerts.
    private func alert(for channel: Channel) throws -> Alert {
        let routed = configuration.domains.first { $0.channels?.contains(channel.name) ?? true }
        guard let watched = routed ?? configuration.domains.first else {
            throw ChannelFault(channel: channel.name, reason: "the configuration has no domain for a test message")
        }
        let routing = Routing(configuration)
        var alert = Alert.test(
            domain: watched.domain, links: routing.links(for: watched.domain), instance: routing.instance, now: Date())
        alert.note = routing.note(of: alert.incident)
        return alert
    }
}
