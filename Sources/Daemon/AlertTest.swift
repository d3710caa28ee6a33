// What `alert test` sends, wired as in the daemon: the same channels, network and links, and no store.

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

    /// Gives `body` what sends a test message to one channel.
    /// - Throws: `CurlError` where the network settings cannot be used; `ChannelFault`; what `body` throws.
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

    /// About a domain whose alerts the channel gets, so that its links are such as it will see.
    private func alert(for channel: Channel) throws -> Alert {
        let routed = configuration.domains.first { $0.channels?.contains(channel.name) ?? true }
        guard let watched = routed ?? configuration.domains.first else {
            throw ChannelFault(channel: channel.name, reason: "the configuration has no domain for a test message")
        }
        let routing = Routing(configuration)
        return Alert.test(
            domain: watched.domain, links: routing.links(for: watched.domain), instance: routing.instance, now: Date())
    }
}
