// Reads the origin's copy as Apple's crawler would have to: HTTPS, one fresh connection a request. Redirects are noted
// hop by hop and followed only to tell where they lead.

import Curl
import Evidence
import Foundation

struct OriginProbe: Sendable {
    let driver: CurlDriver
    let settings: ProbeSettings

    /// One look at the origin, within `timeout` for all hops together. Waiting for a free place among the transfers does
    /// not count.
    func retrieve(_ domain: Domain, timeout: Duration) async throws -> Sight {
        var spent = Duration.zero
        let first = domain.wellKnownURL
        var url = first
        var visited: Set<String> = [url]
        var hops: [RedirectHop] = []
        var policy = TransferRequest.AddressPolicy.any
        while true {
            let left = max(.milliseconds(1), timeout - spent)
            let result = try await driver.perform(request(url, timeout: left, policy: policy))
            spent += result.facts.timings.total
            var sight = Sight(of: result, url: first)
            sight.retrieval.redirects = hops
            if result.error?.code == .addressRefused { sight.retrieval.redirectStop = .privateAddress }
            if result.error?.code == .certificate {
                sight.retrieval.connection?.tls = try await refusedChain(
                    url, of: result, within: timeout - spent, policy: policy)
            }
            guard let status = result.status, [301, 302, 303, 307, 308].contains(status), result.error == nil else {
                return sight
            }
            let location = result.header("location")
            let target = location.flatMap { CurlURL.resolve($0, against: url) }
            hops.append(RedirectHop(status: status, from: url, location: location, target: target))
            sight.retrieval.redirects = hops
            guard let target, let parts = CurlURL.components(target) else {
                sight.retrieval.redirectStop = .unreadable
                return sight
            }
            if parts.scheme != "https" { sight.retrieval.redirectStop = .insecure }
            if visited.contains(target) { sight.retrieval.redirectStop = .loop }
            if hops.count > ProbeSettings.maximumRedirects { sight.retrieval.redirectStop = .tooMany }
            if sight.retrieval.redirectStop != nil { return sight }
            // A public site must not be able to send us into the network that this machine stands in.
            if let address = result.facts.remoteAddress, IPAddress.isPublic(address), !result.facts.viaProxy {
                policy = .publicOnly
            }
            visited.insert(target)
            url = target
        }
    }

    private func request(
        _ url: String, timeout: Duration, policy: TransferRequest.AddressPolicy
    ) -> TransferRequest {
        TransferRequest(
            url: url, userAgent: settings.userAgent, connection: .fresh,
            limits: TransferLimits(
                connectTimeout: timeout, totalTimeout: timeout, bodyBytes: ProbeSettings.bodyLimit),
            family: settings.family, addressPolicy: policy)
    }

    /// libcurl keeps no chain that it refused. It is read once more, by a handshake that verifies nothing and sends
    /// nothing, so that the finding can say what the certificate is. A server that was slow to be refused gets a second
    /// for it even so.
    private func refusedChain(
        _ url: String, of refused: TransferResult, within left: Duration, policy: TransferRequest.AddressPolicy
    ) async throws -> TLSFacts {
        var request = request(url, timeout: min(max(left, .seconds(1)), .seconds(5)), policy: policy)
        request.purpose = .handshakeOnly
        request.verify = .none
        let seen = try await driver.perform(request)
        return TLSFacts(
            version: seen.facts.tlsVersion, chain: seen.facts.chain.map(CertificateFacts.init), trusted: false,
            problem: refused.verifyProblem.map { CertificateProblem($0.refined(by: seen.facts.chain)) } ?? .other,
            detail: refused.error?.message)
    }
}
