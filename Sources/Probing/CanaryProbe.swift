// Asks reference hosts whether anybody is there. What they say is nobody's business; that they say something tells that
// this machine's own network works.

import Curl
import Foundation

package struct ConnectivityProbe: Sendable {
    private let driver: CurlDriver
    private let userAgent: String

    /// As short as a check's usual patience, and no longer than that: a check waits for the answer.
    private static let timeout: Duration = .seconds(5)

    package init(driver: CurlDriver, userAgent: String) {
        self.driver = driver
        self.userAgent = userAgent
    }

    /// Whether at least one of the hosts gives an HTTP answer under a certificate that is trusted. A gate that answers for
    /// everybody has none.
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
