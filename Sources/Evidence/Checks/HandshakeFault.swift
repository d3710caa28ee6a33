// Why a TLS handshake failed that had not come to a certificate, told by the words of the TLS library.

/// The causes that can be told apart. OpenSSL words an alert as `sslv3 alert handshake failure` or, since 3.2, as
/// `ssl/tls alert handshake failure`; some, such as `tlsv1 unrecognized name`, go without that word.
package enum HandshakeFault: Codable, Equatable, Sendable {
    /// What answers on the port speaks no TLS.
    case plainText
    case unknownName
    case clientCertificate
    case noCommonCipher
    /// Another alert, in the library's words.
    case alert(String)
    /// Closed in answer to the client's first message, without a word.
    case closed
    case other

    init(words: String) {
        let words = words.lowercased()
        if ["wrong version number", "http request", "packet length too long", "unknown protocol", "not tls"]
            .contains(where: words.contains)
        {
            self = .plainText
            return
        }
        if words.contains("unrecognized name") || words.contains("unrecognized_name") {
            self = .unknownName
            return
        }
        guard let range = words.firstRange(of: "alert ") else {
            let isClosed = ["unexpected eof", "ssl_error_syscall", "ssl_error_zero_return"].contains(
                where: words.contains)
            self = isClosed ? .closed : .other
            return
        }
        let name = words[range.upperBound...].prefix { $0.isLetter || $0 == " " || $0 == "_" }
            .replacing("_", with: " ").split(separator: " ").prefix(5).joined(separator: " ")
        self =
            switch name {
            case "certificate required": .clientCertificate
            case "handshake failure", "insufficient security": .noCommonCipher
            case "": .other
            default: .alert(name)
            }
    }
}
