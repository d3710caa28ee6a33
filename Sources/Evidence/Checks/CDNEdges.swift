import Foundation

extension Checks {
    /// A lag below this is what Apple promises; edges may disagree meanwhile.
    private static let patience = 86_400

    /// Edges that disagree about the file, and edges that say nothing about it while others do.
    @Sendable static func edgeDifferences(_ context: CheckContext) -> [Finding] {
        let survey = EdgeSurvey(context.readings)
        guard !survey.speaking.isEmpty else { return [] }
        return disagreement(survey, context) + silence(survey)
    }

    private static func disagreement(_ survey: EdgeSurvey, _ context: CheckContext) -> [Finding] {
        guard survey.isMixed else { return [] }
        let current = context.readings.currentMeanings
        let total = survey.asked
        let groups = Groups(survey.speaking.map { ($0.copy, $0) }).members.map { group in
            EdgeGroup(held: held(group[0].copy, group.map(\.look), current, context), places: group.map(\.look.place))
        }
        var evidence = ["url": context.cdn?.url ?? "", "edges": "\(total)"]
        if let since = context.comparison.changedAt { evidence["changed_at"] = since.rfc3339 }
        let isPropagating =
            context.comparison.state == .mixed && context.comparison.lagSeconds.map { $0 < patience } ?? false
        return [Finding(.cdn(.edgesDiffer(groups, of: total, isPropagating: isPropagating)), evidence: evidence)]
    }

    private static func held(
        _ copy: EdgeSurvey.Copy, _ looks: [EdgeLook], _ current: Set<ContentHash>, _ context: CheckContext
    ) -> EdgeGroup.Held {
        let hash = looks.first.flatMap { context.readings.body(of: $0.retrieval)?.hash.hex.prefix(8) } ?? ""
        switch copy {
        case .file(let meaning): return current.contains(meaning) ? .originFile("\(hash)") : .otherFile("\(hash)")
        case .noFile: return .noFile
        case .missing:
            // Edges may have different reasons for the same absence.
            let codes = Groups(looks.compactMap { $0.retrieval.answer?.crawlerFailure?.code }.map { ($0, $0) }).members
            return .nothing(codes: codes.compactMap(\.first))
        }
    }

    /// An edge that answers with trouble of its own gives its phones nothing; one that cannot be reached from here may well
    /// be reached by them.
    private static func silence(_ survey: EdgeSurvey) -> [Finding] {
        let troubles = survey.silent.compactMap { look in CDNFault(look.retrieval).map { (look: look, fault: $0) } }
        let answering = Groups(
            troubles.filter { $0.look.retrieval.answer != nil }.map { ($0.fault.withoutPause, $0) }
        ).members
        let dead = troubles.map(\.look).filter { $0.retrieval.answer == nil }
        let findings = answering.prefix(3).map { group in
            let places = group.map(\.look.place)
            return Finding(
                .cdn(
                    .edgesInTrouble(
                        group[0].fault, at: EdgePlaces(places, of: survey.asked),
                        addresses: group.prefix(8).map(\.look.address), host: group[0].look.retrieval.host)),
                evidence: ["edges": places.joined(separator: ", ")])
        }
        if dead.isEmpty { return findings }
        var evidence = errors(dead.map { ($0.address, $0.retrieval) })
        evidence["edges"] = evidence.removeValue(forKey: "addresses")
        let given = dead.compactMap { look in
            look.retrieval.failure.map { GivenAt([look.address], .failed($0.kind, $0.phase)) }
        }
        return findings + [Finding(.cdn(.edgesSilent(given, of: survey.asked)), evidence: evidence)]
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
