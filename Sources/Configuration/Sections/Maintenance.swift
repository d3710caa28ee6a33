// `maintenance`: a list of weekly windows.

import Evidence
import Foundation
import Monitoring

extension MaintenanceWindow {
    /// The required settings replace these values.
    private static let unset = MaintenanceWindow(
        name: "", scope: SilenceScope(), days: [], start: .midnight, extent: .lasting(.zero), zone: .gmt,
        reason: "maintenance")

    private var listedDays: [Weekday] {
        get { Weekday.week.filter(days.contains) }
        set { days = Set(newValue) }
    }

    private var duration: Duration? {
        get { if case .lasting(let duration) = extent, duration > .zero { duration } else { nil } }
        set { if let newValue { extent = .lasting(newValue) } }
    }

    private var end: TimeOfDay? {
        get { if case .until(let end) = extent { end } else { nil } }
        set { if let newValue { extent = .until(newValue) } }
    }

    static let form = Form<MaintenanceWindow>.mapping(
        [
            Setting("name", \.name, .name(of: "maintenance window"), isRequired: true, "unique"),
            Setting(
                "domains", \.scope.domains, .list(of: .watched),
                "at least one must match; this key or `labels` is needed"),
            Setting("labels", \.scope.labels, .knownLabels, "all must match; `*` matches any value")
                .checked { section in
                    guard !section.isGiven("domains"), !section.isGiven("labels") else { return }
                    section.reading.error(
                        "'domains' or 'labels' is missing \(section.title); 'domains: [\"*\"]' means all",
                        at: section.position)
                },
            Setting(
                "days", \.listedDays, .list(of: .weekday, atLeast: 1, check: refuseNone), isRequired: true,
                missing: "; such as 'days: [sat, sun]'", "the days on which it begins"),
            Setting("start", \.start, .time, isRequired: true, "in the time zone `zone`"),
            Setting(
                "duration", \.duration, .duration(in: .seconds(60)...longest, takesNull: true),
                "elapsed time; this key or `end` is needed"),
            Setting("end", \.end, .time, "time of day in `zone`; on the next day if it is not later than `start`")
                .checked { section in
                    let isLasting = section.isGiven("duration")
                    guard isLasting == section.isGiven("end") else { return }
                    section.reading.error(
                        isLasting
                            ? "'duration' and 'end' \(section.title) both set the end; remove one"
                            : "'duration' or 'end' is missing \(section.title)", at: section.position)
                },
            Setting("zone", \.zone, .zone, isRequired: true, "not an abbreviation such as `CET`"),
            Setting("reason", \.reason, .text("a text"), "shown on the status page"),
        ], unset,
        .entry(
            "maintenance window",
            expected: "a mapping with the keys 'name', 'domains', 'days', 'start', 'duration' and 'zone'"),
        schema: [
            "anyOf": [["required": ["domains"]], ["required": ["labels"]]],
            "oneOf": [["required": ["duration"]], ["required": ["end"]]],
            "allOf": [["properties": ["duration": ["type": "string"], "end": ["type": "string"]]]],
        ])

    @Sendable private static func refuseNone(_ nodes: [SourceNode], _ days: [Weekday], _ field: Field) -> [Weekday] {
        if nodes.isEmpty { field.refuse("is empty", at: field.section.position) }
        return days
    }
}

extension Form where Value == DomainPattern {
    fileprivate static var watched: Form {
        let expected = "a domain, '*.example.com' or '*'"
        return .text(
            expected, words: "watched domains, `*.example.com` (its subdomains, not itself), or `*`"
        ) { text, field in
            let reading = field.reading
            let pattern: DomainPattern
            do throws(DomainFault) {
                // The command line has two words for all domains. Here only `*` is one.
                let isWord = text.value.lowercased() == "all"
                pattern = try isWord ? .exactly(Domain(text.value)) : DomainPattern(text.value)
            } catch {
                return field.unexpected(text, expected, text.reason(error.reason))
            }
            let watched = reading.context.watched.map(\.domain)
            if !watched.isEmpty, !watched.contains(where: pattern.matches) {
                let names = watched.filter { !reading.concealedDomains.contains($0) }.map(\.name)
                let hint = text.value.hasPrefix("*") ? "" : text.suggestion(among: names)
                reading.error("\(text.quoted) \(field.section.title) is not watched\(hint)", at: text.position)
            }
            return pattern
        }
    }
}

extension Form where Value == Weekday {
    fileprivate static var weekday: Form {
        word(
            "a day such as sat", among: Weekday.week.map(\.rawValue),
            hint: { text in
                // A full name is rejected with a suggestion: each day has only one spelling.
                let short = Weekday(rawValue: String(text.value.lowercased().prefix(3)))
                return text.usesVariable ? "" : short.map { "; did you mean '\($0.rawValue)'?" } ?? ""
            }, value: Weekday.init(rawValue:), show: \.rawValue)
    }
}

extension Form where Value == TimeOfDay {
    fileprivate static var time: Form {
        text(
            "a time of day in quotation marks such as \"02:00\"", words: "time of day, `\"02:00\"`",
            pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$", parse: TimeOfDay.init)
    }
}

extension Form where Value == TimeZone {
    fileprivate static var zone: Form {
        let expected = "a time zone such as Europe/Berlin"
        let words = "name of the [IANA database](https://www.iana.org/time-zones), `Europe/Berlin`, or `UTC`"
        return .text(expected, words: words, pattern: "^(UTC|.+/.+)$") { text, field in
            // Foundation also accepts `GMT+3`, which has no daylight saving, and `CET`, whose rules are not the same in
            // all places that use the name.
            let isName = text.value.contains("/") || text.value == "UTC"
            if isName, let zone = TimeZone(identifier: text.value) { return zone }
            let known = TimeZone.knownTimeZoneIdentifiers.filter { $0.contains("/") }
            return field.unexpected(text, expected, text.suggestion(among: known))
        } show: {
            $0.usualName
        }
    }
}
