// Identities as services take them, all derived, none random: the same after a crash and on another host.

import Foundation
import Hashing

package enum MessageIdentity {
    /// The key of an incident, such as the `dedup_key` of PagerDuty: hexadecimal, 64 characters.
    package static func key(ofIncident id: String) -> String {
        Digest.sha256.hash("incident\u{0}\(id)".utf8).hexadecimal
    }

    /// The key of a message, of names in a fixed order that make it unique: hexadecimal, 64 characters.
    static func key(ofMessages keys: [String]) -> String {
        let text = (["digest"] + keys).joined(separator: "\u{0}")
        return Digest.sha256.hash(text.utf8).hexadecimal
    }

    /// A UUID of version 5 in the namespace of URLs. RFC 9562, section 5.5.
    static func uuid(_ name: String) -> String {
        let namespace: [UInt8] = [
            0x6b, 0xa7, 0xb8, 0x11, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8,
        ]
        var bytes = Array(Digest.sha1.hash(namespace + name.utf8).prefix(16))
        bytes[6] = bytes[6] & 0x0f | 0x50
        bytes[8] = bytes[8] & 0x3f | 0x80
        var rest = Substring(bytes.hexadecimal)
        return [8, 4, 4, 4, 12].map { length in
            defer { rest = rest.dropFirst(length) }
            return String(rest.prefix(length))
        }.joined(separator: "-")
    }
}
