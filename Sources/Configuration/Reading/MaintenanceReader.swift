import Evidence
import Foundation
import Monitoring

/// `maintenance`: a list of weekly windows.
struct MaintenanceReader {
    let reading: Reading
    /// The monitored domains and their labels: a window that cannot match any of them is a mistake.
    let watched: [WatchedDomain]

    private static let expected = "a mapping with the keys 'name', 'domains', 'days', 'start', 'duration' and 'zone'"

    func read(_ root: Section) -> [MaintenanceWindow] {
        var result: [MaintenanceWindow] = []
        var lines: [String: Int] = [:]
        for node in root.list("maintenance") ?? [] {
            guard case .mapping(let entries) = node.content else {
                root.mismatch("maintenance", Self.expected, node)
                continue
            }
            let section = section(entries, at: node.position)
            let name = section.name("maintenance window")
            if let name {
                if let line = lines[name.value] {
                    reading.error(
                        "maintenance window \(name.quoted) is given twice; it is already given at line \(line)",
                        at: name.position)
                }
                lines[name.value] = lines[name.value] ?? name.position.line
            }
            let window = window(section, named: name?.value)
            section.close()
            if let window { result.append(window) }
        }
        return result
    }

    private func section(_ entries: [SourceNode.Entry], at position: SourcePosition) -> Section {
        var title = "in an entry of 'maintenance'"
        if case .scalar(let name, _) = entries.first(where: { $0.key == "name" })?.value.content, Section.isName(name) {
            title = "in maintenance window '\(name)'"
        }
        return Section(
            entries: entries, position: position, title: title, path: "maintenance[]", isConcealed: false,
            reading: reading)
    }

    private func window(_ section: Section, named name: String?) -> MaintenanceWindow? {
        let domains = self.domains(section)
        let labels = self.labels(section)
        if !section.isGiven("domains"), !section.isGiven("labels") {
            reading.error(
                "'domains' or 'labels' is missing \(section.title); 'domains: [\"*\"]' stands for all",
                at: section.position)
        }
        let days = self.days(section)
        let start = time("start", section, isRequired: true)
        let extent = self.extent(section)
        let zone = self.zone(section)
        let reason = section.text("reason", "a text")?.value ?? "maintenance"
        guard let name, let days, let start, let extent, let zone else { return nil }
        return MaintenanceWindow(
            name: name, scope: SilenceScope(domains: domains, labels: labels), days: days, start: start,
            extent: extent, zone: zone, reason: reason)
    }

    private func domains(_ section: Section) -> [DomainPattern] {
        (section.list("domains") ?? []).compactMap { domain($0, section) }
    }

    private func domain(_ node: SourceNode, _ section: Section) -> DomainPattern? {
        let expected = "a domain, '*.example.com' or '*'"
        guard let text = section.text(node, "domains", expected) else { return nil }
        if text.value == "*" { return .all }
        let isBelow = text.value.hasPrefix("*.")
        let domain: Domain
        do {
            domain = try Domain(isBelow ? String(text.value.dropFirst(2)) : text.value)
        } catch {
            reading.error(
                "expected \(expected) for 'domains' \(section.title), found "
                    + "\(text.quoted)\(text.reason(error.reason))", at: text.position)
            return nil
        }
        let pattern: DomainPattern = isBelow ? .below(domain) : .exactly(domain)
        if !watched.isEmpty, !watched.contains(where: { pattern.matches($0.domain) }) {
            let names = watched.map(\.domain).filter { !reading.concealedDomains.contains($0) }.map(\.name)
            let hint = isBelow ? "" : text.suggestion(among: names)
            reading.error("\(text.quoted) \(section.title) is not watched\(hint)", at: text.position)
        }
        return pattern
    }

