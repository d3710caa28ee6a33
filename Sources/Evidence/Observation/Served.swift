// What a server gave: one type for addresses, edges, user agents, vantages, pages and the root copy.

import AASA
import Facts

/// What a client got in answer to a request for the file.
package enum Served: Codable, Hashable, Sendable {
    /// A version of the file that names a service: its meaning, and the beginning of its SHA-256.
    case file(meaning: ContentHash, name: String)
    /// Status 200 with a web page instead of the file.
    case page
    /// Status 200 with something else that is not a file.
    case noFile
    /// Status 200 with an incomplete body.
    case partial
    /// The target; empty if there is none.
    case redirect(String)
    case status(Int)
    /// A status from a server that requires a client certificate.
    case clientCertificate(status: Int)
    case failed(Failure.Kind, Failure.Phase, CertificateProblem? = nil)

    package var isFile: Bool { if case .file = self { true } else { false } }

    /// The part by which two results are compared. Formatting is not a difference, and error pages vary from one answer
    /// to the next.
    var likeness: Served {
        switch self {
        case .file(let meaning, _): .file(meaning: meaning, name: "")
        case .page, .noFile: .noFile
        case .failed(let kind, _, _): .failed(kind, .connecting)
        case .clientCertificate(let status): .status(status)
        case .partial, .redirect, .status: self
        }
    }

    package func isLike(_ other: Served) -> Bool { likeness == other.likeness }
}

/// What one address or location gave, or several alike.
package struct ServedAt: Codable, Equatable, Sendable {
    package var places: [String]
    package var served: Served

    package init(_ places: [String], _ served: Served) {
        self.places = places
        self.served = served
    }
}

extension [ServedAt] {
    /// Whether all are versions of the file.
    var areVersions: Bool { allSatisfy(\.served.isFile) }
}

extension Readings {
    package func served(by retrieval: Retrieval) -> Served {
        switch retrieval.outcome {
        case .failed(let failure):
            return .failed(
                failure.kind, failure.phase,
                failure.kind == .certificate ? retrieval.connection?.tls?.problem : nil)
        case .answered(let answer):
            if (300..<400).contains(answer.status), answer.status != 304 {
                return .redirect((retrieval.redirects.last?.target ?? answer.header("location") ?? "").inSentence)
            }
            if answer.status != 200 {
                return demandsClientCertificate(answer)
                    ? .clientCertificate(status: answer.status) : .status(answer.status)
            }
            let body = body(of: retrieval)
            if answer.body.end != .complete { return .partial }
            // An object without a service is an answer, but not a version of the file.
            if let body, let meaning = body.meaning, body.namesService {
                return .file(meaning: meaning, name: body.hash.short)
            }
            return body?.isPage == true ? .page : .noFile
        }
    }
}

extension English {
    /// What was given, as the end of a sentence about the server.
    package static func words(_ served: Served, isOther: Bool = false) -> String {
        switch served {
        case .file(_, let name): "serves \(isOther ? "a different" : "a") file (SHA-256 \(name)…)"
        case .page: "serves an HTML page in place of the file"
        case .noFile: "serves something that is not the file"
        case .partial: "does not send the whole file"
        case .redirect(let target): target.isEmpty ? "redirects without a Location header" : "redirects to \(target)"
        case .status(let status): "answers with status \(status)"
        case .clientCertificate(let status): "answers with status \(status) and requires a client certificate"
        case .failed(.certificate, _, let problem):
            "shows a certificate that is refused" + (problem.map { " (\($0.words))" } ?? "")
        case .failed(let kind, let phase, _): words(kind, phase)
        }
    }

    /// `serves two versions of the file`. `here`: further versions that this machine got.
    static func versions(_ served: [Served], here: Int = 0) -> String {
        let count = Swift.max(2, Set(served.map(\.likeness)).count + here)
        return "serves \(count == 2 ? "two" : count == 3 ? "three" : "\(count)") versions of the file"
    }

    /// A failure, as the end of a sentence about the server.
    static func words(_ kind: Failure.Kind, _ phase: Failure.Phase) -> String {
        switch kind {
        case .nameNotFound: "has a name that does not resolve"
        case .noIPv4Address: "has no IPv4 address"
        case .noIPv6Address: "has no IPv6 address"
        case .connectionRefused: "refuses connections"
        case .unreachable: "cannot be reached (no route)"
        case .timedOut:
            switch phase {
            case .resolving: "has name servers that do not answer in time"
            case .connecting: "does not accept the connection in time"
            case .handshaking: "does not finish the TLS handshake in time"
            case .waiting: "accepts the request but does not answer in time"
            case .receiving: "does not finish the headers of its answer in time"
            }
        case .connectionReset:
            phase == .receiving ? "breaks off while it sends its headers" : "ends the connection without an answer"
        case .truncated: "breaks off while it sends its headers"
        case .tlsHandshake: "fails the TLS handshake"
        case .tlsVersion: "offers only TLS versions that are too old"
        case .certificate: "shows a certificate that is refused"
        case .headersTooLarge: "sends endless headers"
        case .malformedAnswer: "answers with something that is not HTTP"
        case .badEncoding: "sends a body that cannot be decompressed"
        case .privateAddress: "leads to a private or reserved address"
        case .noAddress: "has no address"
        case .nameServerFailure, .noNameServer: "could not be asked, because no name server gave its address"
        case .proxy: "could not be asked, because the proxy failed"
        case .own: "could not be asked from here"
        }
    }

    /// `192.0.2.1 refuses connections, 192.0.2.3 answers with status 404`.
    static func words(_ groups: [ServedAt]) -> String { groups.map(words).listed(upTo: 3) }

    static func words(_ group: ServedAt) -> String {
        "\(group.places.listed(upTo: 2))\(group.places.count > 1 ? " each" : "") \(words(group.served))"
    }

    /// What each group got, for the evidence.
    static func evidence(_ groups: [ServedAt]) -> [String: String] {
        var evidence: [String: String] = [:]
        for (index, group) in groups.prefix(6).enumerated() {
            evidence["group_\(index + 1)"] = "\(group.places.joined(separator: ", ")): \(words(group.served))"
        }
        return evidence
    }
}
