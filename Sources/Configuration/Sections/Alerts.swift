// `alerts`, without its channels.

import Evidence
import Monitoring

/// Who is notified, and how often.
package struct AlertSettings: Sendable, Equatable {
    /// The time between two reminders of an open incident; nil: no reminders.
    package var remindEvery: Duration? = .seconds(24 * 3600)
    /// How long a notification waits for others of the same kind and reason, to be sent with them.
    package var groupWait: Duration = .seconds(10)
    /// The minimum time between two messages to one channel about new incidents of one kind.
    package var groupInterval: Duration = .seconds(300)
    /// The only channel that is notified of the monitor's own problems; nil: all channels.
    package var fallback: String?
    /// The channels that are notified later if nobody acknowledges an incident. "All channels" does not include them.
    package var escalation = Escalation()
    /// For domains without their own `channels`, in file order. Already applied to each of the domains.
    package var routes: [LabelRoute] = []
    /// The operator's own line for each message; nil: none.
    package var note: MessageNote?
    /// With unique names, in file order.
    package var channels: [Channel] = []

    /// The warning of a monitor without a channel; nil with one.
    package var warningOfSilence: String? {
        channels.isEmpty
            ? "no channel is configured, so no alert is sent; add at least one under 'alerts.channels'" : nil
    }

    package init() {}

    /// Zero: notifications are not delayed.
    private static let grouping = Duration.zero...(.seconds(86_400))

    private static let settings: [Setting<AlertSettings>] = [
        Setting(
            "remind_every", \.remindEvery, .durationOrNull,
            "time from the firing to the first reminder. Each gap is twice the previous one, up to a day. Reminders stop "
                + "after seven days; for a certificate, when it is renewed. null: no reminders"),
        Setting(
            "group_wait", \.groupWait, .duration(in: grouping),
            "how long a message to one channel waits for others of the same kind and reason; `0s`: no "
                + "[grouping](alerts.md#messages), every incident gets its own message"),
        Setting(
            "group_interval", \.groupInterval, .duration(in: grouping),
            "minimum time at one channel between two messages about new incidents of one kind, or between two messages "
                + "with reminders. Updates, escalations and ends do not wait for it. `0s`: no minimum"),
        Setting(
            "fallback", \.fallback, .fallback,
            "the only channel that is notified of the [monitor's own trouble](alerts.md#many-domains-at-once): a "
                + "channel, the store, the schedule, the configuration. Without it, or if this channel itself is in "
                + "trouble, all other channels are notified. Not of type `alertmanager`"),
        Setting(
            "routes", \.routes, .list(of: LabelRoute.form),
            "which channels are notified immediately of a domain without its own `channels`: those of the first route "
                + "that matches its labels. If none matches: all except those of `escalation`"),
        Setting(
            "note", \.note, MessageNote.form,
            "your own line in each message, such as the address of a runbook. Its "
                + "[placeholders](alerts.md#a-line-of-your-own) are `{kind}`, `{domain}`, `{severity}` and "
                + "`{labels.NAME}`"),
        Setting(
            "escalation", \.escalation.listed, .list(of: Escalation.Step.form),
            "channels that are notified later of an incident of severity `error`, if "
                + "[nobody has acknowledged it](alerts.md#acknowledgement-and-escalation). The time counts from when it "
                + "fired, became worse or came back. Each step is later than the previous one. These channels are not "
                + "notified immediately, except of domains that name them in `channels`, and as `fallback`. A channel "
                + "can be in only one step, and cannot be of type `alertmanager`"),
        Setting("channels", \.channels, .list(of: Channel.form), "where notifications go"),
    ]

    static let form = Form<AlertSettings>.mapping(settings, AlertSettings()) { $0.warnOfFallback($1) }

    /// A fallback whose own filters leave out the monitor's trouble.
    private func warnOfFallback(_ section: Section) {
        guard let channel = channels.first(where: { $0.name == fallback }) else { return }
        let name = section.reading.shown(Quotation.of(channel.name), of: "alerts.fallback")
        let place = section.place(of: "fallback")
        if !channel.kinds.isEmpty, !channel.kinds.contains(where: ["monitor.degraded", "monitor.*"].contains) {
            section.reading.warning(
                "'kinds' of the fallback channel \(name) leaves out monitor.degraded, so it is not notified of "
                    + "the monitor's own trouble", at: place)
        }
        if channel.minimumSeverity == .error {
            section.reading.warning(
                "'severity' of the fallback channel \(name) is error, so it is not notified of late checks, a "
                    + "refused reload, or the first failures of a channel, which are warnings", at: place)
        }
    }
}

extension Escalation {
    fileprivate var listed: [Step] {
        get { steps }
        set { self = Escalation(newValue) }
    }
}

