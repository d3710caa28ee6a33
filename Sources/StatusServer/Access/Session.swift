// What a browser keeps after the login form: a value made of the token, so that it ends with it, and does not reveal it.

import Foundation
import HTTPTypes
import Hashing
import Hummingbird

enum Session {
    private static let name = "aasa_monitor_session"
    private static let lifeSeconds = 30 * 86400

    /// Of a `Cookie` header; nil where it has none.
    static func value(of request: Request) -> String? {
        for field in request.headers[values: .cookie] {
            for pair in field.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, parts[0].trimmingCharacters(in: .whitespaces) == name else { continue }
                return parts[1].trimmingCharacters(in: .whitespaces)
            }
        }
        return nil
    }

    /// `isSecure`: people reach the page by HTTPS.
    static func cookie(_ value: String, isSecure: Bool) -> String {
        "\(name)=\(value); Path=/; Max-Age=\(lifeSeconds); HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
    }

    static let end = "\(name)=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict"
}

extension AccessToken {
    /// What a session of this token has.
    var session: String {
        Digest.sha256.authenticationCode(for: "aasa-monitor page session".utf8, key: bytes).hexadecimal
    }

    func opens(session shown: String) -> Bool {
        guard !bytes.isEmpty else { return false }
        return Self.isEqual(Array(shown.utf8), Array(session.utf8))
    }

    func opens(token shown: String) -> Bool { equals(Array(shown.utf8)) }
}
