import Foundation

/// A certificate chain as a server sends it, and the key of its first certificate.
package struct LabIdentity: Sendable {
    /// DER, the leaf first; never the root.
    package let certificates: [[UInt8]]
    /// DER of the leaf's P-256 key.
    package let key: [UInt8]

    /// The chain as PEM, the leaf first.
    package var certificatesPEM: String {
        certificates.map { Self.pem($0, "CERTIFICATE") }.joined()
    }

    /// The key as PEM.
    package var keyPEM: String { Self.pem(key, "PRIVATE KEY") }

    static func pem(_ der: [UInt8], _ label: String) -> String {
        let text = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN \(label)-----\n\(text)\n-----END \(label)-----\n"
    }
}
