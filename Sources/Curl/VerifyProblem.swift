/// Why a certificate was refused, from OpenSSL's verify result.
///
/// The numbers are those of `X509_V_ERR_...`: <https://docs.openssl.org/3.0/man3/X509_STORE_CTX_get_error/>
package enum VerifyProblem: Sendable, Equatable {
    case expired
    case notYetValid
    /// The leaf signed itself.
    case selfSigned
    /// The chain is complete but ends in a root that is not trusted here.
    case untrustedRoot
    /// An issuer is missing: the server does not send its intermediates, or the root is unknown here; see `refined(by:)`.
    case incompleteChain
    /// The chain is good, for other names.
    case nameMismatch
    case revoked
    /// Another number of OpenSSL's.
    case other(Int)

    /// nil unless the error is about the certificate.
    package init?(error: CurlError, verifyResult: Int) {
        guard error.code == .certificate else { return nil }
        self.init(verifyResult: verifyResult, message: error.message)
    }

    /// Tells a missing intermediate from an unknown root, which OpenSSL's number alone does not. Where the server did send
    /// the leaf's issuer, and the last certificate of the chain does not say where its own issuer's is found, it is the root
    /// that is not trusted here. One that says so is an intermediate: the next, perhaps a root's cross-signed twin, is missing.
    ///
    /// - Parameter chain: as the server sent it, from a `.handshakeOnly` transfer.
    /// - Returns: `.untrustedRoot` in place of `.incompleteChain` where that holds; any other problem as it is.
    package func refined(by chain: [CertificateText]) -> VerifyProblem {
        guard self == .incompleteChain, var last = chain.first else { return self }
        var length = 1
        while length < chain.count, let next = chain.first(where: { $0.subject == last.issuer }) {
            last = next
            length += 1
        }
        return length > 1 && last.issuerURL == nil ? .untrustedRoot : self
    }

    init(verifyResult: Int, message: String) {
        switch verifyResult {
        case 9: self = .notYetValid
        case 10: self = .expired
        case 18: self = .selfSigned
        case 19: self = .untrustedRoot
        case 2, 20, 21: self = .incompleteChain
        case 23: self = .revoked
        case 62: self = .nameMismatch
        // libcurl compares the names itself, after OpenSSL found the chain good; 1 is what it then leaves in place of a result.
        case 0, 1:
            let aboutNames = message.contains("subject name") || message.contains("common name")
            self = aboutNames ? .nameMismatch : .other(verifyResult)
        default: self = .other(verifyResult)
        }
    }
}
