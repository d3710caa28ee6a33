// The secret that opens the pages, and how a request may show it.

import Foundation

struct AccessToken: Sendable, CustomStringConvertible, CustomReflectable {
    let bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.utf8) }

    var description: String { "(hidden)" }
    var customMirror: Mirror { Mirror(self, children: []) }

    /// Whether the value of an `Authorization` header shows the token: as Bearer, or as the password of Basic, by
    /// which a browser can be used.
    func opens(authorization: String) -> Bool {
        guard let blank = authorization.firstIndex(of: " ") else { return false }
        let credentials = authorization[blank...].drop { $0 == " " }
        switch authorization[..<blank].lowercased() {
        case "bearer":
            return equals(Array(credentials.utf8))
        case "basic":
            guard let decoded = Data(base64Encoded: String(credentials)),
                let colon = decoded.firstIndex(of: UInt8(ascii: ":"))
            else { return false }
            return equals(Array(decoded[(colon + 1)...]))
        default:
            return false
        }
    }

    /// An empty token equals nothing.
    func equals(_ shown: [UInt8]) -> Bool { !bytes.isEmpty && Self.isEqual(shown, bytes) }

    /// Takes as long for a first byte that is wrong as for a last one; only the length of what was shown can be timed,
    /// which its sender knows.
    static func isEqual(_ shown: [UInt8], _ secret: [UInt8]) -> Bool {
        guard !secret.isEmpty else { return shown.isEmpty }
        var difference = secret.count ^ shown.count
        for index in shown.indices {
            difference |= Int(shown[index] ^ secret[index % secret.count])
        }
        return difference == 0
    }
}
