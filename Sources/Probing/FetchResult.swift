// The outcome of one request in the types of `Evidence`: the answer or the failure, and the bodies.

import Curl
import Evidence
import Facts
import Foundation

/// A retrieval, with the bodies that it names by their hash.
struct FetchResult: Sendable {
    var retrieval: Retrieval
    var contents: [ContentHash: Data] = [:]

    var withBody: (Retrieval, Data?) { (retrieval, retrieval.answer?.body.hash.flatMap { contents[$0] }) }

    /// Whether it brought a file that names a service. Apple's crawler probably falls back to such a file at the root.
    var isFile: Bool {
        guard retrieval.answer?.status == 200, let hash = retrieval.answer?.body.hash, let body = contents[hash]
        else { return false }
        return ContentReading(body, hash: hash).namesService
    }

    /// The same status, target, failure and bytes.
    func answersLike(_ other: Retrieval) -> Bool {
        retrieval.isAnsweredLike(other) && retrieval.answer?.body.hash == other.answer?.body.hash
    }
}

extension [FetchResult] {
    var contents: [ContentHash: Data] {
        reduce(into: [:]) { $0.merge($1.contents) { first, _ in first } }
    }
}

extension FetchResult {
    /// The outcome of a transfer; `url` is the first URL, and redirects may have led elsewhere.
    init(of result: TransferResult, url: String) {
        retrieval = Retrieval(
            url: url, outcome: .failed(.endedBeforeStatus), connection: result.connection)
        let failure = result.failure
        // Headers that never ended are not an answer, even with a status.
        if let status = result.status, result.headEnded, failure?.canFollowAnAnswer ?? true {
            var body = Answer.Body(
                hash: nil, decodedBytes: result.body.count, wireBytes: result.wireBytes, end: .complete)
            if let failure {
                body.end = .cutShort(failure)
            } else if result.isCapped {
                body.end = .capped(limit: ProbeSettings.bodyLimit)
            } else {
                let hash = ContentHash(of: result.body)
                body.hash = hash
                contents[hash] = result.body
            }
            retrieval.outcome = .answered(Answer(status: status, headers: result.headers, body: body))
        } else if let failure {
            retrieval.outcome = .failed(failure)
        }
        let scopes = result.resolved.map { ResolvedAddress($0).scope }
        retrieval.ownScope = scopes.contains(.public) ? nil : scopes.first
    }
}

extension Failure {
    /// Whether what arrived before the failure counts as an answer.
    fileprivate var canFollowAnAnswer: Bool { kind != .headersTooLarge && kind != .malformedAnswer }

    fileprivate static let endedBeforeStatus = Failure(
        kind: .malformedAnswer, phase: .receiving, detail: "the answer ended before its status")
}

extension CurlDriver {
    /// Runs a transfer and converts its outcome. If the certificate is refused, a second, unverified handshake reads
    /// the chain. `first` is the first URL; redirects may have led elsewhere. `time` is for additional requests.
    /// - Throws: `CancellationError` only.
    func ask(
        _ request: TransferRequest, first: String, within time: Duration
    ) async throws -> (result: TransferResult, fetched: FetchResult) {
        let result = try await perform(request)
        let left = time - result.duration
        var fetched = FetchResult(of: result, url: first)
        if result.failure?.kind == .badEncoding, fetched.retrieval.answer?.claimsCompression == false {
            fetched = try await unread(fetched, of: request, first: first, within: left)
        }
        if result.failure?.phase == .connecting {
            let tried = request.address.map { [$0] } ?? result.resolved.filter { request.family.accepts($0) }
            let families = Set(tried.map { ResolvedAddress($0).family })
            if !families.isEmpty { fetched.retrieval.triedFamilies = families.sorted() }
        }
        if result.failure?.kind == .certificate {
            fetched.retrieval.connection?.tls = try await refusedChain(of: result, for: request, within: left)
        }
        return (result, fetched)
    }

    /// libcurl reads no body whose Content-Encoding it does not know. If that names no compression (`utf-8`,
    /// `aws-chunked`), other clients read the body unchanged, so it is requested once more without decoding.
    private func unread(
        _ fetched: FetchResult, of request: TransferRequest, first: String, within left: Duration
    ) async throws -> FetchResult {
        var request = request
        request.acceptGzip = false
        // Sends the same header, to get the same answer.
        request.headers.append(("Accept-Encoding", "gzip"))
        request.limits.totalTimeout = max(left, .seconds(1))
        request.limits.connectTimeout = request.limits.totalTimeout
        let again = FetchResult(of: try await perform(request), url: first)
        guard let answer = again.retrieval.answer, answer.status == fetched.retrieval.answer?.status,
            answer.header("content-encoding") == fetched.retrieval.answer?.header("content-encoding")
        else { return fetched }
        return again
    }

    /// libcurl discards a chain that it refuses. A handshake that verifies nothing and sends nothing reads it again, so
    /// that the finding can describe the certificate. It gets at least a second, even if the first server was slow.
    private func refusedChain(
        of refused: TransferResult, for request: TransferRequest, within left: Duration
    ) async throws -> TLSFacts? {
        var request = request
        let time = min(max(left, .seconds(1)), .seconds(5))
        request.limits.connectTimeout = time
        request.limits.totalTimeout = time
        request.purpose = .unverifiedHandshake
        request.keepsConnection = false
        // The server that was refused, not another one behind the same name.
        if request.address == nil, !refused.connection.viaProxy { request.address = refused.connection.address }
        let seen = try await perform(request).connection.tls
        var tls = refused.connection.tls
        tls?.version = seen?.version
        tls?.chain = seen?.chain ?? []
        tls?.problem = refused.connection.tls?.problem?.refined(by: seen?.chain ?? [])
        return tls
    }

    /// Every address that a request to this host may use. `isRecentEnough` accepts an answer from the last minute, and
    /// an older one if no name server answers. `reachableFamiliesOnly` leaves out families of which this machine has no
    /// address; otherwise addresses that only others can use are included. Throws `CancellationError` only.
    func resolution(
        of host: String, port: Int = 443, family: TransferRequest.AddressFamily, isRecentEnough: Bool = false,
        reachableFamiliesOnly: Bool = false, timeout: Duration
    ) async throws -> Resolution {
        let start = ContinuousClock.now
        let found = try await destination(
            of: host, port: port, family: family, isRecentEnough: isRecentEnough, timeout: timeout)
        if found.route == .proxy { return Resolution(source: .proxy) }
        var resolution = Resolution(source: .rules, failure: found.failure)
        var addresses = found.addresses
        if case .name(let name, _) = found.route {
            resolution.source = name == host ? .system : .rules
            resolution.milliseconds = start.duration(to: .now) / .milliseconds(1)
            if reachableFamiliesOnly { addresses = LocalFamilies.now.reachable(addresses) }
        }
        if !found.all.isEmpty { resolution.onlyFamily = family.number }
        var seen: Set<String> = []
        resolution.addresses = addresses.filter { seen.insert($0).inserted }.prefix(Resolution.maximumAddresses)
            .map { ResolvedAddress($0) }
        return resolution
    }
}
