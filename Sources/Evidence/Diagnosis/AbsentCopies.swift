// Why edges have no copy: each edge is asked by itself, and Apple may give another reason at each.

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
        Groups(absentCopies.map { ($0.crawlerFailure?.words ?? "", $0) }).members.map { group in
            let failure = group.first?.crawlerFailure
            return AbsenceReason(
                count: group.count, word: failure.map(AppleWord.init), trouble: failure?.trouble ?? .unknown)
        }
    }
}

extension Answer {
    var crawlerFailure: CrawlerFailure? { CrawlerFailure(self) }
}
