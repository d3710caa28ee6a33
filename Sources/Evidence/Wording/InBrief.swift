// A diagnosis as one line of a list: what phones do, why, and one action.

import Foundation

extension Diagnosis {
    /// The same parts, shorter. Only a domain's own page has room for the place of a fault, the words of Apple and of the
    /// server, and the options of the command line.
    package func inBrief(at now: Date) -> DiagnosisText {
        let text = text(at: now)
        let why: String?
        // Without its place: an address is not a reason.
        if case .finding(_, let problem, _) = cause {
            why = problem.declaration.words(now).why
        } else {
            why = cause.declaration.words(now).why
        }
        return DiagnosisText(
            effect: text.effect.withoutOptions ?? text.effect,
            cause: (why ?? text.cause)?.withoutOptions?.inWords(upTo: Self.mostWords),
            action: text.action?.asBriefAction)
    }

    /// For a reason in a list.
    package static let mostWords = 15
    fileprivate static let mostWordsOfAction = 25

    /// What phones do with several domains whose effects differ only in numbers and paths.
    package var sharedEffect: String { "\(English.brief(effect).atStart)." }
}

extension String {
    /// Split after each full stop that ends a sentence.
    package var sentences: [String] {
        replacing(/(?<end>[.!?]”?) (?<next>[A-Z“`])/) { "\($0.end)\n\($0.next)" }
            .split(separator: "\n").map(String.init)
    }

    /// The first sentence, as part of a longer line.
    package var firstSentence: String { (sentences.first ?? self).withoutStop }

    package var withoutStop: String { hasSuffix(".") ? String(dropLast()) : self }

    /// What to do, as one line of a list; nil if only an option of the command line does it.
    package var asBriefAction: String? {
        withoutOptions.map { action in
            let brief = action.inWords(upTo: Diagnosis.mostWordsOfAction)
            // Never cut an instruction in the middle.
            return brief.hasSuffix("…") ? action.sentences.first ?? action : brief
        }
    }

    /// Without sentences and parentheses about an option of the command line; nil if nothing is left.
    fileprivate var withoutOptions: String? {
        guard contains("--") else { return self }
        let isOption = /(^|[\s(`'])--[a-z]/
        let rest = replacing(/\s\([^()]*--[a-z][^()]*\)/, with: "").sentences.filter { !$0.contains(isOption) }
        return rest.isEmpty ? nil : rest.joined(separator: " ")
    }

    /// As many whole sentences as fit into `limit` words. A longer first sentence is cut at the end of a clause.
    package func inWords(upTo limit: Int) -> String {
        var brief = ""
        for sentence in sentences {
            let longer = brief.isEmpty ? sentence : "\(brief) \(sentence)"
            guard longer.wordCount <= limit else { break }
            brief = longer
        }
        return brief.isEmpty ? (sentences.first ?? self).firstClauses(upTo: limit) : brief
    }

    private var wordCount: Int { split(whereSeparator: \.isWhitespace).count }

    private func firstClauses(upTo limit: Int) -> String {
        var (strong, weak): (Substring?, Substring?) = (nil, nil)
        for boundary in matches(of: /[:;,] (?<next>\w+)| \(/) {
            let head = self[..<boundary.range.lowerBound]
            guard String(head).wordCount <= limit else { break }
            // Leave no quotation or parenthesis open.
            guard head.count(where: { $0 == "\"" }).isMultiple(of: 2),
                head.count(where: { $0 == "(" }) == head.count(where: { $0 == ")" }), String(head).wordCount > 2
            else { continue }
            let isList =
                self[boundary.range].first == "," && !Self.clauseBeginnings.contains(boundary.output.next ?? "")
            if isList { weak = head } else { strong = head }
        }
        if let head = strong ?? weak { return head + "." }
        return split(whereSeparator: \.isWhitespace).prefix(limit).joined(separator: " ") + "…"
    }

    private static let clauseBeginnings: Set<Substring> = [
        "and", "but", "which", "so", "while", "because", "since", "where", "though", "not", "until", "whatever", "if",
    ]
}
