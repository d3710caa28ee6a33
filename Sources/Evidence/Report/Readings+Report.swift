// What a check saw of the origin and of Apple's CDN, in the JSON form of `check` and of the API
// (docs/reference/json.md).

import Facts

extension Readings {
    /// The object `origin`.
    package var originReport: OrderedJSON {
        let retrieval = observation.origin
        let answer = retrieval.answer
        let full = observation.full
        return .object([
            ("url", .string(retrieval.url)),
            ("status", .optional(answer?.status)),
            ("content_type", .optional(answer?.header("content-type"))),
            ("bytes", .optional(answer?.body.decodedBytes)),
            ("sha256", .optional(answer?.body.hash?.hex)),
            ("meaning", .optional(originFile?.meaning?.hex)),
            ("redirects", Self.redirects(of: retrieval)),
            ("redirect_stop", .optional(retrieval.redirectStop?.rawValue)),
            ("http_version", .optional(retrieval.connection?.httpVersion)),
            ("last_modified", .optional(answer?.header("last-modified"))),
            ("etag", .optional(answer?.header("etag"))),
            ("tls", Self.json(of: retrieval.connection?.tls)),
            ("resolution", full.map { Self.json(of: $0.resolution) } ?? .null),
            ("addresses", .array(addresses)),
            ("agents", .array((full?.agents ?? []).map(json(of:)))),
            ("root_copy", full?.rootCopy.map { .object([("url", .string($0.url))] + seen(in: $0)) } ?? .null),
            (
                "vantages",
                .array((full?.vantages ?? []).map { .object([("name", .string($0.name))] + seen(in: $0.retrieval)) })
            ),
            ("timing_ms", Self.json(of: retrieval.connection?.timings)),
            ("error", Self.error(of: retrieval)),
        ])
    }

    /// Each address if each was probed; otherwise the one that the plain request used.
    private var addresses: [OrderedJSON] {
        if let results = observation.full?.addresses, !results.isEmpty {
            return results.map { address($0.address.address, $0.address.family, $0.address.scope, $0.retrieval) }
        }
        let retrieval = observation.origin
        guard let connection = retrieval.connection, !connection.viaProxy, let text = connection.address else {
            return []
        }
        return [address(text, HostAddress.family(of: text), nil, retrieval)]
    }

    private func address(
        _ text: String, _ family: Int, _ scope: AddressScope?, _ retrieval: Retrieval
    ) -> OrderedJSON {
        .object([
            ("address", .string(text)),
            ("family", .integer(family)),
            ("scope", .optional(scope?.rawValue)),
            ("reachable", .bool(retrieval.isConnected)),
            ("status", .optional(retrieval.answer?.status)),
            ("sha256", .optional(retrieval.answer?.body.hash?.hex)),
            ("meaning", .optional(file(of: retrieval)?.meaning?.hex)),
            ("redirects", Self.redirects(of: retrieval)),
            ("error", Self.error(of: retrieval)),
            ("tls_error", retrieval.connection?.tls.map(Self.problem(of:)) ?? .null),
            ("connect_ms", .optional(retrieval.connection?.timings.connect)),
        ])
    }

    private func json(of result: AgentResult) -> OrderedJSON {
        .object(
            [
                ("agent", .string(result.agent.rawValue)), ("user_agent", .string(result.agent.userAgent)),
                ("address", .optional(result.address ?? result.retrieval.connection?.address)),
            ] + seen(in: result.retrieval))
    }

    private static func json(of resolution: Resolution) -> OrderedJSON {
        .object([
            ("source", .string(resolution.source.rawValue)),
            ("addresses", .array(resolution.addresses.map { .string($0.address) })),
            ("failure", json(of: resolution.failure)),
            ("ms", .number(resolution.milliseconds)),
        ])
    }
}

extension Readings {
    /// The object `cdn`. `url`: the URL of Apple's copy, for a check that did not ask for it; nil if unknown.
    package func cdnReport(url: String?) -> OrderedJSON {
        let retrieval = observation.cdn.retrieval
        let answer = retrieval?.answer
        var notAsked: String?
        if case .notAsked(let reason) = observation.cdn { notAsked = reason.rawValue }
        return .object([
            ("url", .optional(url ?? retrieval?.url)),
            ("not_asked", .optional(notAsked)),
            ("status", .optional(answer?.status)),
            ("bytes", .optional(answer?.body.decodedBytes)),
            ("sha256", .optional(answer?.body.hash?.hex)),
            ("meaning", .optional(cdnFile?.meaning?.hex)),
            ("age_seconds", .optional(answer?.age)),
            ("max_age_seconds", .optional(answer?.maxAge)),
            ("from", .optional(answer?.header("apple-from"))),
            ("failure", Self.json(of: answer.flatMap(CrawlerFailure.init))),
            ("edges", .array(askedEdges.map { json(of: $0) })),
            ("error", retrieval.map(Self.error(of:)) ?? .null),
        ])
    }

