// What a check saw of Apple's CDN, in the JSON form of `check` and of the API (docs/json.md).

extension Readings {
    /// The object `cdn`. `url`: where Apple's copy lies, for a check that did not ask for it; nil where that is not known.
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

    /// Each edge where each was asked; else the one that the plain request talked to.
    private var askedEdges: [EdgeLook] {
        if let looks = observation.full?.edges, !looks.isEmpty { return looks }
        guard let retrieval = observation.cdn.retrieval, let connection = retrieval.connection, !connection.viaProxy,
            let address = connection.address
        else { return [] }
        return [EdgeLook(address: address, retrieval: retrieval)]
    }

    private func json(of edge: EdgeLook) -> OrderedJSON {
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
