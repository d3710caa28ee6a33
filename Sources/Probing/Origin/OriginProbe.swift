// Reads the origin's copy as Apple's crawler would have to: HTTPS, one fresh, fully verified connection a request.

import Curl
import Evidence
import Foundation

struct OriginProbe: Sendable {
    let driver: CurlDriver
    let settings: ProbeSettings

    /// One look at the origin by its name, redirects followed, within `timeout` for all hops together; through `proxy`
    /// where another place looks.
    func retrieve(_ domain: Domain, timeout: Duration, proxy: String? = nil) async throws -> Sight {
        var redirects = Redirects(driver: driver) { url, left, policy in
            var request = request(url, timeout: left)
            request.addressPolicy = policy
            request.proxy = proxy
            return request
        }
        if settings.refusesPrivateOrigins { redirects.firstPolicy = .publicOnly }
        return try await redirects.walk(from: domain.wellKnownURL, timeout: timeout).sight
    }

    /// One request, redirects noted and not followed. `address`: sent there, whatever the name resolves to.
    func ask(
        _ url: String, address: String? = nil, userAgent: String? = nil, timeout: Duration
    ) async throws -> Sight {
        var request = request(url, timeout: timeout)
        request.address = address
        if let userAgent { request.userAgent = userAgent }
        let result = try await driver.perform(request)
        var sight = try await driver.sight(
            of: result, for: request, first: url, left: timeout - result.facts.timings.total)
        sight.retrieval.redirects = [result.redirect(from: url)].compactMap(\.self)
        return sight
    }

    private func request(_ url: String, timeout: Duration) -> TransferRequest {
        TransferRequest(
            url: url, userAgent: settings.userAgent, connection: .fresh,
            limits: TransferLimits(
                connectTimeout: timeout, totalTimeout: timeout, bodyBytes: ProbeSettings.bodyLimit),
            family: settings.family, addressPolicy: settings.refusesPrivateOrigins ? .publicOnly : .any)
    }
}
