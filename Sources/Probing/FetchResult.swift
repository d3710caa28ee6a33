// What one request saw, as `Evidence` knows it: the answer or the failure, and the bodies.

import Curl
import Evidence
import Facts
import Foundation

/// A retrieval with the bodies that it names by their hash.
struct FetchResult: Sendable {
    var retrieval: Retrieval
    var contents: [ContentHash: Data] = [:]

    var withBody: (Retrieval, Data?) { (retrieval, retrieval.answer?.body.hash.flatMap { contents[$0] }) }

    /// Whether it brought a file that names a service. One at the root is what Apple's crawler probably falls back on.
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
    /// The bodies of all of them.
    var contents: [ContentHash: Data] {
        reduce(into: [:]) { $0.merge($1.contents) { first, _ in first } }
    }
}

extension FetchResult {
    /// What a transfer saw; `url` was asked for first, redirects may have led elsewhere.
    init(of result: TransferResult, url: String) {
        retrieval = Retrieval(
            url: url, outcome: .failed(.endedBeforeStatus), connection: result.connection)
        let failure = result.failure
        // Headers that never ended are no answer, though a status came.
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
    /// Headers without end are no answer, though a status came.
    fileprivate var canFollowAnAnswer: Bool { kind != .headersTooLarge && kind != .malformedAnswer }

    fileprivate static let endedBeforeStatus = Failure(
        kind: .malformedAnswer, phase: .receiving, detail: "the answer ended before its status")
}

extension CurlDriver {
    /// Makes a transfer and tells what it saw; where its certificate was refused, with the chain from a second, unverified
    /// handshake. `first` was asked for first, redirects may have led elsewhere; `time` is for what has to be asked again.
    /// - Throws: `CancellationError` only.
    func ask(
        _ request: TransferRequest, first: String, within time: Duration
    ) async throws -> (result: TransferResult, sight: FetchResult) {
        let result = try await perform(request)
        let left = time - result.duration
        var sight = FetchResult(of: result, url: first)
        if result.failure?.kind == .badEncoding, sight.retrieval.answer?.claimsCompression == false {
            sight = try await unread(sight, of: request, first: first, within: left)
        }
        if result.failure?.phase == .connecting {
            let tried = request.address.map { [$0] } ?? result.resolved.filter { request.family.accepts($0) }
            let families = Set(tried.map { ResolvedAddress($0).family })
            if !families.isEmpty { sight.retrieval.triedFamilies = families.sorted() }
        }
        if result.failure?.kind == .certificate {
            sight.retrieval.connection?.tls = try await refusedChain(of: result, for: request, within: left)
        }
        return (result, sight)
    }

    /// libcurl reads no body whose Content-Encoding it does not know. Where that names no compression (`utf-8`,
    /// `aws-chunked`), other clients read it as it is; so it is asked for once more, and left as it is sent.
    private func unread(
        _ sight: FetchResult, of request: TransferRequest, first: String, within left: Duration
    ) async throws -> FetchResult {
        var request = request
        request.acceptGzip = false
        // The same question, so that the same answer comes.
        request.headers.append(("Accept-Encoding", "gzip"))
        request.limits.totalTimeout = max(left, .seconds(1))
        request.limits.connectTimeout = request.limits.totalTimeout
        let again = FetchResult(of: try await perform(request), url: first)
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
    ) async throws -> TLSFacts? {
        var request = request
        let time = min(max(left, .seconds(1)), .seconds(5))
        request.limits.connectTimeout = time
        request.limits.totalTimeout = time
        request.purpose = .unverifiedHandshake
        request.keepsConnection = false
        // The same server that was refused, not another one behind the same name.
        if request.address == nil, !refused.connection.viaProxy { request.address = refused.connection.address }
        let seen = try await perform(request).connection.tls
        var tls = refused.connection.tls
        tls?.version = seen?.version
        tls?.chain = seen?.chain ?? []
        tls?.problem = refused.connection.tls?.problem?.refined(by: seen?.chain ?? [])
        return tls
    }

    /// Every address that a request to this host may be sent to. `isRecentEnough`: an answer of the last minute will do, and an
    /// older one where no name server answers. `reachableFamiliesOnly` leaves out a family that this machine has no address of;
    /// without it a published address that only others can use is seen as well. Throws `CancellationError` only.
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
