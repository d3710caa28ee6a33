// Servers that complete the handshake and require a client certificate in their answer.

import Foundation

enum ClientCertificate {
    static let signs: [AnswerPattern] = [
        AnswerPattern(
            400...403,
            words: [
                "No required SSL certificate was sent", "The SSL certificate error", "HTTP Error 403.7",
                "Error 403.7 -",
                "403.7 - Client Certificate Required", "Cannot perform Post-Handshake Authentication",
                "requires a client certificate", "require a client certificate", "client certificate required",
                "client certificate is required", "client certificate needed", "client certificate is needed",
                "client certificate missing", "missing client certificate", "no client certificate",
                "client certificate not provided", "client certificate was not provided", "SSL client certificate",
                "client certificate not presented", "client certificate was not presented",
                "client certificate authentication", "No required TLS certificate was sent", "requires mutual TLS",
                "mutual TLS required", "mutual TLS authentication required", "mTLS required",
            ]),
        // nginx's own statuses: a bad certificate, and none.
        AnswerPattern(495...496),
    ]
}

extension Readings {
    /// Whether the answer demands a client certificate.
    func demandsClientCertificate(_ answer: Answer) -> Bool {
        guard ClientCertificate.signs.contains(where: { $0.statuses.contains(answer.status) }) else { return false }
        let body = AnswerBody(content(of: answer))
        return ClientCertificate.signs.contains { $0.matches(in: answer, body) != nil }
    }
}
