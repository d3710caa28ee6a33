// `alerts.escalation`: a list of steps, each later than the one before it.

import Evidence

struct EscalationReader {
    let reading: Reading
    let known: ChannelNames
    /// What is known of the channels without faults.
    let channels: [ChannelSettings]

    private static let expected = "a mapping with the keys 'after' and 'channels'"
    /// A step beyond a month is a slip.
    private static let range = Duration.seconds(1)...Duration.seconds(30 * 86_400)

    func read(_ alerts: Section) -> [EscalationSettings] {
        var steps: [EscalationSettings] = []
        var lines: [String: Int] = [:]
        for node in alerts.list("escalation") ?? [] {
            guard case .mapping(let entries) = node.content else {
                alerts.mismatch("escalation", Self.expected, node)
                continue
            }
            let section = Section(
                entries: entries, position: node.position, title: "in an entry of 'escalation'",
                path: "alerts.escalation[]", isConcealed: false, reading: reading)
            let after = after(section, behind: steps.last)
            let names = names(section, &lines)
            section.close()
            if let after { steps.append(EscalationSettings(after: after, channels: names)) }
        }
        return steps
    }

    private func after(_ section: Section, behind last: EscalationSettings?) -> Duration? {
        guard let entry = section.entry("after"), !entry.value.isNull else {
            reading.error("'after' is missing \(section.title)", at: section.position)
            return nil
        }
        guard let after = section.duration("after", in: Self.range) else { return nil }
        if let last, after <= last.after {
            reading.error(
                "'after' \(section.title) must be later than the step before it, which comes after \(last.after.notation)",
                at: entry.value.position)
        }
        return after
    }

    private func names(_ section: Section, _ lines: inout [String: Int]) -> [String] {
        let nodes = section.list("channels")
        if nodes?.isEmpty ?? !section.has("channels") || section.entry("channels")?.value.isNull == true {
            reading.error("'channels' \(section.title) names no channel", at: section.position)
        }
        var names: [String] = []
        for node in nodes ?? [] {
            guard let name = section.text(node, "channels", "the name of a channel") else { continue }
            guard known.contains(name.value) else {
                known.refuse(name)
                continue
            }
            if channels.contains(where: { $0.name == name.value && $0.type == .alertmanager }) {
                reading.error(
                    "'escalation' cannot name a channel of type alertmanager, which receives states and no messages",
                    at: name.position)
            }
            if let line = lines[name.value] {
                reading.error(
                    "channel \(name.quoted) is in 'escalation' already, at line \(line); a channel can be in one step only",
                    at: name.position)
            }
            lines[name.value] = lines[name.value] ?? name.position.line
            names.append(name.value)
        }
        return names
    }
}
