// What a probe may ask, of whom, and within which limits.

import Curl
import Evidence
import Foundation

package struct ProbeSettings: Sendable {
    /// Apple's CDN up to the host, without final slash.
    package var cdnBaseURL: String
    /// For the origin, redirects included, and again for the CDN.
    package var timeout: Duration
    package var family: TransferRequest.AddressFamily
    /// Ask the CDN for hosts whose origin has no file too.
    package var asksBeforeOrigin: Bool
    /// Ask each address of the CDN at full depth, not only the one that its name leads to.
    package var asksEdges: Bool
    /// Other places that a full check looks from.
    package var vantages: [Vantage]
    /// How often the CDN may be asked, in requests a second over all domains.
    package var cdnRequestsPerSecond: Double
    /// How this program names itself to servers.
    package var userAgent: String
    /// Refuse an origin at an address that is not public, for domains that a stranger may have named.
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

    /// Hops that are followed to tell where redirects lead. Apple documents none as allowed.
    static let maximumRedirects = 10

    /// Bytes of decoded body that are read. Devices stop at 131,072; what lies above is read as well, so that a file that
    /// is a little too large can still be compared.
    static let bodyLimit = 1_048_576
}
