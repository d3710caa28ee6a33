// What a probe requests, from which locations, and within which limits.

import Curl
import Evidence
import Foundation

package struct ProbeSettings: Sendable {
    /// The URL of Apple's CDN before the domain, without final slash.
    package var cdnBaseURL: String
    /// For the origin, including redirects, and again for the CDN.
    package var timeout: Duration
    package var family: TransferRequest.AddressFamily
    /// Also ask the CDN for hosts whose origin has no file.
    package var asksBeforeOrigin: Bool
    /// At full depth, ask each address of the CDN, not only the first.
    package var asksEdges: Bool
    /// Other locations that a full check probes from.
    package var vantages: [Vantage]
    /// Requests per second to the CDN, over all domains.
    package var cdnRequestsPerSecond: Double
    /// The user agent of this program.
    package var userAgent: String
    /// Refuse an origin address that is not public: for domains that strangers can name.
    package var refusesPrivateOrigins = false

    package init(
        cdnBaseURL: String = AppleCDN.baseURL, timeout: Duration = CheckSettings().timeout,
        family: TransferRequest.AddressFamily = .any, asksBeforeOrigin: Bool = false, asksEdges: Bool = true,
        vantages: [Vantage] = [], cdnRequestsPerSecond: Double = 50, userAgent: String
    ) {
        var base = cdnBaseURL
        while base.hasSuffix("/") { base.removeLast() }
        self.cdnBaseURL = base
        self.timeout = timeout
        self.family = family
        self.asksBeforeOrigin = asksBeforeOrigin
        self.asksEdges = asksEdges
        self.vantages = vantages
        self.cdnRequestsPerSecond = cdnRequestsPerSecond
        self.userAgent = userAgent
    }

    /// Hops to follow, to find where redirects lead. Apple documents none as allowed.
    static let maximumRedirects = 10

    /// Bytes of decoded body to read. Devices stop at 131,072. The rest is read so that a slightly larger file can
    /// still be compared.
    static let bodyLimit = 1_048_576
}
