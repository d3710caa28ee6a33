// The CDN's edges disagree: which of them a phone meets is chance and geography.

import Foundation

extension Diagnosis {
    static let edgeRows: [DiagnosisRow] = [
        DiagnosisRow("edges-without-copy") { context in
            guard context.isMixed, let tally = context.comparison.edges, tally.missing > 0 else { return nil }
            let has = tally.missing == 1 ? "has" : "have"
            return
                "\(tally.missing) of Apple's \(tally.asked) edges \(has) no copy (\(context.reasonsInWords)) while others "
                + "do, so links work for some phones only: \(context.adviceForReasons); such an edge asks again in "
                + "\(context.failureLifetime); if it lasts longer than a day, report it to Apple"
        },
        DiagnosisRow("edges-catching-up") { context in
            guard context.finding("cdn.edges-differ")?.severity == .note, let tally = context.comparison.edges,
                let lag = context.comparison.lagSeconds
            else { return nil }
            return
                "the file changed \(TimeInterval(lag).inWords) ago and \(tally.inSync) of Apple's \(tally.asked) edges "
                + "serve it: this is normal for about 24 hours, and installed apps follow within 5 to 7 days after that"
        },
        DiagnosisRow("edges-differ") { context in
            guard context.isMixed, let finding = context.finding("cdn.edges-differ") else { return nil }
            guard let lag = context.comparison.lagSeconds else {
                return "\(finding.message): phones follow whichever edge they meet; wait a day if the file was just "
                    + "changed, then look for a server that still serves the old file, and report it to Apple"
            }
            return
                "\(finding.message), \(TimeInterval(lag).inWords) after the change: phones follow whichever edge they "
                + "meet; Apple asks within about 24 hours, so look for a server that still serves the old file, and "
                + "report it to Apple if it lasts longer than a week"
        },
    ]
}
