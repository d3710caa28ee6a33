import Glibc

/// Where distributions keep their bundle of trusted certificates.
enum TrustStore {
    private static let candidates = [
        "/etc/ssl/certs/ca-certificates.crt",  // Debian, Ubuntu, Arch, Gentoo
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Fedora, RHEL
        "/etc/pki/tls/certs/ca-bundle.crt",  // older RHEL
        "/etc/ssl/ca-bundle.pem",  // SUSE
        "/etc/ssl/cert.pem",  // Alpine, BSD
    ]

    /// The first bundle that can be read; nil leaves libcurl with the path it was built with.
    static let distributionBundle: String? = candidates.first { access($0, R_OK) == 0 }
}
