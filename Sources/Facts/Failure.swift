// Why a request came to nothing.

/// What stopped a request, as a fact: neither blame nor advice.
package struct Failure: Error, Codable, Equatable, Sendable {
    package var kind: Kind
    package var phase: Phase
    /// libcurl's own words, for the evidence.
    package var detail: String
    /// Of a name that has no address: what it is an alias of (CNAME), as far as the name server says.
    package var alias: String?
    /// Of a proxy that opened no tunnel: its status.
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
        /// The name exists, and has neither an A nor an AAAA record.
        case noAddress = "no_address"
        /// A name server answered that it could not find out (SERVFAIL, REFUSED). It says nothing of the name.
        case nameServerFailure = "name_server_failure"
        /// No name server answered.
        case noNameServer = "no_name_server"
        /// The name has addresses, but none of the one family that was asked for.
        case noIPv4Address = "no_ipv4_address"
        case noIPv6Address = "no_ipv6_address"
        case connectionRefused = "connection_refused"
        case unreachable
        case timedOut = "timed_out"
        /// Broken off, or closed without a byte of answer.
        case connectionReset = "connection_reset"
        /// Closed in the middle of an answer: in its body, where the answer says so, or before its headers ended.
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
        /// Our own fault: the trust store cannot be read, memory ran out.
        case own
    }

    /// How far the request had come.
    package enum Phase: String, Codable, Comparable, Sendable, CaseIterable {
        case resolving, connecting, handshaking, waiting, receiving

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

        package static func < (left: Phase, right: Phase) -> Bool { left.rank < right.rank }
    }
}

extension Failure {
    /// The name does not exist, or has no address: there is no server to ask.
    package var hasNoAddress: Bool { kind == .nameNotFound || kind == .noAddress }

    /// Whether a server was met that speaks TLS, but not to us.
    package var isOfTLS: Bool { kind == .certificate || kind == .tlsHandshake || kind == .tlsVersion }
}
