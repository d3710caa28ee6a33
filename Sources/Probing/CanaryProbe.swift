// Asks reference hosts for any answer. The content does not matter: an answer shows that this machine's own network
// works.

import Curl
import Foundation

package struct ConnectivityProbe: Sendable {
    private let driver: CurlDriver
    private let userAgent: String

    /// No longer than a check's usual timeout, because a check waits for the result.
    private static let timeout: Duration = .seconds(5)

    package init(driver: CurlDriver, userAgent: String) {
        self.driver = driver
        self.userAgent = userAgent
    }

    /// Whether at least one host gives an HTTP answer with a trusted certificate. A captive portal has none.
    /// - Throws: `CancellationError` only.
    package func reachesAny(of hosts: [String]) async throws -> Bool {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for host in hosts { group.addTask { try await reaches(host) } }
            for try await isReached in group where isReached {
                group.cancelAll()
                return true
            }
            return false
        }
    }

    private func reaches(_ host: String) async throws -> Bool {
        let request = TransferRequest(
            url: "https://\(host)/", userAgent: userAgent,
            limits: TransferLimits(connectTimeout: Self.timeout, totalTimeout: Self.timeout, bodyBytes: 1))
        return try await driver.perform(request).status != nil
    }
}
