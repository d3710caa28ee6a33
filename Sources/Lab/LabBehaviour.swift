/// What an origin, the CDN or a receiver does with one request.
package enum LabBehaviour: Sendable {
    case reply(LabReply)
    /// A redirect with that status and `Location`, sent as it stands: it may be relative, absolute or nonsense.
    case redirect(status: Int, location: String)
    /// A redirect with that status to a path of the same host that was never named before, again and again: a chain
    /// without end and without a circle.
    case maze(status: Int)
    case fault(LabFault)
    /// Waits, then does the other.
    indirect case after(Duration, LabBehaviour)
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
    /// One byte of a status line each 200 ms, for ever.
    case slowHeaders
    /// A status line at once, then one byte of header lines each 200 ms, for ever.
    case headerDrip
    /// A status line and half a header line, then an orderly close.
    case shortHead
    /// `Content-Length: 1000`, 100 bytes of it, then a TCP reset.
    case resetMidBody
    /// `Content-Length: 1000`, 100 bytes of it, then an orderly close.
    case shortBody
    /// `Content-Length: 20`, and a file that is longer.
    case longBody
    /// A chunked body that ends, by an orderly close, in the middle of a chunk.
    case truncatedChunk
    /// A status line whose status is no number.
    case malformedStatusLine
    /// The banner of another protocol in place of HTTP.
    case notHTTP
    /// `Content-Encoding: gzip` on bytes that are no gzip.
    case badGzip
}
