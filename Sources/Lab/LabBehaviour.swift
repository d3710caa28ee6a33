/// What an origin, the CDN or a receiver does with one request.
package enum LabBehaviour: Sendable {
    case reply(LabReply)
    /// A redirect with that status and `Location`, sent as it stands: it may be relative, absolute or nonsense.
    case redirect(status: Int, location: String)
    case fault(LabFault)
}

/// What a broken or hostile server does once it has read a request. Each fault is really on the wire.
package enum LabFault: String, Sendable, CaseIterable {
    /// Accepts the request, never answers.
    case hang
    /// A TCP reset after the request was read.
    case reset
    /// An orderly close without an answer.
    case close
    /// A status line, then header lines without end.
    case endlessHeaders
    /// A good head without a length, then a body without end.
    case endlessBody
    /// A body of about 100 KB, declared as gzip, that inflates to ``LabGzip/bombInflatedSize`` bytes.
    case gzipBomb
    /// A good head, then one byte of body each 200 ms, for ever.
    case slowDrip
    /// One byte of the head each 200 ms, for ever.
    case slowHeaders
    /// `Content-Length: 1000`, 100 bytes of it, then a TCP reset.
    case resetMidBody
    /// `Content-Length: 1000`, 100 bytes of it, then an orderly close.
    case shortBody
    /// A status line whose status is no number.
    case malformedStatusLine
    /// The banner of another protocol in place of HTTP.
    case notHTTP
    /// `Content-Encoding: gzip` on bytes that are no gzip.
    case badGzip
}
