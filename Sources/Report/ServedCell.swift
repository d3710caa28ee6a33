// What an address, an edge, a vantage or an agent got, in a few words: for `check`, `audit` and the page of a domain.

import Evidence
import Facts
import Foundation

/// What one of several servers gave, for a table of them.
package struct ServedCell {
    package let served: Served
    /// A detail: the type of what is not a file, the status of a redirect, Apple's reason, libcurl's message.
    private let detail: String

    package init(_ retrieval: Retrieval, in readings: Readings) {
        served = readings.served(by: retrieval)
        let answer = retrieval.answer
        let tooLarge = readings.body(of: retrieval).flatMap { $0.isTooLarge ? "\($0.byteCount.grouped) bytes" : nil }
        detail =
            switch served {
            case .noFile where tooLarge != nil: tooLarge ?? ""
            case .page, .noFile: answer?.header("content-type") ?? "no Content-Type"
            case .redirect: "\(retrieval.redirects.last?.status ?? answer?.status ?? 0)"
            case .status: answer.flatMap(CrawlerFailure.init)?.words ?? ""
            case .failed: retrieval.failure?.detail.displayable.shortened(to: 120) ?? ""
            case .file, .partial, .clientCertificate: ""
            }
    }

    package init(hop: RedirectHop) {
        served = .redirect(hop.target ?? hop.location ?? "")
        detail = "\(hop.status)"
    }

    /// Whether both mean the same to a reader of the file.
    package func isLike(_ other: ServedCell) -> Bool {
        if case .failed = served { return served.isLike(other.served) }
        return served.isLike(other.served) && detail == other.detail
    }

    /// `origin`: what the plain request got, to compare with.
    package func words(besides origin: ServedCell? = nil) -> String {
        switch served {
        case .file(let meaning, let name):
            guard case .file(let own, let ownName) = origin?.served else { return "file \(name)…" }
            if meaning != own { return "another file, \(name)…" }
            return name == ownName ? "the origin's file" : "the origin's file, formatted differently"
        case .page, .noFile: return "no file, but \(detail.displayable.shortened(to: 60))"
        case .redirect(let target): return "\(detail) to \(target.isEmpty ? "nowhere" : target.displayable)"
        case .status(let status):
            return "status \(status)" + (detail.isEmpty ? "" : ", Apple says: \(detail.displayable.shortened(to: 120))")
        case .clientCertificate(let status): return "status \(status), and a request for a client certificate"
        case .partial: return "an incomplete answer"
        case .failed: return "no answer: \(detail)"
        }
    }

    /// For several equal answers.
    package var wordsForAll: String {
        switch served {
        case .file: "all serve the same"
        case .page, .noFile, .partial: "all serve the same: \(words())"
        case .redirect: "all redirect: \(words())"
        case .status, .clientCertificate: "all answer with \(words())"
        case .failed: "none answers: \(detail)"
        }
    }
}
