// One attempt to read one copy of the file, from the first URL to the end of the body or the fault that stopped it.

import Foundation

/// One copy of the file as it was asked for, redirects included.
package struct Retrieval: Codable, Equatable, Sendable {
    /// The URL that was asked for first.
    package var url: String
    /// The redirects seen, in order.
    package var redirects: [RedirectHop]
    /// Why the last redirect was not followed, if it was not.
    package var redirectStop: RedirectStop?
    package var outcome: Outcome
    /// Facts of the connection of the last request; absent where no connection came about.
    package var connection: Connection?
    /// Where the resolver of this machine gave the host of the last request no public address: what the first one is. nil as well
    /// where the user's own rules or a proxy say where the host is.
    package var ownScope: AddressScope?
    /// 4, 6: the families of the addresses that a connection was tried at and did not come about; nil where that is not known.
    package var triedFamilies: [Int]?
    /// Why this says nothing of the site: this machine or its network fails at the same step for others too. `Control` sets it
    /// from the whole observation, each time that it is read.
    package internal(set) var ownFault: MonitorCause?

    package init(
        url: String, redirects: [RedirectHop] = [], redirectStop: RedirectStop? = nil, outcome: Outcome,
        connection: Connection? = nil
    ) {
        self.url = url
        self.redirects = redirects
        self.redirectStop = redirectStop
        self.outcome = outcome
        self.connection = connection
    }

    package enum Outcome: Codable, Equatable, Sendable {
        case answered(Answer)
        case failed(Failure)
    }

    private enum CodingKeys: String, CodingKey {
        case url, redirects, redirectStop, outcome, connection, ownScope, triedFamilies
    }

    package var answer: Answer? {
        if case .answered(let answer) = outcome { answer } else { nil }
    }

    package var failure: Failure? {
        if case .failed(let failure) = outcome { failure } else { nil }
    }
}

/// One redirect as the server sent it.
package struct RedirectHop: Codable, Equatable, Sendable {
    package var status: Int
    /// The URL that answered with the redirect.
    package var from: String
    /// The Location header, verbatim; nil where it was absent.
    package var location: String?
    /// The absolute URL that it leads to; nil where it cannot be read as one.
    package var target: String?

    package init(status: Int, from: String, location: String?, target: String?) {
        self.status = status
        self.from = from
        self.location = location
        self.target = target
    }
}

package enum RedirectStop: String, Codable, Sendable {
    /// The target is not HTTPS.
    case insecure
    /// The target was visited before.
    case loop
    /// The cap on redirects was reached.
    case tooMany = "too_many"
    /// No Location, or one that is no URL.
    case unreadable
    /// The target's address is private or reserved while the first server's was public.
    case privateAddress = "private_address"
}

/// An HTTP answer. The body may have been cut short; `body.end` tells.
package struct Answer: Codable, Equatable, Sendable {
    package var status: Int
    package var headers: [HeaderField]
    package var body: Body

    package init(status: Int, headers: [HeaderField], body: Body) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The first value of a header, by its name in lower case.
    package func header(_ name: String) -> String? {
        headers.first { $0.name == name }?.value
    }

    /// Whether Content-Encoding names a compression, of those that are registered or in use:
    /// https://www.iana.org/assignments/http-parameters/http-parameters.xhtml#content-coding
    package var claimsCompression: Bool {
        let names: Set<String> = [
            "gzip", "x-gzip", "deflate", "br", "zstd", "compress", "x-compress", "dcb", "dcz", "bzip2", "lzma", "xz",
        ]
        return (header("content-encoding") ?? "").lowercased().split { $0 == "," || $0.isWhitespace }
            .contains { names.contains(String($0)) }
    }

    package struct Body: Codable, Equatable, Sendable {
        /// Absent where the body was not read to its end.
        package var hash: ContentHash?
        /// Bytes after decompression, as far as they were read.
        package var decodedBytes: Int
        /// Bytes on the wire, as far as they were read.
        package var wireBytes: Int
        package var end: End

        package init(hash: ContentHash?, decodedBytes: Int, wireBytes: Int, end: End) {
            self.hash = hash
            self.decodedBytes = decodedBytes
            self.wireBytes = wireBytes
            self.end = end
        }
    }

    package enum End: Codable, Equatable, Sendable {
        case complete
        /// Reading stopped at our own limit of this many decoded bytes.
        case capped(limit: Int)
        /// The connection ended, or time ran out, before the body did.
        case cutShort(Failure)
    }
}

/// A header field: the name in lower case, the value verbatim.
package struct HeaderField: Codable, Equatable, Sendable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
        self.name = name.lowercased()
        self.value = value
    }
}

