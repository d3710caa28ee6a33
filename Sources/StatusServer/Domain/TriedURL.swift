// Which app opens a URL: by the origin's file, and by each copy that Apple's edges serve.

import AASA
import Evidence
import Foundation

struct TriedURL: Equatable, Sendable {
    let url: String
    /// Why it cannot be tried; nil: it was.
    let fault: String?
    let answers: [Answer]

    struct Answer: Equatable, Sendable {
        /// `Apple’s copy, v14, at 6 of 8 edges`.
        let source: String
        let isOrigin: Bool
        let opens: String
        let rule: String
    }

    /// A file, and where it was seen.
    struct Source: Sendable {
        let name: String
        let isOrigin: Bool
        let content: Data?
    }

    init(_ text: String, domain: Domain, sources: [Source]) {
        url = text.onOneLine(upTo: 2000)
        let whole = text.hasPrefix("/") ? "https://\(domain.name)\(text)" : text
        guard let parsed = MatchableURL(whole), let host = URLComponents(string: whole)?.host?.lowercased() else {
            (fault, answers) = ("This is no URL. Write https://\(domain.name)/path, or a path that begins with /.", [])
            return
        }
        guard host == domain.name else {
            (fault, answers) = ("The file of \(domain.name) says nothing about another host.", [])
            return
        }
        fault = nil
        answers = sources.map { source in
            guard let content = source.content, let document = ContentReading(content).document else {
                return Answer(
                    source: source.name, isOrigin: source.isOrigin, opens: "Opens the website",
                    rule: "There is no file.")
            }
            let file = AssociationFile(document)
            guard let links = file.applinks else {
                return Answer(
                    source: source.name, isOrigin: source.isOrigin, opens: "Opens the website",
                    rule: "The file has no applinks.")
            }
            let result = links.match(parsed)
            return Answer(
                source: source.name, isOrigin: source.isOrigin,
                opens: result.opens.map { "Opens \($0.onOneLine(upTo: 150))" } ?? "Opens the website",
                rule: Self.rule(result, file))
        }
    }

    private static func rule(_ result: MatchResult, _ file: AssociationFile) -> String {
        guard let attempt = result.deciding else {
            if !result.isComplete {
                return "Not known: the rules are too many or too complex to try them all."
            }
            return result.attempts.isEmpty
                ? "The file has no rules." : "None of \(result.attempts.count.of("rule")) matches."
        }
        let line = file.position(of: attempt.rule.node).line
        let text = attempt.rule.written.onOneLine(upTo: 200)
        return "\(attempt.rule.isExclusion ? "Excluded by line" : "Line") \(line): \(text)"
    }
}
