/// What an origin does with a connection between the client's first TLS message, whose name tells it apart, and HTTP.
package enum LabHandshake: Sendable, CaseIterable {
    /// Speaks TLS 1.2 or 1.3 with the origin's certificate.
    case normal
    /// Reads the client's hello and stays silent until the client goes.
    case hang
    /// A TCP reset in answer to the client's hello.
    case reset
    /// An orderly close in answer to the client's hello.
    case close
    /// A fatal `handshake_failure` alert, then an orderly close.
    case alert
    /// A fatal `unrecognized_name` alert, as from a server that has no such site, then an orderly close.
    case unrecognizedName
    /// Offers TLS 1.0 and 1.1 only.
    case obsoleteTLS
    /// Answers in plain HTTP on the TLS port.
    case plainText
}
