// Reads Apple's copy as a device does: a plain GET. Connections are kept, and the pace is bounded, so that watching many
// domains is no burden.

import Curl
import Evidence
import Foundation

struct CDNProbe: Sendable {
    private let driver: CurlDriver
    private let settings: ProbeSettings
    private let pace: Pace

    init(driver: CurlDriver, settings: ProbeSettings) {
        self.driver = driver
        self.settings = settings
        pace = Pace(perSecond: settings.cdnRequestsPerSecond)
    }

    func url(of domain: Domain) -> String { "\(settings.cdnBaseURL)/\(domain.name)" }

    func retrieve(_ domain: Domain, timeout: Duration) async throws -> Sight {
        try await pace.turn()
        let url = url(of: domain)
        let result = try await driver.perform(
            TransferRequest(
                url: url, userAgent: settings.userAgent, allowPlainHTTP: url.hasPrefix("http://"), connection: .kept,
                limits: TransferLimits(
                    connectTimeout: timeout, totalTimeout: timeout, bodyBytes: ProbeSettings.bodyLimit),
                family: settings.family))
        return Sight(of: result, url: url)
    }
}
