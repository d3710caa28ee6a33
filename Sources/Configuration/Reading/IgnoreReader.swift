import Evidence

/// `ignore`, of `defaults` and of a domain: rules whose findings do not count.
enum IgnoreReader {
    /// No rule twice.
    static func read(_ parent: Section) -> [IgnoredRule] {
        var result: [IgnoredRule] = []
        var lines: [Rule: Int] = [:]
        for node in parent.list("ignore") ?? [] {
            guard case .mapping(let entries) = node.content else {
                parent.mismatch("ignore", "a mapping such as {rule: aasa.whole-site, reason: \"meant so\"}", node)
                continue
            }
            let section = Section(
                entries: entries, position: node.position, title: "in 'ignore' \(parent.title)",
                path: "\(parent.path).ignore[]", isConcealed: false, reading: parent.reading)
            let text = section.text("rule", "a rule such as aasa.whole-site", isRequired: true)
            let rule = text.flatMap { known($0, section) }
            let reason = section.text("reason", "a text", isRequired: true)
            let until = day(section)
            section.close()
            if let reason, reason.value.count > 500 {
                section.reading.error("'reason' \(section.title) is longer than 500 characters", at: reason.position)
            }
            guard let text, let rule, let reason else { continue }
            if let line = lines.updateValue(lines[rule] ?? text.position.line, forKey: rule) {
                section.reading.error(
                    "rule \(text.quoted) \(section.title) is given twice; it is already given at line \(line)",
                    at: text.position)
                continue
            }
            result.append(IgnoredRule(rule, reason: reason.value, until: until))
        }
        return result
    }

    private static func known(_ text: ScalarText, _ section: Section) -> Rule? {
        let rule = Rule(rawValue: text.value)
        if Rule.ofDomains.contains(rule) { return rule }
        guard !text.value.hasPrefix("monitor."), text.value != "cdn.wide" else {
            section.reading.error(
                "rule \(text.quoted) \(section.title) is about the monitor or many domains; it cannot be ignored for a domain",
                at: text.position)
            return nil
        }
        let hint =
            text.isSubstituted ? "" : Spelling.suggestion(for: text.value, among: Rule.ofDomains.map(\.rawValue))
        section.reading.error(
            "expected a rule such as aasa.whole-site for 'rule' \(section.title), found \(text.quoted)\(hint)",
            at: text.position)
        return nil
    }

    private static func day(_ section: Section) -> CalendarDay? {
        let expected = "a date such as 2027-01-01"
        guard let text = section.text("until", expected) else { return nil }
        guard let day = CalendarDay(text.value) else {
            section.reading.error(
                "expected \(expected) for 'until' \(section.title), found \(text.quoted)", at: text.position)
            return nil
        }
        if day.end <= section.reading.now {
            section.reading.warning(
                "'until' \(section.title) has passed: the rule's findings count again; remove the entry or extend the date",
                at: text.position)
        }
        return day
    }
}
