// The origin is at fault, and this machine sees it too; and what people expect of the file.

extension Diagnosis {
    static let originRows: [DiagnosisRow] = [
        DiagnosisRow("address-unreachable") { context in
            guard context.check.readings.originFile != nil,
                let finding = context.error("origin.address-unreachable")
            else { return nil }
            return
                "\(finding.message), so it depends on chance whether Apple's crawler and phones get the file: \(finding.fix); "
                + context.afterRepair
        },
        DiagnosisRow("origin-fault") { context in
            guard
                let worst = context.findings.first(where: {
                    $0.severity == .error
                        && ($0.rule.rawValue.hasPrefix("origin.") || $0.rule.rawValue.hasPrefix("aasa."))
                })
            else { return nil }
            let clock =
                context.check.readings.cdnFile == nil
                ? "; \(context.afterRepair)" : "; Apple's CDN still serves a copy, but for how long nobody knows"
            return "\(worst.message): \(worst.fix)\(clock)"
        },
    ]

    static let expectationRows: [DiagnosisRow] = [
        DiagnosisRow("expectation-failed") { context in
            let failed = context.findings.first {
                $0.severity == .error && $0.rule.rawValue.hasPrefix("expect.")
                    && $0.rule.rawValue != "expect.page-missing"
            }
            guard let failed else { return nil }
            let both = context.comparison.state == .inSync ? ", at the origin and in Apple's copy alike" : ""
            return "\(failed.message)\(both): the deployment did not contain the change, or the expectation is out of "
                + "date; a new file takes up to 24 hours to reach Apple's CDN"
        }
    ]
}
