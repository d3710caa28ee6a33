import Evidence
import Foundation
import Monitoring

/// `alerts` and its channels.
struct AlertReader {
    let reading: Reading

    func read(_ section: Section?) -> AlertSettings {
        var result = AlertSettings()
        guard let section else { return result }
        if let entry = section.entry("remind_every") {
            result.remindEvery = entry.value.isNull ? nil : section.duration("remind_every")
        }
        // Zero: notifications are not delayed.
        let grouping = Duration.zero...(.seconds(86_400))
        if let value = section.duration("group_wait", in: grouping) { result.groupWait = value }
        if let value = section.duration("group_interval", in: grouping) { result.groupInterval = value }
        var lines: [String: Int] = [:]
        for node in section.list("channels", isConcealed: true) ?? [] {
            guard case .mapping(let entries) = node.content else {
                section.mismatch(
                    "channels", "a mapping with the keys 'name', 'type' and those of its type", node, isConcealed: true)
                continue
            }
            let channel = self.section(entries, at: node.position)
            let name = channel.name("channel")
            if let name {
                if let line = lines[name.value] {
                    reading.error(
                        "channel \(name.quoted) is given twice; it is already given at line \(line)", at: name.position)
                }
                lines[name.value] = lines[name.value] ?? name.position.line
            }
            // The valid keys depend on the type.
            if let type = type(channel),
                let read = ChannelReader(reading: reading, channel: channel, type: type).read(named: name?.value)
            {
                result.channels.append(read)
            }
        }
        result.fallback = fallback(section, among: result.channels)
        let known = ChannelNames(all: names(in: section), reading: reading)
        result.escalation = EscalationReader(reading: reading, known: known, channels: result.channels).read(section)
        section.close()
        return result
    }

    private func fallback(_ section: Section, among channels: [Channel]) -> String? {
        guard let name = section.text("fallback", "the name of a channel") else { return nil }
        let known = ChannelNames(all: names(in: section), reading: reading)
        guard known.contains(name.value) else {
            known.refuse(name)
            return nil
        }
        let channel = channels.first { $0.name == name.value }
        if channel?.kind == .alertmanager {
            reading.error(
                "'fallback' cannot be a channel of type alertmanager, which receives states and no messages",
                at: name.position)
            return nil
        }
        if let kinds = channel?.kinds, !kinds.isEmpty,
            !kinds.contains(where: ["monitor.degraded", "monitor.*"].contains)
        {
            reading.warning(
                "'kinds' of the fallback channel \(name.quoted) leaves out monitor.degraded, so it is not notified of "
                    + "the monitor's own trouble", at: name.position)
        }
        if channel?.minimumSeverity == .error {
            reading.warning(
                "'severity' of the fallback channel \(name.quoted) is error, so it is not notified of late checks, a "
                    + "refused reload, or the first failures of a channel, which are warnings", at: name.position)
        }
        return name.value
    }

    /// The names of all channels, including invalid ones: domains that name these are not wrong.
    func names(in alerts: Section?) -> [ScalarText] {
        guard case .list(let channels) = alerts?.entry("channels")?.value.content else { return [] }
        return channels.compactMap { channel in
            guard case .mapping(let entries) = channel.content,
                let name = entries.first(where: { $0.key == "name" })?.value, case .scalar(let raw, _) = name.content
            else { return nil }
            return try? EnvironmentSubstitution(environment: reading.environment).text(raw, at: name.position)
        }
    }

    private func section(_ entries: [SourceNode.Entry], at position: SourcePosition) -> Section {
        var title = "in an entry of 'channels'"
        if case .scalar(let name, _) = entries.first(where: { $0.key == "name" })?.value.content,
            Section.isName(name)
        {
            title = "in channel '\(name)'"
        }
        return Section(
            entries: entries, position: position, title: title, path: "alerts.channels[]", isConcealed: true,
            reading: reading)
    }

    private func type(_ channel: Section) -> ChannelKind? {
        let supported = ChannelKind.allCases.map(\.rawValue).sorted()
        let list = supported.joined(separator: ", ")
        guard channel.isGiven("type") else {
            reading.error("'type' is missing \(channel.title); supported: \(list)", at: channel.position)
            return nil
        }
        guard let text = channel.text("type", "the type of a channel") else { return nil }
        if let type = ChannelKind(rawValue: text.value) { return type }
        let hint = text.suggestion(among: supported)
        reading.error(
            "unknown channel type \(text.quoted)" + (hint.isEmpty ? "; supported: \(list)" : hint), at: text.position)
        return nil
    }
}

extension Section {
    /// A name that is safe in logs, metrics and command lines; nil after reporting a problem.
    /// `kind`: what has the name, for messages.
    func name(_ kind: String) -> ScalarText? {
        guard let text = text("name", "the name of a \(kind)", isRequired: true) else { return nil }
        guard Self.isName(text.value) else {
            reading.error(
                "the name of a \(kind) has 1 to 64 letters, digits, '-', '_' and '.'", at: text.position)
            return nil
        }
        return text
    }

    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
    }
}

/// `alerts.escalation`: a list of steps, each later than the one before it.
struct EscalationReader {
    let reading: Reading
    let known: ChannelNames
    /// The channels without errors.
    let channels: [Channel]

    private static let expected = "a mapping with the keys 'after' and 'channels'"
    /// A step after more than 30 days is a mistake.
    private static let range = Duration.seconds(1)...Duration.seconds(30 * 86_400)

    func read(_ alerts: Section) -> Escalation {
        var steps: [Escalation.Step] = []
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
            if let after { steps.append(Escalation.Step(after: after, channels: names)) }
        }
        return Escalation(steps)
    }

    private func after(_ section: Section, behind last: Escalation.Step?) -> Duration? {
        guard let entry = section.entry("after"), !entry.value.isNull else {
            reading.error("'after' is missing \(section.title)", at: section.position)
            return nil
        }
        guard let after = section.duration("after", in: Self.range) else { return nil }
        if let last, after <= last.after {
            reading.error(
                "'after' \(section.title) must be later than that of the step before it",
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
            if channels.contains(where: { $0.name == name.value && $0.kind == .alertmanager }) {
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

/// The names of all channels, including invalid ones, to check references in domains, `fallback` and `escalation`.
struct ChannelNames {
    let all: [ScalarText]
    let reading: Reading

    func contains(_ name: String) -> Bool { all.contains { $0.value == name } }

    /// Reports that no channel has the name, with a suggestion.
    func refuse(_ name: ScalarText) {
        // Suggestions never contain the value of a variable.
        let known = all.filter { !$0.usesVariable && Section.isName($0.value) }.map(\.value)
        var hint = name.suggestion(among: known)
        if hint.isEmpty {
            hint =
                known.isEmpty
                ? "; 'alerts.channels' has \(all.isEmpty ? "none" : "no such name")"
                : "; 'alerts.channels' has \(known.map { "'\($0)'" }.joined(separator: ", "))"
        }
        reading.error("no channel is named \(name.quoted)\(hint)", at: name.position)
    }
}