    /// Each edge if each was probed; otherwise the one that the plain request used.
    private var askedEdges: [EdgeResult] {
        if let results = observation.full?.edges, !results.isEmpty { return results }
        guard let retrieval = observation.cdn.retrieval, let connection = retrieval.connection, !connection.viaProxy,
            let address = connection.address
        else { return [] }
        return [EdgeResult(address: address, retrieval: retrieval)]
    }

    private func json(of edge: EdgeResult) -> OrderedJSON {
        let answer = edge.retrieval.answer
        return .object([
            ("address", .string(edge.address)),
            ("status", .optional(answer?.status)),
            ("sha256", .optional(answer?.body.hash?.hex)),
            ("meaning", .optional(file(of: edge.retrieval)?.meaning?.hex)),
            ("age_seconds", .optional(answer?.age)),
            ("max_age_seconds", .optional(answer?.maxAge)),
            ("via", .optional(answer?.header("via"))),
            ("cdn_server", .optional(answer?.header("cdn-server"))),
            ("x_cache", .optional(answer?.header("x-cache"))),
            ("failure", Self.json(of: answer.flatMap(CrawlerFailure.init))),
            ("error", Self.error(of: edge.retrieval)),
        ])
    }

    private static func json(of failure: CrawlerFailure?) -> OrderedJSON {
        guard let failure else { return .null }
        return .object([
            ("code", .optional(failure.code)),
            ("reason", .string(failure.reason)),
            ("details", .object(failure.details.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })),
            ("try_direct", .optional(failure.tryDirect)),
        ])
    }
}

// MARK: - A single retrieval

// Redirects, certificates, times, errors.

extension Readings {
    /// What all probes of a copy have in common. Equal `meaning` identifies equal files with different bytes.
    func seen(in retrieval: Retrieval) -> [(String, OrderedJSON)] {
        let answer = retrieval.answer
        return [
            ("status", .optional(answer?.status)),
            ("content_type", .optional(answer?.header("content-type"))),
            ("bytes", .optional(answer?.body.decodedBytes)),
            ("sha256", .optional(answer?.body.hash?.hex)),
            ("meaning", .optional(file(of: retrieval)?.meaning?.hex)),
            ("redirects", Self.redirects(of: retrieval)),
            ("error", Self.error(of: retrieval)),
        ]
    }

    /// The list `redirects`.
    package static func redirects(of retrieval: Retrieval) -> OrderedJSON {
        .array(
            retrieval.redirects.map {
                .object([
                    ("status", .integer($0.status)), ("location", .optional($0.location)), ("url", .string($0.from)),
                    ("target", .optional($0.target)),
                ])
            })
    }

    /// The text `error`; null if there was none.
    package static func error(of retrieval: Retrieval) -> OrderedJSON {
        var failure = retrieval.failure
        if case .cutShort(let cut) = retrieval.answer?.body.end { failure = cut }
        return json(of: failure)
    }

    static func json(of failure: Failure?) -> OrderedJSON {
        guard let failure else { return .null }
        return .string(failure.detail.isEmpty ? failure.kind.rawValue : "\(failure.kind.rawValue): \(failure.detail)")
    }

    static func json(of tls: TLSFacts?) -> OrderedJSON {
        guard let tls else { return .null }
        let leaf = tls.chain.first
        return .object([
            ("version", .optional(tls.version)),
            ("issuer", .optional(leaf?.issuer)),
            ("subject", .optional(leaf?.subject)),
            ("not_before", .optional(leaf?.notBefore)),
            ("not_after", .optional(leaf?.notAfter)),
            ("names", .array((leaf?.names ?? []).map { .string($0) })),
            ("trusted", .bool(tls.trusted)),
            // libcurl discards a refused chain: a second handshake read the one shown here.
            ("verified", .bool(tls.trusted)),
            ("chain", .array(tls.chain.map(json(of:)))),
            ("error", problem(of: tls)),
        ])
    }

    static func problem(of tls: TLSFacts) -> OrderedJSON {
        .optional(tls.problem.map { problem in tls.detail.map { "\(problem.rawValue): \($0)" } ?? problem.rawValue })
    }

    private static func json(of certificate: CertificateFacts) -> OrderedJSON {
        .object([
            ("subject", .string(certificate.subject)),
            ("issuer", .string(certificate.issuer)),
            ("not_before", .optional(certificate.notBefore)),
            ("not_after", .optional(certificate.notAfter)),
            ("names", .array(certificate.names.map { .string($0) })),
        ])
    }

    static func json(of timings: Timings?) -> OrderedJSON {
        guard let timings else { return .null }
        return .object([
            ("dns", .optional(timings.dns)), ("connect", .optional(timings.connect)), ("tls", .optional(timings.tls)),
            ("first_byte", .optional(timings.firstByte)), ("total", .number(timings.total)),
        ])
    }
}

extension Retrieval {
    /// Whether the address accepted the connection.
    var isConnected: Bool {
        switch failure?.phase {
        case nil, .handshaking, .waiting, .receiving: true
        case .resolving, .connecting: false
        }
    }
}