/// What stopped a request, as a fact: neither blame nor advice.
package struct Failure: Codable, Equatable, Sendable {
    package var kind: Kind
    package var phase: Phase
    /// libcurl's own words, for the evidence.
    package var detail: String
    /// Of a name that has no address: what it is an alias of (CNAME), as far as the name server says.
    package var alias: String?
    /// Of a proxy that opened no tunnel: its status.
    package var proxyStatus: Int?

    package init(kind: Kind, phase: Phase, detail: String, alias: String? = nil, proxyStatus: Int? = nil) {
        self.alias = alias
        self.proxyStatus = proxyStatus
        self.kind = kind
        self.phase = phase
        self.detail = detail
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
    package enum Phase: String, Codable, Sendable {
        case resolving, connecting, handshaking, waiting, receiving
    }
}

extension Failure.Kind {
    /// A state that an earlier version stored may hold `intercepted`, which is no kind of failure but a judgement.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let kind = Self(rawValue: text) ?? (text == "intercepted" ? .certificate : nil) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no kind of failure: \(text)")
        }
        self = kind
    }
}

extension Failure {
    /// The name does not exist, or has no address: there is no server to ask.
    package var hasNoAddress: Bool { kind == .nameNotFound || kind == .noAddress }

    /// Whether a server was met that speaks TLS, but not to us.
    var isOfTLS: Bool { kind == .certificate || kind == .tlsHandshake || kind == .tlsVersion }
}

// MARK: - The connection

// Facts of the connection that carried a request: where to, how secured, how fast.

package struct Connection: Codable, Equatable, Sendable {
    /// The remote address in text, without port; nil where no connection was made.
    package var address: String?
    package var port: Int?
    /// `1.0`, `1.1`, `2` or `3`; nil where no answer came.
    package var httpVersion: String?
    package var tls: TLSFacts?
    package var timings: Timings
    package var viaProxy: Bool

    package init(
        address: String?, port: Int?, httpVersion: String?, tls: TLSFacts?, timings: Timings, viaProxy: Bool = false
    ) {
        self.address = address
        self.port = port
        self.httpVersion = httpVersion
        self.tls = tls
        self.timings = timings
        self.viaProxy = viaProxy
    }
}

package struct TLSFacts: Codable, Equatable, Sendable {
    /// As OpenSSL names it, such as `TLSv1.3`; nil where the handshake did not come so far.
    package var version: String?
    /// Leaf first. Where verification failed these come from a second, unverified connection.
    package var chain: [CertificateFacts]
    package var trusted: Bool
    package var problem: CertificateProblem?
    /// The verifier's own words.
    package var detail: String?

    package init(
        version: String?, chain: [CertificateFacts], trusted: Bool, problem: CertificateProblem? = nil,
        detail: String? = nil
    ) {
        self.version = version
        self.chain = chain
        self.trusted = trusted
        self.problem = problem
        self.detail = detail
    }
}

package struct CertificateFacts: Codable, Equatable, Sendable {
    package var subject: String
    package var issuer: String
    package var notBefore: Date?
    package var notAfter: Date?
    /// DNS names of the subject alternative name extension.
    package var names: [String]
    /// Where the certificate says that its issuer's is found (Authority Information Access, "CA Issuers"); nil where it
    /// does not.
    package var issuerURL: String?

    package init(
        subject: String, issuer: String, notBefore: Date?, notAfter: Date?, names: [String], issuerURL: String? = nil
    ) {
        self.subject = subject
        self.issuer = issuer
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.names = names
        self.issuerURL = issuerURL
    }
}

package enum CertificateProblem: String, Codable, Sendable, CaseIterable {
    case expired
    case notYetValid = "not_yet_valid"
    case nameMismatch = "name_mismatch"
    case selfSigned = "self_signed"
    case untrustedRoot = "untrusted_root"
    /// The chain as sent does not lead to a root: an intermediate is missing, or the root is unknown.
    case incompleteChain = "incomplete_chain"
    case revoked
    case other
}

/// Milliseconds from the start of the request to the end of each phase; nil for a phase that was not reached.
package struct Timings: Codable, Equatable, Sendable {
    package var dns: Double?
    package var connect: Double?
    package var tls: Double?
    package var firstByte: Double?
    package var total: Double

    package init(
        dns: Double? = nil, connect: Double? = nil, tls: Double? = nil, firstByte: Double? = nil, total: Double
    ) {
        self.dns = dns
        self.connect = connect
        self.tls = tls
        self.firstByte = firstByte
        self.total = total
    }
}
