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
}

extension Failure {
    /// The name does not exist, or has no address: there is no server to ask.
    package var hasNoAddress: Bool { kind == .nameNotFound || kind == .noAddress }

    /// Whether it says nothing about the server: our own fault, or that of our proxy, name server or network.
    package var isOwnFault: Bool {
        switch kind {
        case .own, .proxy, .nameServerFailure, .noNameServer, .intercepted: true
        default: false
        }
    }

    /// Whether a server was met that speaks TLS, but not to us.
    var isOfTLS: Bool { kind == .certificate || kind == .tlsHandshake || kind == .tlsVersion }
}
