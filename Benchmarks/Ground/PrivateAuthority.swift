import Foundation

/// A root made for this run, the server's certificate signed by it, and a trust store of real size that holds the root.
struct PrivateAuthority {
    struct Identity: Sendable {
        /// Paths of PEM files.
        let certificate: String
        let key: String
    }

    let identity: Identity
    /// Path of a PEM bundle: the distribution's, and the root at its end.
    let trustStore: String
    let certificates: Int

    /// - Throws: `BenchFault` where openssl fails.
    init(premises: Premises, openssl: String) throws {
        let settings = try premises.write(Data(Self.settings.utf8), to: "openssl.cnf")
        let (rootKey, root) = (premises.path("root.key"), premises.path("root.pem"))
        let identity = Identity(certificate: premises.path("server.pem"), key: premises.path("server.key"))
        let common = [
            "req", "-x509", "-config", settings, "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc",
            "-days", "90",
        ]
        for arguments in [
            ["-extensions", "root", "-subj", "/CN=aasa-monitor-bench root", "-keyout", rootKey, "-out", root],
            [
                "-extensions", "server", "-subj", "/CN=\(Workload.host)", "-CA", root, "-CAkey", rootKey,
                "-keyout", identity.key, "-out", identity.certificate,
            ],
        ] {
            let outcome = try premises.run(openssl, common + arguments)
            guard outcome.code == 0 else {
                throw BenchFault("openssl makes no certificate (3.0 or later is needed): \(outcome.firstComplaint)")
            }
        }
        var bundle = try Data(contentsOf: URL(filePath: Tools.systemBundle))
        bundle.append(try Data(contentsOf: URL(filePath: root)))
        trustStore = try premises.write(bundle, to: "bundle.pem")
        certificates = String(decoding: bundle, as: UTF8.self)
            .split(separator: "\n").count { $0.hasPrefix("-----BEGIN CERTIFICATE") }
        self.identity = identity
    }

    private static let settings = """
        [req]
        distinguished_name = name
        [name]
        [root]
        basicConstraints = critical, CA:TRUE
        keyUsage = critical, keyCertSign
        subjectKeyIdentifier = hash
        [server]
        basicConstraints = critical, CA:FALSE
        keyUsage = critical, digitalSignature
        extendedKeyUsage = serverAuth
        subjectAltName = DNS:\(Workload.host), DNS:*.\(LoadServer.domain)
        authorityKeyIdentifier = keyid

        """
}
