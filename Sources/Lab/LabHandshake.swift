/// What an origin does with a connection between the client's first TLS message, whose name tells it apart, and HTTP.
package enum LabHandshake: Sendable, CaseIterable {
    /// Speaks TLS 1.2 or 1.3 with the origin's certificate.
    case normal
    /// Reads the client's hello and stays silent until the client goes.
    case hang
    /// A TCP reset in answer to the client's hello.
    case reset
    /// A fatal `handshake_failure` alert, then an orderly close.
    case alert
    /// Offers TLS 1.0 and 1.1 only.
    case obsoleteTLS
    /// Answers in plain HTTP on the TLS port.
    case plainText
}
