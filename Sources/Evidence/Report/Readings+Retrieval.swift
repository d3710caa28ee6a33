// The facts of a single retrieval as JSON: redirects, certificates, times, what went wrong.

extension Readings {
    /// What every look at a copy of the file has in common. `meaning` tells equal files in other bytes.
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

    /// The text `error`; null where there was none.
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
            // libcurl keeps no chain that it refused: what is shown of one was read by a second handshake.
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
    /// Whether the address took the connection, whatever came of it.
    var isConnected: Bool {
        switch failure?.phase {
        case nil, .handshaking, .waiting, .receiving: true
        case .resolving, .connecting: false
        }
    }
}
