// Observations in short form: what each side of a check answered.

import Evidence
import Facts
import Foundation

/// What the origin or Apple's CDN answered, or why it did not.
package struct Reply: Sendable {
    package var status = 200
    package var headers: [String: String] = ["Content-Type": "application/json"]
    package var body = Data()
    package var end = Answer.End.complete
    package var failure: Failure?
    package var redirects: [RedirectHop] = []
    package var stop: RedirectStop?
    package var tls: TLSFacts? = TLSFacts(version: "TLSv1.3", chain: [], trusted: true)
    package var firstByte = 20.0

    package static func file(_ text: String) -> Reply { file(Data(text.utf8)) }

    package static func file(_ bytes: Data) -> Reply {
        var reply = Reply()
        reply.body = bytes
        return reply
    }

    package static func status(_ status: Int, _ headers: [String: String] = [:]) -> Reply {
        var reply = Reply()
        reply.status = status
        reply.headers = headers
        reply.body = Data("Not Found".utf8)
        return reply
    }

    /// Apple's CDN with its crawler's reason, in the format of real answers.
    package static func crawler(_ reason: String, details: String? = nil, maxAge: Int = 3600) -> Reply {
        var reply = status(404, ["Apple-Failure-Reason": reason, "Cache-Control": "max-age=\(maxAge),public"])
        reply.headers["Apple-Failure-Details"] = details
        return reply
    }

    package static func failed(_ kind: Failure.Kind, _ phase: Failure.Phase = .connecting) -> Reply {
        var reply = Reply()
        reply.failure = Failure(kind: kind, phase: phase, detail: "curl's words")
        if phase == .resolving || phase == .connecting { reply.tls = nil }
        return reply
    }

    package static func certificate(_ problem: CertificateProblem) -> Reply {
        var reply = failed(.certificate, .handshaking)
        reply.tls = TLSFacts(
            version: nil,
            chain: [
                CertificateFacts(
                    subject: "CN=example.com", issuer: "CN=Issuer", notBefore: .testing - 100 * 86400,
                    notAfter: .testing + 100 * 86400, names: ["example.com"],
                    issuerURL: "http://ca.example/issuer.cer")
            ], trusted: false, problem: problem, detail: "verify error")
        return reply
    }

    /// The same reply after a change.
    package func with(_ change: (inout Reply) -> Void) -> Reply {
        var copy = self
        change(&copy)
        return copy
    }

    package func expiring(at date: Date) -> Reply {
        with {
            $0.tls?.chain = [
                CertificateFacts(
                    subject: "CN=example.com", issuer: "CN=Issuer", notBefore: date - 90 * 86400, notAfter: date,
                    names: ["example.com"])
            ]
        }
    }

    package func redirected(to target: String, status: Int = 301, stop: RedirectStop? = nil) -> Reply {
        with {
            $0.redirects = [
                RedirectHop(
                    status: status, from: "https://example.com/.well-known/apple-app-site-association",
                    location: target, target: target)
            ]
            $0.stop = stop
            if stop != nil { $0.status = status }
        }
    }

    var hash: ContentHash? { end == .complete ? ContentHash(of: body) : nil }

    func retrieval(of url: String) -> Retrieval {
        let answer = Answer(
            status: status, headers: headers.sorted { $0.key < $1.key }.map(HeaderField.init),
            body: .init(hash: hash, decodedBytes: body.count, wireBytes: body.count, end: end))
        return Retrieval(
            url: url, redirects: redirects, redirectStop: stop,
            outcome: failure.map(Retrieval.Outcome.failed) ?? .answered(answer),
            connection: failure?.phase == .resolving
                ? nil
                : Connection(
                    address: "192.0.2.1", port: 443, httpVersion: failure == nil ? "2" : nil, tls: tls,
                    timings: Timings(firstByte: failure == nil ? firstByte : nil, total: firstByte)))
    }
}

extension HeaderField {
    fileprivate init(_ pair: (key: String, value: String)) { self.init(name: pair.key, value: pair.value) }
}

extension Date {
    /// The time at which tests begin: 2026-11-21T07:00:00Z.
    package static let testing = Date(timeIntervalSince1970: 1_795_244_400)
}

extension Observation {
    /// One check. `cdn` nil: Apple's CDN was not asked, because of `unasked`.
    package static func of(
        _ name: String = "example.com", at instant: Date = .testing, mode: AssociationMode = .production,
        origin: Reply, cdn: Reply?, unasked: CDNResult.Reason = .originHasNoFile
    ) throws -> Observation {
        let domain = try Domain(name)
        var contents: [ContentHash: Data] = [:]
        for reply in [origin, cdn] {
            if let reply, let hash = reply.hash { contents[hash] = reply.body }
        }
        return Observation(
            domain: domain, checkedAt: instant, mode: mode, origin: origin.retrieval(of: domain.wellKnownURL),
            cdn: cdn.map {
                .asked($0.retrieval(of: "https://app-site-association.cdn-apple.com/a/v1/\(domain.name)"))
            } ?? .notAsked(unasked), contents: contents)
    }
}
