import Foundation

extension Checks {
    /// Another place gets another answer. A vantage whose own way fails says nothing about the site.
    @Sendable static func vantageView(_ context: CheckContext) -> [Finding] {
        let looks = context.observation.full?.vantages ?? []
        let failed = looks.filter { $0.retrieval.failure?.isOwnFault == true }
        var findings = failed.prefix(4).map { look in
            Finding(
                .vantageFailed(look.name.inSentence, detail: look.retrieval.failure?.detail.shortened(to: 200)),
                evidence: ["vantage": look.name, "error": look.retrieval.failure?.detail ?? ""])
        }
        guard context.readings.originFile != nil else { return findings }
        for fault in VantageFault.allCases {
            let looks = context.vantages(with: fault)
            if !looks.isEmpty { findings.append(differs(looks, fault, context)) }
        }
        return findings
    }

    private static func differs(_ looks: [VantageLook], _ fault: VantageFault, _ context: CheckContext) -> Finding {
        var evidence = ["url": context.origin.url, "seen": fault.rawValue]
        for (index, look) in looks.prefix(8).enumerated() {
            if let detail = look.retrieval.failure?.detail { evidence["error_\(index + 1)"] = detail }
            if let leaf = look.retrieval.connection?.tls?.chain.first, fault == .certificate {
                evidence["certificate_\(index + 1)"] = leaf.subject
                evidence["issuer_\(index + 1)"] = leaf.issuer
            }
        }
        let given = looks.map { GivenAt([$0.name.inSentence], context.readings.given(of: $0.retrieval)) }
        return Finding(
            .origin(.vantageDiffers(fault, given, here: context.readings.given(of: context.origin), context.domain)),
            evidence: evidence)
    }
}

extension CheckContext {
    /// The places that are given something else than this machine, of one kind.
    func vantages(with fault: VantageFault) -> [VantageLook] {
        let here = readings.serving(of: origin)
        let apples = readings.cdnFile?.meaning
        return (observation.full?.vantages ?? []).filter { look in
            let serving = readings.serving(of: look.retrieval)
            return look.retrieval.failure?.isOwnFault != true && serving != here
                && VantageFault(serving, appleHas: apples) == fault
        }
    }

    /// The places that are given the file where this machine is not.
    var welcomeVantages: [String] {
        guard readings.originFile == nil else { return [] }
        return (observation.full?.vantages ?? []).filter { readings.serving(of: $0.retrieval).isFile }.map(\.name)
    }
}
