// What `alert test` sends, wired as the daemon wires its messages: the same channels, network and links, and no store.

import Alerting
import Curl
import Evidence
import Foundation
import MonitorConfiguration

package struct AlertTest: Sendable {
    /// In the order of the configuration.
    package let channels: [Channel]
    private let configuration: ConfigurationFile
    private let userAgent: String

    /// - Throws: `ChannelFault`, without any secret.
    package init(_ configuration: ConfigurationFile, userAgent: String) throws {
        channels = try configuration.alerts.channels.map(Channel.init(settings:))
        self.configuration = configuration
        self.userAgent = userAgent
    }

    /// Gives `body` what sends a test message to one channel.
    /// - Throws: `CurlError` where the network settings cannot be used; what `body` throws.
    package func withSender(
        _ body: (@escaping @Sendable (Channel) async throws -> TestReport) async throws -> Void
    ) async throws {
        let driver = try CurlDriver(
            network: configuration.network.forAlerts, maximumConcurrent: max(4, channels.count))
        let message = TestMessage(transport: CurlTransport(driver: driver), userAgent: userAgent)
        do {
            try await body { channel in try await message.send(facts(for: channel), to: channel) }
        } catch {
            await driver.shutdown()
            throw error
        }
        await driver.shutdown()
    }

    /// About a domain whose alerts the channel gets, so that its links are such as it will see.
    private func facts(for channel: Channel) throws -> AlertFacts {
        let routed = configuration.domains.first { $0.channels?.contains(channel.name) ?? true }
        guard let watched = routed ?? configuration.domains.first else {
            throw ChannelFault(channel: channel.name, reason: "no domain is watched that a message could be about")
        }
        let listening = configuration.server
        let routes = Routes(
            channels: [channel], cdnBaseURL: configuration.cdn.baseURL,
            statusPageURL: listening.port == 0 ? nil : "http://\(listening.shownHost):\(listening.port)/")
        return AlertFacts.test(domain: watched.domain, links: routes.links(for: watched.domain), now: Date())
    }
}
