// What somebody was given, as arguments of a cause.

import AASA
import Facts
import Foundation

/// What one address, agent or place was given in answer to the request for the file.
package enum Given: Codable, Equatable, Sendable {
    /// By the beginning of its SHA-256.
    case file(String)
    case page
    case noFile
    case partial
    /// Where to; empty where it is not said.
    case redirect(String)
    case status(Int)
    /// A status, with the demand for a certificate of the client.
    case clientCertificate(status: Int)
    case certificate(CertificateProblem?)
    case failed(Failure.Kind, Failure.Phase)
}

/// What was given at one address or place, or at several alike.
package struct GivenAt: Codable, Equatable, Sendable {
    package var places: [String]
    package var given: Given
    /// A place that was asked once more, at another moment.
    package var again: String?

    package init(_ places: [String], _ given: Given, again: String? = nil) {
        self.places = places
        self.given = given
        self.again = again
    }
}

extension [GivenAt] {
    /// Whether all are versions of the file.
    var areVersions: Bool { allSatisfy { if case .file = $0.given { true } else { false } } }
}

/// What the addresses of one name give, the worst first.
package struct AddressAnswers: Codable, Equatable, Sendable {
    /// How many give the file; nil where they give several.
    package var good: Int?
    package var asked: Int
    package var groups: [GivenAt]

    package init(good: Int?, asked: Int, groups: [GivenAt]) {
        self.good = good
        self.asked = asked
        self.groups = groups
    }
}

/// Apple's own words about its crawler, verbatim but cleaned and bounded.
package struct AppleWord: Codable, Equatable, Sendable {
    package var code: String?
    package var reason: String

    package init(code: String?, reason: String) {
        self.code = code
        self.reason = reason
    }

    init(_ failure: CrawlerFailure) {
        self.init(code: failure.code?.inSentence, reason: failure.reason.inSentence)
    }
}

extension Readings {
    func given(of retrieval: Retrieval) -> Given {
        switch serving(of: retrieval) {
        // An object without a service is an answer, and no version of the file.
        case .file where body(of: retrieval)?.namesService == false: .noFile
        case .file: .file(body(of: retrieval).map { String($0.hash.hex.prefix(8)) } ?? "")
        case .noFile: body(of: retrieval)?.syntaxError?.cause == .htmlPage ? .page : .noFile
        case .partial: .partial
        case .redirect(let target): .redirect(target.inSentence)
        case .status(let status):
            retrieval.answer.map(demandsClientCertificate) == true
                ? .clientCertificate(status: status) : .status(status)
        case .failed(.certificate): .certificate(retrieval.connection?.tls?.problem)
        case .failed(let kind): .failed(kind, retrieval.failure?.phase ?? .connecting)
        }
    }
}
