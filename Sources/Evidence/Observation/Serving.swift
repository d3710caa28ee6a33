// What one address, edge, user agent or place is given: as much of it as two of them can be compared by. An error page
// differs from one answer to the next; its status does not.

import AASA
import Foundation

enum Serving: Hashable, Sendable {
    /// By its meaning: formatting is no difference.
    case file(ContentHash)
    /// Status 200 and a body that is no file.
    case noFile
    /// Status 200 and a body that did not come whole.
    case partial
    /// Where to; empty where it is not said.
    case redirect(String)
    case status(Int)
    case failed(Failure.Kind)

    var isFile: Bool { if case .file = self { true } else { false } }

    /// Whether a server was met at all, be it one whose certificate is refused.
    var isAnswer: Bool { if case .failed = self { false } else { true } }
}

extension Readings {
    func serving(of retrieval: Retrieval) -> Serving {
        switch retrieval.outcome {
        case .failed(let failure): return .failed(failure.kind)
        case .answered(let answer):
            if (300..<400).contains(answer.status), answer.status != 304 {
                return .redirect(retrieval.redirects.last?.target ?? answer.header("location") ?? "")
            }
            if answer.status != 200 { return .status(answer.status) }
            if let meaning = file(of: retrieval)?.meaning { return .file(meaning) }
            return answer.body.end == .complete ? .noFile : .partial
        }
    }

    /// What is given, as the end of a sentence about who gives it.
    func words(for retrieval: Retrieval) -> String {
        switch serving(of: retrieval) {
        case .file: "serves a file (SHA-256 \(body(of: retrieval)?.hash.hex.prefix(8) ?? "unknown")…)"
        case .noFile:
            body(of: retrieval)?.syntaxError?.cause == .htmlPage
                ? "serves an HTML page in place of the file" : "serves something that is no such file"
        case .partial: "does not send the whole file"
        case .redirect(let target):
            target.isEmpty
                ? "redirects without saying where to" : "redirects to \(target.inSentence)"
        case .status(let status): "answers with status \(status)"
        case .failed(.certificate):
            "shows a certificate that is refused"
                + (retrieval.connection?.tls?.problem.map { " (\($0.words))" } ?? "")
        case .failed: retrieval.failure?.words ?? "does not answer"
        }
    }
}

extension CertificateProblem {
    var words: String { rawValue.replacing("_", with: " ") }
}

extension Failure {
    /// As the end of a sentence about the server.
    var words: String {
        switch kind {
        case .nameNotFound: "has a name that does not resolve"
        case .noIPv4Address: "has no IPv4 address"
        case .noIPv6Address: "has no IPv6 address"
        case .connectionRefused: "refuses connections"
        case .unreachable: "cannot be reached (no route)"
        case .timedOut:
            switch phase {
            case .resolving: "has name servers that do not answer in time"
            case .connecting: "does not take the connection in time"
            case .handshaking: "does not finish the TLS handshake in time"
            case .waiting: "takes the request and does not answer in time"
            case .receiving: "does not finish the headers of its answer in time"
            }
        case .connectionReset:
            phase == .receiving ? "breaks off in the headers of its answer" : "ends the connection without an answer"
        case .truncated: "breaks off in the headers of its answer"
        case .tlsHandshake: "fails the TLS handshake"
        case .tlsVersion: "offers only TLS versions that are too old"
        case .certificate: "shows a certificate that is refused"
        case .headersTooLarge: "sends headers without end"
        case .malformedAnswer: "answers with something that is no HTTP"
        case .badEncoding: "sends a body that cannot be decompressed"
        case .privateAddress: "leads to a private or reserved address"
        case .noAddress: "has no address"
        case .nameServerFailure, .noNameServer: "could not be asked, since no name server gave its address"
        case .proxy: "could not be asked, since the proxy failed"
        case .own: "could not be asked from here"
        }
    }

    /// The name does not exist, or has no address: there is no server to ask.
    package var hasNoAddress: Bool { kind == .nameNotFound || kind == .noAddress }

    /// Whether it says nothing about the server: our own fault, or that of our proxy or name server.
    package var isOwnFault: Bool {
        switch kind {
        case .own, .proxy, .nameServerFailure, .noNameServer: true
        default: false
        }
    }

    /// Whether a server was met that speaks TLS, but not to us.
    var isOfTLS: Bool { kind == .certificate || kind == .tlsHandshake || kind == .tlsVersion }
}

extension [String] {
    /// The first few in a sentence: `a, b and 6 more`.
    func listed(upTo limit: Int = 4) -> String {
        count <= limit ? joined(separator: ", ") : prefix(limit).joined(separator: ", ") + " and \(count - limit) more"
    }
}
