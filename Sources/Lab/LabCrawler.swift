// What Apple's crawler would make of an origin, worked out from the origin's rules without a socket. Causes are worded as
// Go's HTTP client words them, since the real crawler's are. Codes: 00101, 00301 and 00401 are Apple's own;
// 00302 stands for connection faults other than time-outs, for which no code is publicly known.

import Foundation

struct LabCrawler: Sendable {
    private enum Outcome {
        case answer(LabReply, from: [String])
        case failure(reason: String, details: String, tryDirect: Bool)
    }

    static let userAgent = "AASA-Bot/1.0.0"
    /// The crawler's patience, as far as anyone outside Apple can tell.
    static let longestWait = Duration.seconds(5)
    private static let hopLimit = 10

    let origins: LabOrigins

    static func url(of host: String) -> String {
        "https://\(host)\(LabOrigin.wellKnownPath)"
    }

    /// What the CDN would remember of a host crawled now.
    func crawl(_ host: String) -> LabCDNCopy {
        switch follow(host: host, path: LabOrigin.wellKnownPath, from: [Self.url(of: host)]) {
        case .failure(let reason, let details, let tryDirect):
            return .failure(
                LabCDNFailure(
                    reason: reason, details: details, tryDirect: tryDirect, from: [Self.url(of: host)]))
        case .answer(let reply, let from):
            let refusal: Outcome? =
                if reply.status != 200 {
                    Self.badStatus(reply.status)
                } else if !Self.isObject(reply.body) {
                    Self.badJSON
                } else {
                    nil
                }
            if case .failure(let reason, let details, let tryDirect) = refusal {
                return .failure(
                    LabCDNFailure(
                        reason: reason, details: details, tryDirect: tryDirect, from: [Self.url(of: host)]))
            }
            return .body(reply.body, from: from)
        }
    }

    private func follow(host: String, path: String, from: [String]) -> Outcome {
        guard let origin = origins.known(host) else {
            return Self.broken("dial tcp: lookup \(host): no such host")
        }
        if let failure = Self.judge(origin.handshake, host) ?? Self.judge(origin.certificate, host, now: Date()) {
            return failure
        }
        let request = LabRequest(
            method: "GET", path: path, headers: [(name: "User-Agent", value: Self.userAgent)], date: Date(), address: ""
        )
        var (behaviour, delay) = (origin.behaviour(for: request), Duration.zero)
        while case .after(let more, let next) = behaviour { (behaviour, delay) = (next, delay + more) }
        switch behaviour {
        case .after: return Self.timeout
        case .reply(let reply):
            return reply.delay + delay > Self.longestWait ? Self.timeout : .answer(reply, from: from)
        case .maze: return Self.broken("stopped after 10 redirects")
        case .redirect(let status, let location):
            guard (300..<400).contains(status) else { return Self.badStatus(status) }
            guard from.count <= Self.hopLimit else { return Self.broken("stopped after 10 redirects") }
            guard let target = URL(string: location, relativeTo: URL(string: from.last ?? ""))?.absoluteURL,
                let nextHost = target.host()
            else { return Self.broken("failed to parse Location header \"\(location.prefix(200))\"") }
            guard target.scheme == "https" else { return Self.broken("redirect to an insecure URL") }
            return follow(
                host: nextHost.lowercased(), path: target.path().isEmpty ? "/" : target.path(),
                from: from + [target.absoluteString])
        case .fault(let fault):
            return Self.judge(fault)
        }
    }

    private static func judge(_ handshake: LabHandshake, _ host: String) -> Outcome? {
        switch handshake {
        case .normal: nil
        case .hang: timeout
        case .reset: broken("read tcp: read: connection reset by peer")
        case .close: broken("EOF")
        case .alert: broken("remote error: tls: handshake failure")
        case .unrecognizedName: broken("remote error: tls: unrecognized name")
        case .obsoleteTLS: broken("remote error: tls: protocol version not supported")
        case .plainText: broken("http: server gave HTTP response to HTTPS client")
        }
    }

    private static func judge(_ certificate: LabCertificate, _ host: String, now: Date) -> Outcome? {
        let prefix = "tls: failed to verify certificate: x509: "
        let outOfDate = prefix + "certificate has expired or is not yet valid: current time \(now.ISO8601Format()) is "
        switch certificate {
        case .valid: return nil
        case .expiring(let left): return left > .zero ? nil : broken(outOfDate + "after the end of its validity")
        case .expired, .expiredIntermediate:
            return broken(outOfDate + "after \((now - 86_400).ISO8601Format())")
        case .notYetValid: return broken(outOfDate + "before \((now + 86_400).ISO8601Format())")
        case .wrongName:
            return broken(prefix + "certificate is valid for \(LabCertificate.wrongNameHost), not \(host)")
        case .commonNameOnly:
            return broken(prefix + "certificate relies on legacy Common Name field, use SANs instead")
        case .selfSigned, .untrustedRoot, .missingIntermediate, .missingSecondIntermediate, .ingressDefault,
            .privateAuthority:
            return broken(prefix + "certificate signed by unknown authority")
        }
    }

    private static func judge(_ fault: LabFault) -> Outcome {
        switch fault {
        case .hang, .slowHeaders, .headerDrip: timeout
        case .slowDrip, .endlessBody:
            .failure(
                reason: "SWCERR00301 Timeout",
                details: cause("context deadline exceeded (Client.Timeout or context cancellation while reading body)"),
                tryDirect: true)
        case .reset, .resetMidBody: broken("read tcp: read: connection reset by peer")
        case .close: broken("EOF")
        case .shortBody, .truncatedChunk, .shortHead: broken("unexpected EOF")
        case .longBody: badJSON
        case .endlessHeaders: broken("net/http: server response headers exceeded 10485760 bytes; aborted")
        case .malformedStatusLine: broken("malformed HTTP status code \"banana\"")
        case .notHTTP: broken("malformed HTTP response \"SSH-2.0-OpenSSH_9.2p1 Debian-2\"")
        case .badGzip: broken("gzip: invalid header")
        case .gzipBomb: badJSON
        }
    }

    private static let timeout = Outcome.failure(
        reason: "SWCERR00301 Timeout",
        details: cause("context deadline exceeded (Client.Timeout exceeded while awaiting headers)"), tryDirect: true)

    private static let badJSON = Outcome.failure(
        reason: "SWCERR00401 Bad JSON content", details: cause("invalid JSON"), tryDirect: false)

    private static func badStatus(_ status: Int) -> Outcome {
        let line = "\(status) \(LabReply.phrase(of: status))"
        return .failure(
            reason: "SWCERR00101 Bad HTTP Response: \(line)", details: "{\"status\":\"\(line)\"}", tryDirect: false)
    }

    private static func broken(_ text: String) -> Outcome {
        .failure(reason: "SWCERR00302 Connection failed", details: cause(text), tryDirect: false)
    }

    private static func cause(_ text: String) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let object = try? encoder.encode(["cause": text])
        return String(decoding: object ?? Data("{}".utf8), as: UTF8.self)
    }

    /// The crawler takes a byte order mark, as the real one was seen to do.
    private static func isObject(_ bytes: [UInt8]) -> Bool {
        let content = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes.dropFirst(3) : bytes[...]
        return (try? JSONSerialization.jsonObject(with: Data(content))) is [String: Any]
    }
}
