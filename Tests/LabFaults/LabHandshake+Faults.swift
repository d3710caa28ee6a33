// What a broken, old or misconfigured server does instead of the handshake.

import COpenSSL
import Lab
import NIOCore

extension LabHandshake {
    /// Reads the client's hello and stays silent until the client disconnects.
    package static let hang = LabHandshake("hang", crawled: .timeout) { channel in
        try channel.pipeline.syncOperations.addHandler(LabDeafEar())
    }
    /// A TCP reset after the client's hello.
    package static let reset = LabHandshake(
        "reset", crawled: .broken("read tcp: read: connection reset by peer")
    ) { $0.resetNow() }
    /// A normal close after the client's hello.
    package static let close = LabHandshake("close", crawled: .broken("EOF")) { $0.close(promise: nil) }
    /// A fatal `handshake_failure` alert, then a normal close.
    package static let alert = LabHandshake("alert", crawled: .broken("remote error: tls: handshake failure")) {
        try $0.refuse(alert: 40)
    }
    /// A fatal `unrecognized_name` alert, as from a server without this site, then a normal close.
    package static let unrecognizedName = LabHandshake(
        "unrecognizedName", crawled: .broken("remote error: tls: unrecognized name")
    ) { try $0.refuse(alert: 112) }
    /// Offers only TLS 1.0 and 1.1.
    package static let obsoleteTLS = LabHandshake(
        "obsoleteTLS", crawled: .broken("remote error: tls: protocol version not supported"),
        adjust: { (context) throws(LabTLSError) in
            try LabTLSError.unlessOne(
                "TLS versions", aasa_openssl_set_versions(context, TLS1_VERSION, TLS1_1_VERSION))
            // Since OpenSSL 3 these versions need SHA-1 signatures, which only security level 0 allows.
            try LabTLSError.unlessOne("old ciphers", SSL_CTX_set_cipher_list(context, "DEFAULT:@SECLEVEL=0"))
        })
    /// Answers in plain HTTP on the TLS port.
    package static let plainText = LabHandshake(
        "plainText", crawled: .broken("http: server gave HTTP response to HTTPS client")
    ) { channel in
        try channel.pipeline.syncOperations.addHandler(LabDeafEar())
        let text = "Client sent a TLS hello to a plain HTTP server.\n"
        let reply = LabReply(status: 400, headers: [("Content-Type", "text/plain")], body: Array(text.utf8))
        channel.sayAndClose(reply.wireBytes(omitsBody: false, keepsAlive: false))
    }
}

extension LabHandshake: Hashable, CaseIterable, CustomStringConvertible {
    package static let allCases: [LabHandshake] = [
        .normal, .hang, .reset, .close, .alert, .unrecognizedName, .obsoleteTLS, .plainText,
    ]

    package static func == (one: Self, other: Self) -> Bool { one.name == other.name }
    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
    package var description: String { name }
}
