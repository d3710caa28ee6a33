// What can be sent to Apple about a copy that does not follow: words and evidence in one text, ready to paste.

import Evidence
import Foundation
import Monitoring
import Storage

struct AppleReport: Equatable, Sendable {
    let text: String

    /// nil where Apple's CDN was not seen to lag or to lack a copy.
    init?(
        _ full: Observation?, status: DomainStatus, text diagnosis: DiagnosisText?, changedAt: Date?, version: String,
        domain: Domain, time: PageTime
    ) {
        guard let full else { return nil }
        let title: String
        switch status {
        case .missing: title = "Apple's CDN has no copy of the apple-app-site-association file of \(domain.name)"
        case .stale, .propagating:
            title = "Apple's CDN serves an old apple-app-site-association file of \(domain.name)"
        case .divergent: title = "Apple's CDN serves another apple-app-site-association file than \(domain.name) does"
        default: return nil
        }
        var lines = [title, ""]
        if let effect = diagnosis?.effect { lines.append("What phones do: \(effect)") }
        if let cause = diagnosis?.cause { lines.append("Why: \(cause)") }
        if let changedAt { lines.append("The file at the origin changed at \(time.shown(changedAt).rfc3339).") }
        lines.append("Seen at \(time.shown(full.checkedAt).rfc3339) by aasa-monitor \(version).")
        for part in EvidencePart.retrievals(full) {
            lines += ["", part.title] + part.text.split(separator: "\n").map { "  \($0)" }
        }
        text = lines.joined(separator: "\n")
    }
}
