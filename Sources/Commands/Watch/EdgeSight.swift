// What one edge was seen to serve, reduced to what waiting needs.

import Evidence
import Foundation

struct EdgeSight: Equatable, Sendable {
    let address: String
    let content: Content
    /// Seconds in the edge's cache, and how many it may stay there.
    var age: Int?
    var maxAge: Int?
    /// Whether the edge answered anything at all, be it that it is in trouble.
    var isAnswer = true

    enum Content: Equatable, Sendable {
        /// A file, by its meaning.
        case file(ContentHash)
        /// Status 200 with something that is no file.
        case noFile
        /// The edge says that it has no copy; in Apple's own words where there are any.
        case missing(String)
        /// The edge said nothing about the file.
        case silent(String)
    }
}

extension EdgeLook {
    /// A proxy's address is no edge's.
    var isHidden: Bool { address.isEmpty || retrieval.connection?.viaProxy == true }
}

extension EdgeSight {
    /// `contents`: the bodies that the look names by their hash.
    init(_ look: EdgeLook, contents: [ContentHash: Data]) {
        self.init(
            address: look.isHidden ? "the CDN" : look.address,
            content: Self.content(of: look.retrieval, contents: contents), age: look.retrieval.answer?.age,
            maxAge: look.retrieval.answer?.maxAge, isAnswer: look.retrieval.answer != nil)
    }

    private static func content(of retrieval: Retrieval, contents: [ContentHash: Data]) -> Content {
        guard let answer = retrieval.answer else {
            return .silent(retrieval.failure?.detail.displayable.shortened(to: 160) ?? "no answer")
        }
        guard answer.speaksOfFile else { return .silent("status \(answer.status)") }
        guard answer.status == 200 else {
            let words = CrawlerFailure(answer).map { ", Apple says: \($0.words)" } ?? ""
            return .missing("status \(answer.status)\(words)")
        }
        guard answer.body.end == .complete, let body = answer.body.hash.flatMap({ contents[$0] }) else {
            return .silent("the answer breaks off")
        }
        return ContentReading(body).meaning.map(Content.file) ?? .noFile
    }
}
