// What one address, edge or vantage served at the last full look, compared with what the origin served by its name then.

import Evidence
import Foundation

/// One copy of the file, at one place.
struct CopySighting: Equatable, Sendable {
    let place: String
    let serves: Serves
    let status: Int?
    let hash: ContentHash?
    /// Why there was no answer.
    let error: String?
    let headers: [HeaderField]

    enum Serves: String, Sendable {
        /// In meaning.
        case originFile = "origin_file"
        case otherFile = "other_file"
        /// Status 200, and no such file.
        case noFile = "no_file"
        case missing
        case redirect
        /// An answer that says nothing of the file.
        case otherStatus = "other_status"
        case noAnswer = "no_answer"
    }

    init(_ place: String, _ retrieval: Retrieval, in readings: Readings) {
        self.place = place.onOneLine(upTo: 100)
        status = retrieval.answer?.status
        hash = retrieval.answer?.body.hash
        error = retrieval.failure.map { $0.detail.onOneLine(upTo: 300) }
        headers = retrieval.answer?.headers ?? []
        serves =
            switch retrieval.answer?.status {
            case nil: .noAnswer
            case 200: Self.file(retrieval, readings)
            case .some(300..<400): .redirect
            default: retrieval.answer?.speaksOfFile == true ? .missing : .otherStatus
            }
    }

    private static func file(_ retrieval: Retrieval, _ readings: Readings) -> Serves {
        let origin = readings.observation.origin.answer?.body.hash
        if let hash = retrieval.answer?.body.hash, hash == origin {
            return readings.originFile == nil ? .noFile : .originFile
        }
        // A body that is no longer kept, or was too large, can only be told apart by its hash.
        guard let hash = retrieval.answer?.body.hash, readings.observation.contents[hash] != nil else {
            return .otherFile
        }
        guard let file = readings.file(of: retrieval) else { return .noFile }
        return file.meaning == readings.originFile?.meaning ? .originFile : .otherFile
    }

    var isGood: Bool { serves == .originFile }

    /// As the page has it.
    var words: String {
        let version = hash.map { " (SHA-256 \($0.hex.prefix(8))…)" } ?? ""
        return switch serves {
        case .originFile: "the origin's file\(version)"
        case .otherFile: "another file\(version)"
        case .noFile: "no such file\(version)"
        case .missing: "no copy (status \(status ?? 0))"
        case .redirect: "a redirect (status \(status ?? 0))"
        case .otherStatus: "status \(status ?? 0)"
        case .noAnswer: "no answer: \(error ?? "unknown")"
        }
    }

    /// The first value of a header, fit to be shown; nil where it was not sent.
    func header(_ name: String) -> String? {
        headers.first { $0.name == name }?.value.onOneLine(upTo: 300)
    }

    /// The headers that distinguish edges and their caches.
    static let tellingHeaders = [
        "via", "cdn-server", "x-cache", "age", "cache-control", "apple-failure-reason", "location",
    ]

    var details: String {
        Self.tellingHeaders.compactMap { name in header(name).map { "\(name): \($0)" } }.joined(separator: " · ")
    }
}
