import Evidence
import Logging
import Monitoring

extension IncidentChange {
    /// One line for each transition that somebody may be notified of.
    func log(to logger: Logger) {
        guard let words else { return }
        var metadata: Logger.Metadata = [
            "kind": "\(incident.kind.rawValue)", "incident": "\(incident.id)",
            "severity": "\(incident.severity.rawValue)",
        ]
        if let domain = incident.domain { metadata["domain"] = "\(domain)" }
        if let reason = incident.reason { metadata["reason"] = "\(reason.rawValue)" }
        if let facts { metadata["diagnosis"] = "\(facts.text.oneLine)" }
        logger.notice("\(words)", metadata: metadata)
    }

    private var words: String? {
        if incident.kind == .change {
            if transition == .firing { return "change detected at the origin" }
            return incident.reason == .cdnCaughtUp ? "change propagated to every edge" : nil
        }
        return switch transition {
        case .opened, .recovering, .rewritten, .other: nil
        case .firing: "incident fired"
        case .worse: "incident became worse"
        case .again: "incident came back"
        case .flapping: "incident is flapping: notifications pause until it is stable"
        case .changed: "incident changed"
        case .resolved: "incident resolved"
        }
    }
}
