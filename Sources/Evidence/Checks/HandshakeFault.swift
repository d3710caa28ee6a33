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

    func describe(_ host: String, in finding: inout Finding) {
        switch self {
        case .plainText:
            finding.message = "what answers on port 443 speaks no TLS"
            finding.fix = "enable HTTPS on that port (in nginx 'listen 443 ssl'), with a certificate for \(host)"
        case .unknownName:
            finding.message = "the server refuses the TLS handshake, since it does not know the name \(host)"
            finding.fix = "add \(host) to the server's or the CDN's configuration, with a certificate for it"
        case .clientCertificate:
            finding.message = "the server demands a client certificate"
            finding.fix = "let every client read the file without a certificate of its own"
        case .noCommonCipher:
            finding.message = "the server refuses the TLS handshake (alert: handshake failure)"
            finding.fix =
                "give the server a certificate for \(host) and the usual ciphers of TLS 1.2 and 1.3, and demand no "
                + "client certificate"
        case .alert(let name):
            finding.message = "the server ends the TLS handshake with the alert '\(name)'"
            finding.fix = "see the server's TLS log, and let it speak TLS 1.2 or 1.3 with a certificate for \(host)"
        case .closed:
            finding.message = "the server closed the connection during the TLS handshake, without an answer"
            finding.fix =
                "see the server's TLS log, and whether it has a certificate for \(host): some close like this for names "
                + "that they do not know, and so do firewalls"
        case .other:
            finding.message = "the TLS handshake failed"
            finding.fix = "let the server speak TLS on port 443, with a certificate for \(host)"
        }
    }
}
