import Foundation

extension Checks {
    /// A lag below this is what Apple promises; edges may disagree meanwhile.
    private static let patience = 86_400

    /// Edges that disagree about the file, and edges that say nothing about it while others do.
    @Sendable static func edgeDifferences(_ context: CheckContext) -> [Finding] {
        let survey = EdgeSurvey(context.readings)
        guard !survey.speaking.isEmpty else { return [] }
        return disagreement(survey, context) + silence(survey, context)
    }

    private static func disagreement(_ survey: EdgeSurvey, _ context: CheckContext) -> [Finding] {
        guard survey.isMixed else { return [] }
        let current = context.readings.currentMeanings
        let total = survey.asked
        let groups = Groups(survey.speaking.map { ($0.copy, $0) }).members
        var evidence = ["url": context.cdn?.url ?? "", "edges": "\(total)"]
        var told: [String] = []
        for (index, group) in groups.enumerated() {
            guard let first = group.first else { continue }
            let words = words(first.copy, group.map(\.look), current, context)
            let places = group.map(\.look.place)
            if index < 6 { evidence["group_\(index + 1)"] = "\(words): \(places.joined(separator: ", "))" }
            if index < 3 {
                told.append(
                    "\(group.count) of \(total) \(words)" + (index == 0 ? "" : " (\(places.listed(upTo: 2)))"))
            }
        }
        if groups.count > 3 { told.append("and \(groups.count - 3) more versions") }
        if let since = context.comparison.changedAt { evidence["changed_at"] = since.rfc3339 }
        let isPropagating =
            context.comparison.state == .mixed && context.comparison.lagSeconds.map { $0 < patience } ?? false
        return [
            Finding(
                rule: .cdn("edges-differ"), severity: isPropagating ? .note : .warning,
                message: "Apple's edges disagree: \(told.joined(separator: "; "))", evidence: evidence,
                fix: isPropagating
                    ? "wait; each edge asks again by itself, within about 24 hours"
                    : "a phone meets any of them: wait a day if the file was just changed; if they still disagree "
                        + "then, report it to Apple with this evidence",
                reference: Reference.debuggingLinks)
        ]
    }

    private static func words(
        _ copy: EdgeSurvey.Copy, _ looks: [EdgeLook], _ current: Set<ContentHash>, _ context: CheckContext
    ) -> String {
        let hash = looks.first.flatMap { context.readings.body(of: $0.retrieval)?.hash.hex.prefix(8) } ?? ""
        switch copy {
        case .file(let meaning) where current.contains(meaning): return "serve the origin's file (SHA-256 \(hash)…)"
        case .file: return "serve another file (SHA-256 \(hash)…)"
        case .noFile: return "serve something that is no such file"
        case .missing:
            // Edges may have different reasons for the same absence.
            let codes = Groups(looks.compactMap { $0.retrieval.answer?.crawlerFailure?.code }.map { ($0, $0) }).members
            return "have no copy" + (codes.isEmpty ? "" : ", \(codes.compactMap(\.first).listed(upTo: 3))")
        }
    }

    /// An edge that answers with trouble of its own gives its phones nothing; one that cannot be reached from here may well
    /// be reached by them.
    private static func silence(_ survey: EdgeSurvey, _ context: CheckContext) -> [Finding] {
        let troubles = survey.silent.compactMap { look in CDNTrouble(look.retrieval).map { (look, $0) } }
        let answering = Groups(troubles.filter { $0.0.retrieval.answer != nil }.map { ($0.1.words, $0) }).members
        let dead = troubles.filter { $0.0.retrieval.answer == nil }
        let total = survey.asked
        func finding(
            _ troubles: [(EdgeLook, CDNTrouble)], _ severity: Severity, _ said: String, _ fix: String
        ) -> Finding {
            Finding(
                rule: .cdn("edge-unreachable"), severity: severity,
                message: "\(troubles.count) of Apple's \(total) edges \(said)",
                evidence: [
                    "edges": troubles.map(\.0.place).joined(separator: ", "),
                    "errors": troubles.prefix(8)
                        .map { "\($0.0.address): \($0.0.retrieval.failure?.detail ?? $0.1.words)".shortened(to: 200) }
                        .joined(separator: "; "),
                ], fix: fix, reference: Reference.debuggingLinks)
        }
        var findings = answering.prefix(3).compactMap { group -> Finding? in
            guard let trouble = group.first?.1 else { return nil }
            let words = group.count == 1 ? trouble.words : trouble.wordsOfSeveral
            return finding(group, .warning, "\(words): \(group.map(\.0.place).listed(upTo: 2))", trouble.fix)
        }
        if !dead.isEmpty {
            let reasons = dead.map { "\($0.0.address) \($0.0.retrieval.failure?.words ?? "does not answer")" }
            findings.append(
                finding(
                    dead, .note, "could not be asked from here: \(reasons.listed(upTo: 2))",
                    "check this machine's way to them, IPv6 above all; phones may reach them all the same"))
        }
        return findings
    }
}

extension EdgeLook {
    /// The address and, where the answer tells, the location.
    var place: String { location.map { "\(address) (\($0))" } ?? address }

    /// The location as the answer's own headers name it: the first word of the last hop on Apple's network, such as
    /// `usqas4`, or the name of another network's edge, such as `lumn`.
    var location: String? {
        guard let answer = retrieval.answer else { return nil }
        let hops = answer.header("via")?.split(separator: ",") ?? []
        let names = hops.compactMap { hop in
            hop.split(separator: " ").first { $0.hasSuffix(".ts.apple.com") }?.split(separator: "-").first
        }
        let word = names.last.map(String.init) ?? answer.header("cdn-server")
        return word?.displayable.shortened(to: 40)
    }
}
