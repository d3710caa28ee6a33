// Which app opens a URL: by the origin's file, and by each copy that Apple's edges serve.

import AASA
import Evidence
import Foundation
import Report

struct TriedURL: Equatable, Sendable {
    let url: String
    /// Why it cannot be tried; nil: it was.
    let fault: String?
    let answers: [Answer]
    /// Why a phone may open the website all the same, where all is well.
    let reasons: [Reason]

    struct Answer: Equatable, Sendable {
        /// `Apple’s copy, v14, at 6 of 8 edges`.
        let source: String
        let isOrigin: Bool
        let opens: String
        let rule: String
    }

    /// As `check --why` has it.
    struct Reason: Equatable, Sendable {
        let what: String
        let test: String
        let source: String
    }

    /// A file, and where it was seen.
    struct Source: Sendable {
        let name: String
        let isOrigin: Bool
        /// Whether phones read it.
        let isRead: Bool
        let content: Data?
    }

    /// `linksWork`: that the last check found nothing that keeps phones from the app.
    init(_ text: String, domain: Domain, mode: AssociationMode, sources: [Source], linksWork: Bool) {
        url = text.onOneLine(upTo: 2000)
        let whole = text.hasPrefix("/") ? "https://\(domain.name)\(text)" : text
        guard let parsed = MatchableURL(whole), let host = URLComponents(string: whole)?.host?.lowercased() else {
            fault = "This is no URL. Write https://\(domain.name)/path, or a path that begins with /."
            (answers, reasons) = ([], [])
            return
        }
        guard host == domain.name else {
            fault = "The file of \(domain.name) says nothing about another host."
            (answers, reasons) = ([], [])
            return
        }
        fault = nil
        var read: [MatchResult?] = []
        answers = sources.map { source in
            var result: MatchResult?
            defer { if source.isRead { read.append(result) } }
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
            let found = links.match(parsed)
            result = found
            return Answer(
                source: source.name, isOrigin: source.isOrigin,
                opens: found.opens.map { "Opens \($0.onOneLine(upTo: 150))" } ?? "Opens the website",
                rule: Self.rule(found, file))
        }
        guard linksWork, let first = read.first ?? nil, let app = first.opens, read.allSatisfy({ $0?.opens == app })
        else {
            reasons = []
            return
        }
        reasons = DeviceReason.possible(
            for: TappedLink(
                url: whole, host: domain, domain: domain, mode: mode, app: app, otherApps: first.alsoOpenedBy)
        ).map { Reason(what: $0.what, test: $0.test.text, source: $0.source) }
    }

    private static func rule(_ result: MatchResult, _ file: AssociationFile) -> String {
        guard let attempt = result.deciding else {
            if !result.isComplete {
                return "Not known: the rules are too many or too complex to try them all."
            }
            return result.attempts.isEmpty
                ? "The file has no rules." : "None of \(result.attempts.count.of("rule")) matches."
        }
        let line = file.position(of: attempt.rule).line
        let text = attempt.rule.written.onOneLine(upTo: 200)
        return "\(attempt.rule.isExclusion ? "Excluded by line" : "Line") \(line): \(text)"
    }
}
