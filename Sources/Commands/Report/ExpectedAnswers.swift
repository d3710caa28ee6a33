// The expected URLs in the report of a check. Findings name the URLs that do not do what is expected; this also lists
// those that do.

import AASA
import Evidence
import Report

struct ExpectedAnswers {
    private let answers: [MatchAnswer]
    private let file: AssociationFile?
    private let domain: Domain

    /// `content`: the origin's file, against which the expectations are checked. Without a file the result is unknown.
    init(_ urls: [ExpectedURL], of domain: Domain, _ content: ContentReading?) {
        let file = content?.document.map { AssociationFile($0) }
        answers = urls.compactMap { expected in
            guard file != nil, expected.opens != nil, let url = MatchableURL(expected.url) else { return nil }
            let question = MatchQuestion(url, absolute: expected.url, expected: expected.opens)
            return MatchAnswer(question: question, file: file, owner: .any)
        }
        (self.file, self.domain) = (file, domain)
    }

    /// The most lines of text.
    private static let limit = 10

    /// How many URLs do what is expected.
    var metCount: Int { answers.count(where: \.isAsExpected) }

    /// A line for each URL that does what is expected.
    func text(_ style: TextStyle) -> [String] {
        let met = answers.filter(\.isAsExpected)
        let words = MatchText(style: style, file: file, source: domain.name)
        let lines = met.prefix(Self.limit).map { "as expected: " + words.headline($0) }
        return lines + (met.count > Self.limit ? ["as expected: \(met.count - Self.limit) more URLs"] : [])
    }

    /// The member `expected_urls`; none without expectations.
    var json: [(String, OrderedJSON)] {
        answers.isEmpty ? [] : [("expected_urls", .array(answers.map { .document(MatchDocument($0, file)) }))]
    }
}
