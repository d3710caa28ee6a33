import Evidence
import Foundation

extension Event {
    /// What is to be said about an incident to somebody who was not told while it was withheld: how it stands now. nil
    /// while that is not settled: pending, or seen to be over and not yet often enough.
    ///
    /// The sequence stays: the message that was withheld has left its key unused.
    ///
    /// `isWorse`: to somebody who was told of the trouble before it grew; nil then also where it is over.
    package static func present(
        _ incident: Incident, verdict: Verdict?, at now: Date, isWorse: Bool = false
    ) -> Event? {
        guard let type = EventType.present(incident.state, isWorse: isWorse) else { return nil }
        let news: Event.News? = isWorse ? .worse : nil
        let findings = verdict?.findings ?? []
        let own = findings.filter { IncidentKind.fed(by: $0.rule) == incident.kind }
        return Event(
            type: type, news: news, at: now, incident: incident,
            summary: Summary.line(type, news: news, incident, at: now),
            diagnosis: verdict?.diagnosis ?? "",
            comparison: (verdict?.comparison ?? Comparison(state: .notCompared)).aged(to: now),
            findings: own.isEmpty && type != .resolved ? findings : own)
    }
}

extension EventType {
    /// How an incident in a state is told to somebody who knows less; nil while that is not settled.
    static func present(_ state: Incident.State, isWorse: Bool) -> EventType? {
        switch state {
        case .firing: isWorse ? .update : .firing
        case .resolved: isWorse ? nil : .resolved
        case .pending, .recovering: nil
        }
    }
}

extension Comparison {
    /// The same comparison some time later: the copy has grown older since it was looked at.
    func aged(to now: Date) -> Comparison {
        guard lagSeconds != nil, let changedAt else { return self }
        var aged = self
        aged.lagSeconds = Int(max(0, now.timeIntervalSince(changedAt)))
        return aged
    }
}
