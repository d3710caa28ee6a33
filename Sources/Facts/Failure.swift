// Why a request failed.

/// What stopped a request: a fact, without blame or advice.
package struct Failure: Error, Codable, Equatable, Sendable {
    package var kind: Kind
    package var phase: Phase
    /// The library's message, kept as evidence.
    package var detail: String
    /// For a name without an address: the target of its alias (CNAME), if the name server gives one.
    package var alias: String?
    /// For a proxy that opened no tunnel: its status.
    package var proxyStatus: Int?

    package init(kind: Kind, phase: Phase, detail: String, alias: String? = nil, proxyStatus: Int? = nil) {
        self.kind = kind
        self.phase = phase
        self.detail = detail
        self.alias = alias
        self.proxyStatus = proxyStatus
    }

    package enum Kind: String, Codable, Sendable, CaseIterable {
        case nameNotFound = "name_not_found"
        /// The name exists but has no A or AAAA record.
        case noAddress = "no_address"
        /// A name server answered with an error (SERVFAIL, REFUSED). This says nothing about the name.
        case nameServerFailure = "name_server_failure"
        /// No name server answered.
        case noNameServer = "no_name_server"
        /// The name has addresses, but none of the requested family.
        case noIPv4Address = "no_ipv4_address"
        case noIPv6Address = "no_ipv6_address"
        case connectionRefused = "connection_refused"
        case unreachable
        case timedOut = "timed_out"
        /// Reset, or closed without a byte of answer.
        case connectionReset = "connection_reset"
        /// Closed before the headers ended, or before the body was complete by its own framing.
        case truncated
        /// The TLS handshake failed for a reason other than the certificate.
        case tlsHandshake = "tls_handshake"
        case tlsVersion = "tls_version"
        /// The certificate was refused; `Connection.tls.problem` says why.
        case certificate
        case headersTooLarge = "headers_too_large"
        case malformedAnswer = "malformed_answer"
        /// The server sent a compressed body that cannot be decompressed.
        case badEncoding = "bad_encoding"
        case privateAddress = "private_address"
        case proxy
        /// A fault of this machine: it cannot read the trust store, or memory ran out.
        case own
    }

    /// How far the request got.
    package enum Phase: String, Codable, Comparable, Sendable, CaseIterable {
        case resolving, connecting, handshaking, waiting, receiving

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

        package static func < (left: Phase, right: Phase) -> Bool { left.rank < right.rank }
    }
}

extension Failure {
    /// The name does not exist or has no address, so there is no server to ask.
    package var hasNoAddress: Bool { kind == .nameNotFound || kind == .noAddress }

    /// Whether the peer speaks TLS but the handshake with us failed.
    package var isOfTLS: Bool { kind == .certificate || kind == .tlsHandshake || kind == .tlsVersion }
}
