import Foundation

/// What came of one transfer. A failure is a value here: whatever arrived before it is kept.
package struct TransferResult: Sendable, Equatable {
    package enum BodyEnd: Sendable {
        case complete
        /// The body was longer than `TransferLimits.bodyBytes`; `body` is its beginning.
        case capped
    }

    package struct Header: Sendable, Equatable {
        /// Lower case.
        package var name: String
        /// Without surrounding white space; bytes that are not UTF-8 are replaced.
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Of the last header block; nil where none arrived, or only informational ones (1xx).
    package var status: Int?
    /// The last header block in the order received. No informational block, no proxy's answer to CONNECT, no trailers.
    package var headers: [Header]
    /// Whether the headers came to their end. Where they did not, `status` and `headers` are the beginning of an answer
    /// that nobody finished.
    package var headEnded: Bool
    package var body: Data
    package var bodyEnd: BodyEnd
    /// Bytes of the body as they came over the wire, before decoding.
    package var wireBytes: Int
    /// nil when nothing went wrong; a capped body is not an error.
    package var error: CurlError?
    package var facts: ConnectionFacts
    /// What was said to a mail server, and what it replied; nil for HTTP.
    package var mail: MailDialogue?

    package init(
        status: Int? = nil, headers: [Header] = [], headEnded: Bool = true, body: Data = Data(),
        bodyEnd: BodyEnd = .complete, wireBytes: Int = 0, error: CurlError? = nil,
        facts: ConnectionFacts = ConnectionFacts()
    ) {
        self.status = status
        self.headers = headers
        self.headEnded = headEnded
        self.body = body
        self.bodyEnd = bodyEnd
        self.wireBytes = wireBytes
        self.error = error
        self.facts = facts
    }

    /// The first value of a header; `name` in any case.
    package func header(_ name: String) -> String? {
        let wanted = name.lowercased()
        return headers.first { $0.name == wanted }?.value
    }

    /// Why the certificate was refused; nil where `error` is about something else.
    package var verifyProblem: VerifyProblem? {
        error.flatMap { VerifyProblem(error: $0, verifyResult: facts.verifyResult) }
    }
}

/// What is known of the connection that carried a transfer, as far as it came.
package struct ConnectionFacts: Sendable, Equatable {
    /// Time from the start of the transfer until the end of each step, as curl counts: `tls` includes `connect` includes
    /// `dns`. nil for a step that was not reached or not needed.
    package struct Timings: Sendable, Equatable {
        package var dns: Duration?
        package var connect: Duration?
        package var tls: Duration?
        package var firstByte: Duration?
        package var total: Duration

        package init(
            dns: Duration? = nil, connect: Duration? = nil, tls: Duration? = nil, firstByte: Duration? = nil,
            total: Duration = .zero
        ) {
            self.dns = dns
            self.connect = connect
            self.tls = tls
            self.firstByte = firstByte
            self.total = total
        }
    }

    /// The address connected to (the proxy's where `viaProxy`), without brackets; nil before TCP was connected.
    package var remoteAddress: String?
    package var remotePort: Int?
    /// "1.0", "1.1", "2" or "3".
    package var httpVersion: String?
    /// As OpenSSL names it: "TLSv1.2", "TLSv1.3"; nil without TLS, before the handshake was done, or where libcurl uses
    /// another TLS library.
    package var tlsVersion: String?
    /// As the server sent it, the leaf first. Empty where the chain was refused (ask again with `.handshakeOnly`) and on
    /// a reused connection.
    package var chain: [CertificateText]
    /// OpenSSL's `X509_V_...` number: 0 for fine or no TLS, 1 where the handshake broke off without a verdict. See
    /// `TransferResult.verifyProblem`.
    package var verifyResult: Int
    package var timings: Timings
    package var reusedConnection: Bool
    package var viaProxy: Bool
    /// The addresses that the resolver of this machine gave for the host; none where it was not asked, as the user's own rules or
    /// a proxy say where the host is.
    package var resolved: [String] = []

    package init(
        remoteAddress: String? = nil, remotePort: Int? = nil, httpVersion: String? = nil, tlsVersion: String? = nil,
        chain: [CertificateText] = [], verifyResult: Int = 0, timings: Timings = Timings(),
        reusedConnection: Bool = false, viaProxy: Bool = false
    ) {
        self.remoteAddress = remoteAddress
        self.remotePort = remotePort
        self.httpVersion = httpVersion
        self.tlsVersion = tlsVersion
        self.chain = chain
        self.verifyResult = verifyResult
        self.timings = timings
        self.reusedConnection = reusedConnection
        self.viaProxy = viaProxy
    }
}
