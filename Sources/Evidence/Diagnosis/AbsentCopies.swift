// Why edges have no copy: each edge is asked by itself, and Apple may give another reason at each.

/// One reason, and how many edges give it.
struct AbsenceReason {
    let count: Int
    /// Apple's words without the code, for a sentence.
    let words: String
    let trouble: CrawlerTrouble
}

extension DiagnosisContext {
    /// The edges' answers that say that there is no copy; the one answer that speaks for the CDN where edges were not
    /// asked.
    var absentCopies: [Answer] {
        let edges = EdgeSurvey(check.readings).speaking.filter { $0.copy == .missing }.compactMap(
            \.look.retrieval.answer)
        if !edges.isEmpty { return edges }
        return [check.cdn?.answer].compactMap(\.self).filter { $0.speaksOfFile && $0.status != 200 }
    }

    /// The most frequent first.
    var absenceReasons: [AbsenceReason] {
        Groups(absentCopies.map { ($0.crawlerFailure?.words ?? "", $0) }).members.compactMap { group in
            guard let failure = group.first?.crawlerFailure else {
                return AbsenceReason(count: group.count, words: "no reason given", trouble: .unknown)
            }
            let words = failure.reason.isEmpty ? failure.words : failure.reason
            return AbsenceReason(count: group.count, words: words.inSentence, trouble: failure.trouble)
        }
    }

    /// All reasons: `Timeout`, or `1 Timeout, 2 Bad HTTP Response: 403 Forbidden`.
    var reasonsInWords: String {
        let reasons = absenceReasons
        if reasons.count == 1 { return reasons.map(\.words).joined() }
        return reasons.map { "\($0.count) \($0.words)" }.listed(upTo: 4)
    }

    /// What to do about all of them.
    var adviceForReasons: String {
        var told: [String] = []
        for advice in absenceReasons.map({ CrawlerAdvice.brief(for: $0.trouble) }) where !told.contains(advice) {
            told.append(advice)
        }
        return told.prefix(3).joined(separator: ", and ")
    }
}

extension Answer {
    var crawlerFailure: CrawlerFailure? { CrawlerFailure(self) }
}
