// The connection that carried a request (address, TLS, timings), and a header field of its answer.

import Foundation

package struct Connection: Codable, Equatable, Sendable {
    /// The remote address as text, without port; nil if no connection was made.
    package var address: String?
    package var port: Int?
    /// `1.0`, `1.1`, `2` or `3`; nil without an answer.
    package var httpVersion: String?
    package var tls: TLSFacts?
    package var timings: Timings
    package var viaProxy: Bool

    package init(
        address: String? = nil, port: Int? = nil, httpVersion: String? = nil, tls: TLSFacts? = nil, timings: Timings,
        viaProxy: Bool = false
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
    /// OpenSSL's name, such as `TLSv1.3`; nil if no handshake completed.
    package var version: String?
    /// Leaf first. If verification failed, the chain comes from a second, unverified connection.
    package var chain: [CertificateFacts]
    package var trusted: Bool
    package var problem: CertificateProblem?
    /// The verifier's message.
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
    /// The URL of the issuer's certificate (Authority Information Access, "CA Issuers"); nil if absent.
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

/// A header field: the name in lower case, the value verbatim.
package struct HeaderField: Codable, Equatable, Sendable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
        self.name = name.lowercased()
        self.value = value
    }
}
