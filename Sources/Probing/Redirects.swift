// Follows redirects only to tell where they lead: each hop is noted, none is trusted.

import Curl
import Evidence
import Foundation

/// Walks from a URL along its redirects, within one time limit for all hops together. Waiting for a free place among the
/// transfers does not count.
struct Redirects: Sendable {
    let driver: CurlDriver
    /// Makes the request of one hop.
    let request: @Sendable (_ url: String, _ left: Duration, _ policy: TransferRequest.AddressPolicy) -> TransferRequest
    /// Whether a target counts as arrived without being asked, such as a link into the App Store.
    var isArrival: @Sendable (_ target: String) -> Bool = { _ in false }
    /// Of the first hop.
    var firstPolicy = TransferRequest.AddressPolicy.any

    struct Walk: Sendable {
        var sight: Sight
        /// The target that counted as arrived.
        var arrival: String?
    }

    func walk(from first: String, timeout: Duration) async throws -> Walk {
        var spent = Duration.zero
        var url = first
        var visited: Set<String> = [url]
        var hops: [RedirectHop] = []
        var policy = firstPolicy
        while true {
            let asked = request(url, max(.milliseconds(1), timeout - spent), policy)
            let result = try await driver.perform(asked)
            spent += result.facts.timings.total
            var sight = try await driver.sight(of: result, for: asked, first: first, left: timeout - spent)
            sight.retrieval.redirects = hops
            if result.error?.code == .addressRefused { sight.retrieval.redirectStop = .privateAddress }
            guard let hop = result.redirect(from: url) else { return Walk(sight: sight) }
            let target = hop.target
            hops.append(hop)
            sight.retrieval.redirects = hops
            if let target, isArrival(target) { return Walk(sight: sight, arrival: target) }
            guard let target, let parts = CurlURL.components(target) else {
                sight.retrieval.redirectStop = .unreadable
                return Walk(sight: sight)
            }
            if parts.scheme != "https" { sight.retrieval.redirectStop = .insecure }
            if visited.contains(target) { sight.retrieval.redirectStop = .loop }
            if hops.count > ProbeSettings.maximumRedirects { sight.retrieval.redirectStop = .tooMany }
            // A site must not be able to send us, or a proxy, into a network that is not public.
            if sight.retrieval.redirectStop == nil,
                TransferRequest.AddressPolicy.publicOnly.refusedLiteral(parts.host) != nil
            {
                sight.retrieval.redirectStop = .privateAddress
            }
            if sight.retrieval.redirectStop != nil { return Walk(sight: sight) }
            if let address = result.facts.remoteAddress, IPAddress.isPublic(address), !result.facts.viaProxy {
                policy = .publicOnly
            }
            visited.insert(target)
            url = target
        }
    }
}

extension TransferResult {
    /// The redirect that the answer to this URL is; nil where it is something else.
    func redirect(from url: String) -> RedirectHop? {
        guard let status, [301, 302, 303, 307, 308].contains(status), error == nil else { return nil }
        let location = header("location")
        return RedirectHop(
            status: status, from: url, location: location,
            target: location.flatMap { CurlURL.resolve($0, against: url) })
    }
}

extension CurlDriver {
    /// What a transfer saw; where its certificate was refused, with the chain from a second, unverified handshake. `first`
    /// was asked for first, redirects may have led elsewhere.
    func sight(
        of result: TransferResult, for request: TransferRequest, first: String, left: Duration
    ) async throws -> Sight {
        var sight = Sight(of: result, url: first)
        if result.error?.code == .badEncoding, sight.retrieval.answer?.claimsCompression == false {
            sight = try await unread(sight, of: request, first: first, within: left)
        }
        if result.error?.phase == .connecting {
            let tried = request.address.map { [$0] } ?? result.facts.resolved.filter { request.family.accepts($0) }
            let families = Set(tried.map { $0.contains(":") ? 6 : 4 })
            if !families.isEmpty { sight.retrieval.triedFamilies = families.sorted() }
        }
        if result.error?.code == .certificate {
            sight.retrieval.connection?.tls = try await refusedChain(of: result, for: request, within: left)
        }
        return sight
    }

    /// libcurl reads no body whose Content-Encoding it does not know. Where that names no compression (`utf-8`,
    /// `aws-chunked`), other clients read it as it is; so it is asked for once more, and left as it is sent.
    private func unread(
        _ sight: Sight, of request: TransferRequest, first: String, within left: Duration
    ) async throws -> Sight {
        var request = request
        request.acceptGzip = false
        // The same question, so that the same answer comes.
        request.headers.append(.init(name: "Accept-Encoding", value: "gzip"))
        request.limits.totalTimeout = max(left, .seconds(1))
        request.limits.connectTimeout = request.limits.totalTimeout
        let again = Sight(of: try await perform(request), url: first)
        guard let answer = again.retrieval.answer, answer.status == sight.retrieval.answer?.status,
            answer.header("content-encoding") == sight.retrieval.answer?.header("content-encoding")
        else { return sight }
        return again
    }

    /// libcurl keeps no chain that it refused. It is read once more, by a handshake that verifies nothing and sends
    /// nothing, so that the finding can say what the certificate is. A server that was slow to be refused gets a second
    /// for it even so.
    private func refusedChain(
        of refused: TransferResult, for request: TransferRequest, within left: Duration
    ) async throws -> TLSFacts {
        var request = request
        let time = min(max(left, .seconds(1)), .seconds(5))
        request.limits.connectTimeout = time
        request.limits.totalTimeout = time
        request.purpose = .handshakeOnly
        request.verify = .none
        request.connection = .fresh
        // The same server that was refused, not another one behind the same name.
        if request.address == nil, !refused.facts.viaProxy { request.address = refused.facts.remoteAddress }
        let seen = try await perform(request)
        return TLSFacts(
            version: seen.facts.tlsVersion, chain: seen.facts.chain.map(CertificateFacts.init), trusted: false,
            problem: refused.verifyProblem.map { CertificateProblem($0.refined(by: seen.facts.chain)) } ?? .other,
            detail: refused.error?.message)
    }
}
