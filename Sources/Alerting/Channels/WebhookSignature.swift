// Signatures by Standard Webhooks: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md

import Foundation
import Hashing

enum WebhookSignature {
    /// The value of `webhook-signature`: `v1,` and the Base64 of HMAC-SHA256 over `id.timestamp.body`, for each key.
    static func header(id: String, timestamp: Int, body: Data, keys: [Data]) -> String {
        let signed = Data("\(id).\(timestamp).".utf8) + body
        return keys.map { key in
            "v1," + Data(Digest.sha256.authenticationCode(for: signed, key: key)).base64EncodedString()
        }.joined(separator: " ")
    }
}

extension Channel {
    /// Reads the signing secrets of a configuration: `whsec_` and Base64, several apart by blanks during a rotation. A text
    /// of any other form is one key, taken byte for byte.
    /// - Throws: `ChannelFault`, without the secret.
    package static func signingKeys(parsing text: String, channel: String) throws(ChannelFault) -> [Data] {
        let prefix = "whsec_"
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !trimmed.isEmpty else {
            throw ChannelFault(channel: channel, reason: "its secret is empty; leave it out to send unsigned")
        }
        guard trimmed.hasPrefix(prefix) else { return [Data(trimmed.utf8)] }
        var keys: [Data] = []
        for part in trimmed.split(whereSeparator: \.isWhitespace) {
            guard part.hasPrefix(prefix), let key = Data(base64Encoded: String(part.dropFirst(prefix.count))),
                !key.isEmpty
            else {
                throw ChannelFault(channel: channel, reason: "its secret begins with whsec_ but is not Base64 after it")
            }
            keys.append(key)
        }
        return keys
    }
}