    private func labels(_ section: Section) -> [String: String] {
        guard let entry = section.entry("labels"), !entry.value.isNull else { return [:] }
        guard case .mapping(let entries) = entry.value.content else {
            section.mismatch("labels", "a mapping of names to texts", entry.value)
            return [:]
        }
        let known = Set(watched.flatMap { $0.labels.keys })
        var labels: [String: String] = [:]
        for label in entries {
            guard case .scalar(let raw, _) = label.value.content, !label.value.isNull else {
                reading.error(
                    "expected a text for label \(Quotation.ofKey(label.key)) \(section.title), "
                        + "found \(label.value.summary(isConcealed: false))", at: label.value.position)
                continue
            }
            if !known.contains(label.key), !watched.isEmpty {
                let hint = Spelling.suggestion(for: label.key, among: known)
                reading.error(
                    "no domain has the label \(Quotation.ofKey(label.key)) of 'labels' \(section.title)\(hint)",
                    at: label.position)
            }
            if let text = reading.text(raw, at: label.value.position) { labels[label.key] = text.value }
        }
        return labels
    }

    private func days(_ section: Section) -> Set<Weekday>? {
        guard section.isGiven("days") else {
            reading.error(
                "'days' is missing \(section.title); such as 'days: [sat, sun]'",
                at: section.entry("days")?.position ?? section.position)
            return nil
        }
        guard let nodes = section.list("days") else { return nil }
        var days: Set<Weekday> = []
        for node in nodes {
            guard let text = section.text(node, "days", "a day such as sat") else { continue }
            // A day written out is rejected with a suggestion: each thing has only one spelling.
            guard let day = Weekday(rawValue: text.value) else {
                let short = Weekday(rawValue: String(text.value.lowercased().prefix(3)))
                let hint = text.usesVariable ? "" : short.map { "; did you mean '\($0.rawValue)'?" } ?? ""
                reading.error(
                    "expected one of \(Weekday.week.map(\.rawValue).joined(separator: ", ")) in 'days' "
                        + "\(section.title), found \(text.quoted)\(hint)", at: text.position)
                continue
            }
            days.insert(day)
        }
        if nodes.isEmpty { reading.error("'days' \(section.title) is empty", at: section.position) }
        return days.isEmpty ? nil : days
    }

    private func time(_ key: String, _ section: Section, isRequired: Bool = false) -> TimeOfDay? {
        let expected = "a time of day in quotation marks such as \"02:00\""
        guard let text = section.text(key, expected, isRequired: isRequired) else { return nil }
        guard let time = TimeOfDay(text.value) else {
            reading.error(
                "expected \(expected) for '\(key)' \(section.title), found \(text.quoted)", at: text.position)
            return nil
        }
        return time
    }

    private func extent(_ section: Section) -> MaintenanceWindow.Extent? {
        let isLasting = section.isGiven("duration")
        let isUntil = section.isGiven("end")
        guard isLasting != isUntil else {
            reading.error(
                isLasting
                    ? "'duration' and 'end' \(section.title) say the same; leave one out"
                    : "'duration' is missing \(section.title), or 'end'", at: section.position)
            return nil
        }
        if isLasting {
            return section.duration("duration", in: .seconds(60)...MaintenanceWindow.longest).map { .lasting($0) }
        }
        return time("end", section).map { .until($0) }
    }

    private func zone(_ section: Section) -> TimeZone? {
        let expected = "a time zone such as Europe/Berlin"
        guard let text = section.text("zone", expected, isRequired: true) else { return nil }
        // Foundation also accepts `GMT+3`, which has no daylight saving, and `CET`, whose rules are not the same in all
        // places that use the name.
        let isName = text.value.contains("/") || text.value == "UTC"
        guard isName, let zone = TimeZone(identifier: text.value) else {
            let hint = text.suggestion(among: TimeZone.knownTimeZoneIdentifiers.filter { $0.contains("/") })
            reading.error(
                "expected \(expected) for 'zone' \(section.title), found \(text.quoted)\(hint)", at: text.position)
            return nil
        }
        return zone
    }
}