extension Escalation.Step {
    fileprivate static let form = Form<Self>.mapping(
        [
            // A step after more than 30 days is a mistake.
            Setting(
                "after", \.after, .duration(in: .seconds(1)...Duration.seconds(30 * 86_400)), isRequired: true,
                "how long after it fired"),
            Setting("channels", \.channels, .list(of: .stepChannel, atLeast: 1), "the channels of the step")
                .requiredByRule,
        ], Escalation.Step(after: .zero, channels: []),
        .entry(expected: "a mapping with the keys 'after' and 'channels'")
    ) { step, section in
        if section.entry("channels").map({ $0.value.isNull || $0.value.isEmptyList }) ?? true {
            section.reading.error("'channels' \(section.title) names no channel", at: section.position)
        }
        // Zero: the step has no valid time.
        guard step.after > .zero else { return }
        if let latest = section.siblings?.latest, step.after <= latest {
            section.reading.error(
                "'after' \(section.title) must be later than in the previous step", at: section.place(of: "after")
            )
        }
        section.siblings?.latest = step.after
    }
}

extension LabelRoute {
    fileprivate static let form = Form<Self>.mapping(
        [
            Setting("match", \.match, .knownLabels, isRequired: true, "all must match; `*` matches any value"),
            Setting(
                "channels", \.channels,
                .list(of: .channelName, atLeast: 1) { nodes, names, field in
                    if nodes.isEmpty { field.refuse("names no channel") }
                    return names.withoutRepeats
                }, isRequired: true, "the channels of these domains"),
        ], LabelRoute(), .entry(expected: "a mapping with the keys 'match' and 'channels'")
    ) { route, section in
        if case .mapping(let labels) = section.entry("match")?.value.content, labels.isEmpty {
            section.reading.error("'match' \(section.title) names no label", at: section.place(of: "match"))
        }
        let watched = section.reading.context.watched
        let isKnown = route.match.keys.allSatisfy { name in watched.contains { $0.labels[name] != nil } }
        guard isKnown, !route.match.isEmpty, !watched.contains(where: route.matches) else { return }
        section.reading.warning(
            "no domain has the labels of 'match' \(section.title), so the route is never used",
            at: section.place(of: "match"))
    }
}

extension MessageNote {
    fileprivate static let form = Form<Self>.text(
        "a line of text such as \"Runbook: https://wiki.example.net/{kind}\"", words: "a line of text"
    ) { text, field in
        do throws(NoteFault) {
            return try MessageNote(text.value)
        } catch {
            return field.refuse(text, text.usesVariable ? "is not a valid line" : error.words)
        }
    }
}

/// The name of a channel and its type as the file has them, valid or not.
struct ChannelName {
    let name: ScalarText
    let type: String?

    /// All in the file, including those of invalid channels.
    static func all(in root: Section) -> [ChannelName] {
        guard case .mapping(let alerts) = root.entry("alerts")?.value.content,
            case .list(let channels) = alerts.first(where: { $0.key == "channels" })?.value.content
        else { return [] }
        let substitution = EnvironmentSubstitution(environment: root.reading.environment)
        return channels.compactMap { channel in
            guard case .mapping(let entries) = channel.content else { return nil }
            func text(_ key: String) -> ScalarText? {
                guard let value = entries.first(where: { $0.key == key })?.value,
                    case .scalar(let raw, _) = value.content
                else { return nil }
                return try? substitution.text(raw, at: value.position)
            }
            return text("name").map { ChannelName(name: $0, type: text("type")?.value) }
        }
    }
}

/// References to channels.
extension Form where Value == String {
    static var channelName: Form { .reference("names of channels") { _, _ in } }

    fileprivate static var fallback: Form {
        .reference("name of a channel") { text, field in
            guard field.refersToAlertmanager(text) else { return }
            field.reading.error(
                "'fallback' cannot be a channel of type alertmanager, which receives states, not messages",
                at: text.position)
        }
    }

    fileprivate static var stepChannel: Form {
        .reference("names of channels") { text, field in
            if field.refersToAlertmanager(text) {
                field.reading.error(
                    "'escalation' cannot name a channel of type alertmanager, which receives states, not messages",
                    at: text.position)
            }
            if let line = field.section.siblings?.line(before: text) {
                field.reading.error(
                    "channel \(text.quoted) is already in 'escalation', at line \(line); "
                        + "a channel can be in only one step", at: text.position)
            }
        }
    }

    private static func reference(
        _ words: String, check: @escaping @Sendable (ScalarText, Field) -> Void
    ) -> Form {
        .text("the name of a channel", words: words) { text, field in
            let all = field.reading.context.channels.map(\.name)
            guard all.contains(where: { $0.value == text.value }) else {
                field.reading.error("no channel is named \(text.quoted)\(hint(for: text, all))", at: text.position)
                return nil
            }
            check(text, field)
            return text.value
        }
    }

    private static func hint(for name: ScalarText, _ all: [ScalarText]) -> String {
        // Suggestions never contain the value of a variable.
        let known = all.filter { !$0.usesVariable && isName($0.value) }.map(\.value)
        let hint = name.suggestion(among: known)
        guard hint.isEmpty else { return hint }
        return known.isEmpty
            ? "; 'alerts.channels' has \(all.isEmpty ? "none" : "no such name")"
            : "; 'alerts.channels' has \(known.map { "'\($0)'" }.joined(separator: ", "))"
    }
}

extension Field {
    fileprivate func refersToAlertmanager(_ text: ScalarText) -> Bool {
        reading.context.channels.contains {
            $0.name.value == text.value && $0.type == ChannelKind.alertmanager.rawValue
        }
    }
}
