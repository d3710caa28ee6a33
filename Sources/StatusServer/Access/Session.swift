// What a browser keeps after the login: a random number, not derived from the token.

import Evidence
import Foundation
import HTTPTypes
import Hashing
import Hummingbird

/// The cookie of a session.
enum Session {
    private static let name = "aasa_monitor_session"
    static let lifeSeconds = 30 * 86400

    /// From a `Cookie` header; nil if it has none.
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

    /// `isSecure`: people reach the page over HTTPS.
    static func cookie(_ value: String, isSecure: Bool) -> String {
        "\(name)=\(value); Path=/; Max-Age=\(lifeSeconds); HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
    }

    static let end = "\(name)=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict"
}

/// The open sessions, only in memory: they end with the process.
struct SessionTable: Sendable {
    private struct Entry {
        let role: Role
        let ends: Date
    }

    /// By the hash of the number: the time of a lookup must not reveal a number.
    private var entries: [[UInt8]: Entry] = [:]

    /// At the limit, the oldest session ends.
    private static let capacity = 1024

    /// - Returns: the number of the session.
    mutating func begin(of role: Role, at now: Date) -> String {
        entries = entries.filter { $0.value.ends > now }
        if entries.count >= Self.capacity, let oldest = entries.min(by: { $0.value.ends < $1.value.ends })?.key {
            entries[oldest] = nil
        }
        var random = SystemRandomNumberGenerator()
        let number = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }.hexadecimal
        entries[Self.key(number)] = Entry(role: role, ends: now + TimeInterval(Session.lifeSeconds))
        return number
    }

    func role(of number: String, at now: Date) -> Role? {
        entries[Self.key(number)].flatMap { $0.ends > now ? $0.role : nil }
    }

    mutating func end(_ number: String) { entries[Self.key(number)] = nil }

    private static func key(_ number: String) -> [UInt8] { Digest.sha256.hash(number.utf8) }
}
