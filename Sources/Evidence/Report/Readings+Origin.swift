// What a check saw of the origin, in the JSON form of `check` and of the API (docs/json.md).

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

    /// Each address where each was asked; else the one that the plain request talked to.
    private var addresses: [OrderedJSON] {
        if let looks = observation.full?.addresses, !looks.isEmpty {
            return looks.map { address($0.address.address, $0.address.family, $0.address.scope, $0.retrieval) }
        }
        let retrieval = observation.origin
        guard let connection = retrieval.connection, !connection.viaProxy, let text = connection.address else {
            return []
        }
        return [address(text, text.contains(":") ? 6 : 4, nil, retrieval)]
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

    private func json(of look: AgentLook) -> OrderedJSON {
        .object(
            [
                ("agent", .string(look.agent.rawValue)), ("user_agent", .string(look.agent.userAgent)),
                ("address", .optional(look.address ?? look.retrieval.connection?.address)),
            ] + seen(in: look.retrieval))
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
