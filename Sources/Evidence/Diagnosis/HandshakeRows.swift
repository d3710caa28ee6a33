// TLS that fails for some: for Apple alone, or at some addresses alone.

extension Diagnosis {
    static let handshakeRows: [DiagnosisRow] = [
        DiagnosisRow("chain-incomplete") { context in
            guard let finding = context.error("origin.certificate-chain-incomplete") else { return nil }
            let issuer = finding.evidence["missing_issuer"].map { " (\($0) is missing)" } ?? ""
            let place = finding.evidence["addresses"].map { " at \($0)" } ?? ""
            return
                "the server does not send its intermediate certificate\(issuer)\(place): browsers and phones fetch it "
                + "by themselves, so the site looks fine there, but Apple's crawler cannot; install the full chain; "
                + context.afterRepair
        },
        DiagnosisRow("certificate-at-address") { context in
            guard context.check.readings.originFile != nil else { return nil }
            let rules = [
                "certificate-expired", "certificate-not-yet-valid", "certificate-name-mismatch",
                "certificate-untrusted", "tls-failed", "tls-version",
            ]
            guard let finding = rules.lazy.compactMap({ context.error("origin.\($0)") }).first else { return nil }
            return "\(finding.message), so it depends on chance whether Apple's crawler and phones get the file: "
                + "\(finding.fix); \(context.afterRepair)"
        },
    ]
}
