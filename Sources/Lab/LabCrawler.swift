// The result of Apple's crawler for an origin, computed from the origin's rules without a socket. Causes have the
// wording of Go's HTTP client, like those of the real crawler. Codes: 00101 and 00401 are Apple's; 00302 is for
// connection errors other than timeouts, whose code is not publicly known.

import Foundation

package struct LabCrawler: Sendable {
    package enum Outcome: Sendable {
        case answer(LabReply, from: [String])
        case failure(LabCDNFailure)
    }

    let origins: LabOrigins

    static func url(of host: String) -> String {
        "https://\(host)\(LabOrigin.wellKnownPath)"
    }

    /// What the CDN remembers of a host that is crawled now.
    func crawl(_ host: String) -> LabCDNCopy {
        switch follow(host: host, path: LabOrigin.wellKnownPath, from: [Self.url(of: host)]) {
        case .failure(let failure): .failure(failure)
        case .answer(let reply, _) where reply.status != 200: .failure(.badStatus(reply.status))
        case .answer(let reply, _) where !Self.isObject(reply.body): .failure(.badJSON)
        case .answer(let reply, let urls): .body(reply.body, from: urls)
        }
    }

    /// The result of a request to a host for a path; `urls` are the URLs that led there, including this one.
    package func follow(host: String, path: String, from urls: [String]) -> Outcome {
        guard let origin = origins.known(host) else {
            return .failure(.broken("dial tcp: lookup \(host): no such host"))
        }
        if let failure = origin[greetingAt: nil].handshake?.crawled { return .failure(failure) }
        if let refusal = origin.certificate.refusal(host, Date()) {
            return .failure(.broken("tls: failed to verify certificate: x509: \(refusal)"))
        }
        let request = LabRequest(
            method: "GET", path: path, headers: [(name: "User-Agent", value: "AASA-Bot/1.0.0")], date: Date(),
            address: "")
        return outcome(of: origin.behaviour(for: request), from: urls)
    }

    package func outcome(of behaviour: LabBehaviour, from urls: [String]) -> Outcome {
        switch behaviour {
        case .reply(let reply): .answer(reply, from: urls)
        case .act(let act): act.outcome(for: self, from: urls)
        }
    }

    /// Accepts a byte order mark, like the real crawler (observed).
    private static func isObject(_ bytes: [UInt8]) -> Bool {
        let content = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes.dropFirst(3) : bytes[...]
        return (try? JSONSerialization.jsonObject(with: Data(content))) is [String: Any]
    }
}

/// A failure as the CDN serves it: the text is always "Not Found"; the reason is in the headers.
package struct LabCDNFailure: Sendable {
    /// The real CDN always answers 404.
    let status: Int
    /// `SWCERRnnnnn text`, the value of `Apple-Failure-Reason`. nil: a bare 404, which says nothing about the origin.
    let reason: String?
    /// A JSON object, the value of `Apple-Failure-Details`.
    let details: String?
    let tryDirect: Bool

    package init(status: Int = 404, reason: String?, details: String?, tryDirect: Bool = false) {
        (self.status, self.reason, self.details, self.tryDirect) = (status, reason, details, tryDirect)
    }

    package init(reason: String, cause: String, tryDirect: Bool = false) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let object = (try? encoder.encode(["cause": cause])) ?? Data("{}".utf8)
        self.init(reason: reason, details: String(decoding: object, as: UTF8.self), tryDirect: tryDirect)
    }

    package static let badJSON = LabCDNFailure(reason: "SWCERR00401 Bad JSON content", cause: "invalid JSON")

    package static func badStatus(_ status: Int) -> LabCDNFailure {
        let line = "\(status) \(LabReply.phrase(of: status))"
        return LabCDNFailure(reason: "SWCERR00101 Bad HTTP Response: \(line)", details: "{\"status\":\"\(line)\"}")
    }

    package static func broken(_ cause: String) -> LabCDNFailure {
        LabCDNFailure(reason: "SWCERR00302 Connection failed", cause: cause)
    }
}
