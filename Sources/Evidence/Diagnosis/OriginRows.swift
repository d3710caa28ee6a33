// The origin is at fault, and this machine sees it too; and what people expect of the file.

import Foundation

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
            return "\(worst.message): \(worst.fix); \(context.afterRepair(of: worst))"
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

extension DiagnosisContext {
    /// What a fault means for Apple's copy, and how long its repair takes to reach phones.
    fileprivate func afterRepair(of fault: Finding) -> String {
        guard check.readings.cdnFile != nil else { return afterRepair }
        guard check.readings.originFile != nil else {
            return "Apple's CDN still serves a copy, but for how long nobody knows"
        }
        // Who reads the copy reads the fault: it is the same file. How a file is served does not travel with it.
        let isOfFile = fault.rule.rawValue.hasPrefix("aasa.") || fault.rule == .origin("too-large")
        switch (comparison.state, isOfFile) {
        case (.inSync, true):
            return
                "phones have this fault already, since Apple's CDN serves the same file; after the repair allow up to "
                + "24 hours for Apple\(edgeWaitInBrackets), and 5 to 7 days more for installed apps"
        case (.inSync, false):
            return "Apple's CDN serves this file all the same, but for how long nobody knows"
        case (_, true):
            return "Apple's CDN serves another file still: repair this one before Apple asks again, within about 24 "
                + "hours"
        case (_, false):
            return "Apple's CDN serves another file still, and for how long nobody knows"
        }
    }

    private var edgeWaitInBrackets: String {
        guard let left = check.cdn?.answer?.secondsUntilExpiry, left > 0 else { return "" }
        return " (this edge asks again in about \(max(60, TimeInterval(left)).inWords))"
    }
}
