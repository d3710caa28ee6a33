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
        let here = context.readings.serving(of: context.origin)
        let apples = context.readings.cdnFile?.meaning
        let differing = looks.filter {
            $0.retrieval.failure?.isOwnFault != true && context.readings.serving(of: $0.retrieval) != here
        }
        let groups = Dictionary(grouping: differing) {
            VantageFault(context.readings.serving(of: $0.retrieval), appleHas: apples)
        }
        for fault in VantageFault.allCases {
            if let looks = groups[fault] { findings.append(differs(looks, fault, context)) }
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
            rule: .origin("vantage-refused"), severity: .error,
            message: "the origin gives this machine the file, but \(told.listed(upTo: 3))", evidence: evidence,
            fix: fault.fix(for: context.domain), reference: Reference.debuggingLinks)
    }

    private static func words(for look: VantageLook, _ fault: VantageFault, _ context: CheckContext) -> String {
        let words = context.readings.words(for: look.retrieval)
        switch fault {
        case .absent: return "\(words): there is no file"
        case .otherFile: return words.replacing("serves a file", with: "serves another file")
        case .applesFile:
            return words.replacing("serves a file", with: "serves another file") + ", the one that Apple's CDN has"
        default: return words
        }
    }
}

extension CheckContext {
    /// The places that are given the file where this machine is not.
    var welcomeVantages: [String] {
        guard readings.originFile == nil else { return [] }
        return (observation.full?.vantages ?? []).filter { readings.serving(of: $0.retrieval).isFile }.map(\.name)
    }
}
