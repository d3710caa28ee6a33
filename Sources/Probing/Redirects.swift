// Follows redirects only to find where they lead: each hop is noted, none is trusted.

import Curl
import Evidence
import Facts

/// Follows a URL's redirects, within one time limit for all hops. Waiting for a free transfer slot does not count.
struct Redirects: Sendable {
    let driver: CurlDriver
    /// Makes the request of one hop.
    let request: @Sendable (_ url: String, _ left: Duration, _ policy: TransferRequest.AddressPolicy) -> TransferRequest
    /// Whether a target counts as reached without a request, such as an App Store link.
    var isArrival: @Sendable (_ target: String) -> Bool = { _ in false }
    /// For the first hop.
    var firstPolicy = TransferRequest.AddressPolicy.any

    /// `arrival`: the target that counted as reached.
    func walk(from first: String, timeout: Duration) async throws -> (fetched: FetchResult, arrival: String?) {
        var spent = Duration.zero
        var url = first
        var visited: Set<String> = [url]
        var hops: [RedirectHop] = []
        var policy = firstPolicy
        while true {
            let asked = request(url, max(.milliseconds(1), timeout - spent), policy)
            var (result, fetched) = try await driver.ask(asked, first: first, within: timeout - spent)
            spent += result.duration
            fetched.retrieval.redirects = hops
            if result.failure?.kind == .privateAddress { fetched.retrieval.redirectStop = .privateAddress }
            guard let hop = result.redirect(from: url) else { return (fetched, nil) }
            let target = hop.target
            hops.append(hop)
            fetched.retrieval.redirects = hops
            if let target, isArrival(target) { return (fetched, target) }
            guard let target, let parts = CurlURL.components(target) else {
                fetched.retrieval.redirectStop = .unreadable
                return (fetched, nil)
            }
            if parts.scheme != "https" { fetched.retrieval.redirectStop = .insecure }
            if visited.contains(target) { fetched.retrieval.redirectStop = .loop }
            if hops.count > ProbeSettings.maximumRedirects { fetched.retrieval.redirectStop = .tooMany }
            // A site must not be able to send us, or a proxy, into a private network.
            if fetched.retrieval.redirectStop == nil,
                TransferRequest.AddressPolicy.publicOnly.refusedLiteral(parts.host) != nil
            {
                fetched.retrieval.redirectStop = .privateAddress
            }
            if fetched.retrieval.redirectStop != nil { return (fetched, nil) }
            if let address = result.connection.address.flatMap({ HostAddress($0) }), address.scope == .public,
                !result.connection.viaProxy
            {
                policy = .publicOnly
            }
            visited.insert(target)
            url = target
        }
    }
}

extension TransferResult {
    /// The redirect in the answer from this URL; nil for any other answer.
    func redirect(from url: String) -> RedirectHop? {
        guard let status, [301, 302, 303, 307, 308].contains(status), error == nil else { return nil }
        let location = header("location")
        return RedirectHop(
            status: status, from: url, location: location,
            target: location.flatMap { CurlURL.resolve($0, against: url) })
    }
}
