import Glibc

/// Where distributions keep their trusted certificates.
package enum TrustStore {
    private static let candidates = [
        "/etc/ssl/certs/ca-certificates.crt",  // Debian, Ubuntu, Arch, Gentoo
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Fedora, RHEL
        "/etc/pki/tls/certs/ca-bundle.crt",  // older RHEL
        "/etc/ssl/ca-bundle.pem",  // SUSE
        "/etc/ssl/cert.pem",  // Alpine, BSD
    ]

    /// The first bundle that can be read; nil leaves libcurl with the path it was built with.
    static let distributionBundle: String? = candidates.first { access($0, R_OK) == 0 }

    /// The folder with the same certificates by hash, as Debian, Ubuntu and SUSE have it; nil where it is none.
    package static let distributionFolder: String? = {
        let folder = "/etc/ssl/certs"
        guard let list = opendir(folder) else { return nil }
        defer { closedir(list) }
        while let entry = readdir(list) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.count == 10, name.hasSuffix(".0"), name.prefix(8).allSatisfy(\.isHexDigit) { return folder }
        }
        return nil
    }()
}
