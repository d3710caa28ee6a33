// It works: with a risk, or as it should. Even then phones are late, and people ask why.

extension DiagnosisContext {
    fileprivate var isInSync: Bool { comparison.state == .inSync && findings.first?.severity != .error }

    /// Edges that all this rests on without their word. That this machine has no IPv6 is no news.
    fileprivate var unaskedEdges: String {
        let survey = EdgeSurvey(check.readings)
        let dead = survey.silent.filter { !($0.address.contains(":") && $0.retrieval.failure?.kind == .unreachable) }
        return dead.isEmpty || survey.speaking.isEmpty
            ? "" : " (\(dead.count) of its \(survey.asked) edges could not be asked from here)"
    }
}

extension Diagnosis {
    static let healthyRows: [DiagnosisRow] = [
        DiagnosisRow("redirect-same-site") { context in
            guard let finding = context.finding("origin.redirect"), finding.severity == .warning,
                context.findings.first?.severity == .warning
            else { return nil }
            let followed = context.check.cdn?.answer?.header("apple-from")?.contains(",") == true
            return "the file works, with a risk: \(finding.message)"
                + (followed ? ", though its CDN followed this one" : "") + "; \(finding.fix)"
        },
        DiagnosisRow("ipv6-broken") { context in
            guard let finding = context.finding("origin.ipv6-broken") else { return nil }
            return "the file works, with a risk: \(finding.message); \(finding.fix)"
        },
        DiagnosisRow("byte-order-mark") { context in
            guard context.finding("aasa.byte-order-mark") != nil, context.findings.first?.severity == .warning else {
                return nil
            }
            return "the file works on Apple's devices, but begins with a byte order mark, which strict readers refuse: "
                + "save it as UTF-8 without one"
        },
        DiagnosisRow("warning") { context in
            guard let worst = context.findings.first, worst.severity == .warning else { return nil }
            return "the file works, with a risk: \(worst.message); \(worst.fix)"
        },
        DiagnosisRow("in-sync-international") { context in
            guard context.isInSync,
                context.domain.name.split(separator: ".").contains(where: { $0.hasPrefix("xn--") })
            else { return nil }
            return "the origin's file is valid, and Apple's CDN serves the same; if links fail all the same, it is the "
                + "device: some iOS versions do not open links of internationalised names such as this one"
        },
        DiagnosisRow("in-sync") { context in
            guard context.isInSync else { return nil }
            return "the origin's file is valid, and Apple's CDN serves the same\(context.unaskedEdges); devices read a "
                + "change up to a week later, or when the app is installed anew"
        },
        DiagnosisRow("other-mode") { context in
            guard context.check.observation.cdn == .notAsked(.mode) else { return nil }
            return "the origin's file is valid; devices in \(context.check.observation.mode.rawValue) mode read it "
                + "there, not from Apple's CDN"
        },
    ]
}
