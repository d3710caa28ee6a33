// The file is there for this machine, but not for Apple's user agents, or not from other places.

extension Diagnosis {
    static let refusalRows: [DiagnosisRow] = [
        DiagnosisRow("crawler-refused-by-agent") { context in
            // Only what Apple saw itself is the same refusal: a time-out there has causes of its own.
            guard let finding = context.error("origin.crawler-refused"), finding.evidence["crawler"] != nil,
                let failure = context.crawlerFailure, failure.family == .status,
                [.refusal, .outage, .rateLimit].contains(failure.trouble)
            else { return nil }
            return
                "a bot or firewall rule refuses Apple by its user agent: \(context.agentWords(finding)), here as for "
                + "Apple (\(failure.reason.inSentence)), while a plain client gets the file; let AASA-Bot and CFNetwork "
                + "pass\(context.cloudflare(finding)), \(context.afterRepair)"
        },
        DiagnosisRow("agent-refused") { context in
            guard let finding = context.error("origin.crawler-refused") else { return nil }
            let whom = finding.evidence["crawler"] == nil ? "Apple's devices by their" : "Apple's crawler by its"
            let apple = context.crawlerFailure.map { "; Apple itself reports '\($0.reason.inSentence)'" } ?? ""
            return "a bot or firewall rule treats \(whom) user agent: \(context.agentWords(finding)), while a plain "
                + "client gets the file; let AASA-Bot and CFNetwork pass\(context.cloudflare(finding)); "
                + context.afterRepair + apple
        },
        DiagnosisRow("vantage-refused") { context in
            guard let finding = context.error("origin.vantage-refused") else { return nil }
            let apple = context.crawlerFailure.map { ", and Apple's crawler fails too (\($0.reason.inSentence))" } ?? ""
            return
                "\(finding.message)\(apple): a rule by country or address is in the way; open this one path to every "
                + "address in the world; \(context.afterRepair)"
        },
    ]
}

extension DiagnosisContext {
    fileprivate func agentWords(_ finding: Finding) -> String {
        let name = finding.evidence["crawler"] == nil ? "CFNetwork" : "AASA-Bot"
        return "to \(name) the origin "
            + (finding.evidence["crawler"] ?? finding.evidence["device"] ?? "gives another answer")
    }

    /// Where the setting is, for the firewall that many sites have.
    fileprivate func cloudflare(_ finding: Finding) -> String {
        let isCloudflare = finding.evidence.contains { name, value in
            name.contains("_cf_") || (name.hasSuffix("_server") && value.lowercased().contains("cloudflare"))
        }
        return isCloudflare ? " (in Cloudflare: a skip rule for this path, Bot Fight Mode included)" : ""
    }
}
