// Certificates: what a chain says, why it was refused, and where trusted ones are stored.

import Facts
import Foundation
import Glibc

extension CertificateFacts {
    /// Parses the "Label:value" lines of CURLINFO_CERTINFO; libcurl prints names as "C = US, O = Example, CN =
    /// example.com". The text is for people and for dates: only OpenSSL decides whether a certificate is valid.
    init(lines: [String]) {
        self.init(subject: "", issuer: "", notBefore: nil, notAfter: nil, names: [])
        for line in lines {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = String(line[line.index(after: colon)...])
            switch line[..<colon] {
            case "Subject": subject = value
            case "Issuer": issuer = value
            case "Start date": notBefore = Date(openSSL: value)
            case "Expire date": notAfter = Date(openSSL: value)
            case "X509v3 Subject Alternative Name": names = Self.dnsNames(value)
            case "Authority Information Access": issuerURL = Self.issuerURL(value)
            default: break
            }
        }
    }

    private static func dnsNames(_ text: String) -> [String] {
        text.split(whereSeparator: { $0 == "," || $0.isNewline }).compactMap { part in
            let entry = part.drop(while: \.isWhitespace)
            return entry.hasPrefix("DNS:") ? String(entry.dropFirst(4)) : nil
        }
    }

    /// Parses OpenSSL's "CA Issuers - URI:http://…", one access method per line.
    private static func issuerURL(_ text: String) -> String? {
        let sign = "CA Issuers - URI:"
        return text.split(whereSeparator: \.isNewline).lazy
            .compactMap { line in line.firstRange(of: sign).map { String(line[$0.upperBound...]) } }
            .first { !$0.isEmpty }
    }
}

extension CertificateProblem {
    /// Maps OpenSSL's verify result, an `X509_V_ERR_...` number:
    /// <https://docs.openssl.org/3.0/man3/X509_STORE_CTX_get_error/>
    init(verifyResult: Int, message: String) {
        switch verifyResult {
        case 9: self = .notYetValid
        case 10: self = .expired
        case 18: self = .selfSigned
        case 19: self = .untrustedRoot
        case 2, 20, 21: self = .incompleteChain
        case 23: self = .revoked
        case 62: self = .nameMismatch
        // libcurl compares the names itself after OpenSSL accepts the chain, and then leaves 1 instead of a result.
        case 0, 1:
            let isAboutNames = message.contains("subject name") || message.contains("common name")
            self = isAboutNames ? .nameMismatch : .other
        default: self = .other
        }
    }

    /// Distinguishes a missing intermediate from an unknown root; OpenSSL's number does not. If the server sent the
    /// leaf's issuer, and the last certificate names no issuer URL, the root is not trusted here. A last certificate
    /// that names one is an intermediate: the next one, perhaps a cross-signed root, is missing.
    ///
    /// - Parameter chain: as the server sent it, from an unverified handshake.
    /// - Returns: `.untrustedRoot` instead of `.incompleteChain` for such a root; any other problem unchanged.
    package func refined(by chain: [CertificateFacts]) -> CertificateProblem {
        guard self == .incompleteChain, var last = chain.first else { return self }
        var length = 1
        while length < chain.count, let next = chain.first(where: { $0.subject == last.issuer }) {
            last = next
            length += 1
        }
        return length > 1 && last.issuerURL == nil ? .untrustedRoot : self
    }
}

/// Where distributions store trusted certificates.
package enum TrustStore {
    private static let candidates = [
        "/etc/ssl/certs/ca-certificates.crt",  // Debian, Ubuntu, Arch, Gentoo
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Fedora, RHEL
        "/etc/pki/tls/certs/ca-bundle.crt",  // older RHEL
        "/etc/ssl/ca-bundle.pem",  // SUSE
        "/etc/ssl/cert.pem",  // Alpine, BSD
    ]

    /// The first readable bundle; if nil, libcurl uses its built-in path.
    static let distributionBundle: String? = candidates.first { access($0, R_OK) == 0 }

    /// The folder with the same certificates by hash, as on Debian, Ubuntu and SUSE; nil if there is none.
    package static let distributionFolder: String? = {
        let folder = "/etc/ssl/certs"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let isByHash = names.contains {
            $0.count == 10 && $0.hasSuffix(".0") && $0.prefix(8).allSatisfy(\.isHexDigit)
        }
        return isByHash ? folder : nil
    }()
}
