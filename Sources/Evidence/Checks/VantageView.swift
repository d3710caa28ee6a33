import Foundation

extension Checks {
    /// Another place gets another answer. A vantage whose own way fails says nothing about the site.
    @Sendable static func vantageView(_ context: CheckContext) -> [Finding] {
        let looks = context.observation.full?.vantages ?? []
        let failed = looks.filter { $0.retrieval.failure?.isOwnFault == true }
        var findings = failed.prefix(4).map { look in
            Finding(
                rule: .monitor("vantage-failed"), severity: .warning,
                message: "the vantage \(look.name) could not be used: "
                    + (look.retrieval.failure?.detail.shortened(to: 200) ?? "its proxy failed"),
                evidence: ["vantage": look.name, "error": look.retrieval.failure?.detail ?? ""],
                fix: "check the proxy of that vantage; it says nothing about the site, which is judged without it",
                reference: Reference.ownConfiguration)
        }
        guard context.readings.originFile != nil else { return findings }
        for fault in VantageFault.allCases {
            let looks = context.vantages(with: fault)
            if !looks.isEmpty { findings.append(differs(looks, fault, context)) }
        }
        return findings
    }

    private static func differs(_ looks: [VantageLook], _ fault: VantageFault, _ context: CheckContext) -> Finding {
        var evidence = [
            "url": context.origin.url, "here": context.readings.words(for: context.origin), "seen": fault.rawValue,
        ]
        for (index, look) in looks.prefix(8).enumerated() {
            evidence["vantage_\(index + 1)"] = "\(look.name): \(words(for: look, fault, context))"
            if let detail = look.retrieval.failure?.detail { evidence["error_\(index + 1)"] = detail }
            if let leaf = look.retrieval.connection?.tls?.chain.first, fault == .certificate {
                evidence["certificate_\(index + 1)"] = "\(leaf.subject), issued by \(leaf.issuer)"
            }
        }
        let told = looks.map { "from \($0.name) it \(words(for: $0, fault, context))" }
        return Finding(
            rule: .origin("vantage-refused"), severity: fault == .rateLimited ? .warning : .error,
            message: "the origin gives this machine the file, but \(told.listed(upTo: 3))", evidence: evidence,
            fix: fault.fix(for: context.domain), reference: Reference.debuggingLinks)
    }

    private static func words(for look: VantageLook, _ fault: VantageFault, _ context: CheckContext) -> String {
        let given = context.readings.given(of: look.retrieval)
        switch fault {
        case .absent: return "\(English.words(given)): there is no file"
        case .otherFile: return English.words(given, isOther: true)
        case .applesFile: return "\(English.words(given, isOther: true)), the one that Apple's CDN has"
        default: return English.words(given)
        }
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
