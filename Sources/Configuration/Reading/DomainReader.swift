import Evidence

/// `defaults`, `domains` and the file of `domains_from`.
struct DomainReader {
    let reading: Reading
    let defaults: CheckSettings
    /// The names of all channels, for `domains[].channels`.
    let channels: [ScalarText]

    static func defaults(_ section: Section?) -> CheckSettings {
        guard let section else { return CheckSettings() }
        let result = checks(section, over: CheckSettings())
        section.close()
        return result
    }

    /// The keys that `defaults` and an entry of `domains` share.
    private static func checks(_ section: Section, over defaults: CheckSettings) -> CheckSettings {
        var result = defaults
        if let value = section.duration("interval") { result.interval = value }
        if let value = section.duration("stale_after") { result.staleAfter = value }
        if let value = section.duration("full_every") { result.fullEvery = value }
        if let value = section.duration("timeout", in: .milliseconds(100)...(.seconds(300))) { result.timeout = value }
        if let value = section.integer("failure_threshold", in: 1...100) { result.failureThreshold = value }
        if let value = section.integer("recovery_threshold", in: 1...100) { result.recoveryThreshold = value }
        if let value = section.duration("certificate_warning") { result.certificateWarning = value }
        let own = IgnoreReader.read(section)
        // A domain's list adds to the defaults. For a rule in both, the domain's reason and date count.
        result.ignore = own + defaults.ignore.filter { rule in !own.contains { $0.rule == rule.rule } }
        warnOfRareChecks(section, result)
        return result
    }

    /// A lag that is shorter than the time between two checks cannot be measured.
    private static func warnOfRareChecks(_ section: Section, _ checks: CheckSettings) {
        guard checks.staleAfter < checks.interval, let entry = section.entry("stale_after") ?? section.entry("interval")
        else { return }
        section.reading.warning(
            "'stale_after' \(section.title) is shorter than 'interval', so a stale copy is noticed too late; check more "
                + "often, or raise 'stale_after'", at: entry.value.position)
    }

    func read(_ root: Section) -> [WatchedDomain] {
        let list = root.text("domains_from", "a path")
        let own = list == nil || root.isGiven("domains") ? domains(root) : []
        guard let list, let text = reading.list(inFile: list) else { return own }
        guard let listed = listed(text, in: list) else { return own }
        // If a domain is in both, the configuration's entry counts.
        let known = Set(own.map(\.domain))
        let all = own + listed.filter { !known.contains($0.domain) }
        if all.isEmpty { reading.error("the file \(list.quoted) of 'domains_from' names no domain", at: list.position) }
        return all
    }

    /// The domains of the file that `domains_from` names: YAML with entries as under `domains`, or one domain per line.
    /// nil after reporting a problem.
    private func listed(_ text: String, in path: ScalarText) -> [WatchedDomain]? {
        let own = reading.ofList(reading.place(path.usesVariable ? path.raw : path.value))
        defer { reading.take(own) }
        var root: SourceNode?
        if path.value.hasSuffix(".yaml") || path.value.hasSuffix(".yml") {
            let document = SourceDocument(parsing: text, limits: .listOfDomains)
            for problem in document.problems { own.error(problem.message, at: problem.position) }
            root = document.root
        } else {
            root = SourceNode(content: .list(Self.lines(text)), position: .start)
        }
        let section = Section(
            entries: root.map { [SourceNode.Entry(key: "domains", position: .start, value: $0)] } ?? [],
            position: .start, title: "in the file of 'domains_from'", path: "", isConcealed: false, reading: own)
        let result = DomainReader(reading: own, defaults: defaults, channels: channels)
            .entries(section.list("domains") ?? [], in: section)
        return own.errorCount == 0 ? result : nil
    }

    /// Skips empty lines and lines that begin with `#`.
    private static func lines(_ text: String) -> [SourceNode] {
        func isBlank(_ character: Character) -> Bool { " \t\u{FEFF}".contains(character) }
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return lines.enumerated().compactMap { index, line in
            var content = line.drop(while: isBlank)
            guard let first = content.first, first != "#" else { return nil }
            let position = SourcePosition(line: index + 1, column: line.count - content.count + 1)
            while let last = content.last, isBlank(last) { content.removeLast() }
            return SourceNode(content: .scalar(String(content), isPlain: false), position: position)
        }
    }

    private func domains(_ root: Section) -> [WatchedDomain] {
        let advice = "name at least one, such as '- example.com'"
        guard let entry = root.entry("domains") else {
            reading.error("'domains' is missing; \(advice)", at: .start)
            return []
        }
        guard !entry.value.isNull else {
            reading.error("'domains' is empty; \(advice)", at: entry.position)
            return []
        }
        guard let nodes = root.list("domains") else { return [] }
        if nodes.isEmpty { reading.error("'domains' is empty; \(advice)", at: entry.value.position) }
        return entries(nodes, in: root)
    }

    /// Reports repeated domains.
    private func entries(_ nodes: [SourceNode], in root: Section) -> [WatchedDomain] {
        var lines: [Domain: Int] = [:]
        var result: [WatchedDomain] = []
        for node in nodes {
            guard let (watched, text) = self.entry(node, in: root) else { continue }
            reading.note(watched.domain, namedBy: text)
            if let line = lines[watched.domain] {
                reading.error(
                    "domain \(text.quoted) is listed twice; it is already given at line \(line)", at: text.position)
            } else {
                lines[watched.domain] = text.position.line
                result.append(watched)
            }
        }
        return result
    }

    private func entry(_ node: SourceNode, in root: Section) -> (WatchedDomain, ScalarText)? {
        guard case .mapping(let entries) = node.content else {
            return root.text(node, "domains", "a domain or a mapping with the key 'domain'")
                .flatMap { text in parsed(text).map { (WatchedDomain(domain: $0, checks: defaults), text) } }
        }
        let section = Section(
            entries: entries, position: node.position, title: title(entries), path: "domains[]", isConcealed: false,
            reading: reading)
        let text = section.text("domain", "a domain", isRequired: true)
        let domain = text.flatMap { parsed($0) }
        // Read the other keys even if the domain is invalid, to report their problems too.
        let checks = Self.checks(section, over: defaults)
        let mode = section.choice("mode", AssociationMode.self) ?? .production
        let labels = self.labels(section)
        let channels = self.channels(section)
        let expect = ExpectationReader.read(section, domain: domain)
        section.close()
        guard let domain, let text else { return nil }
        let watched = WatchedDomain(
            domain: domain, checks: checks, mode: mode, labels: labels, channels: channels, expect: expect)
        return (watched, text)
    }

    private func title(_ entries: [SourceNode.Entry]) -> String {
        for entry in entries where entry.key == "domain" {
            if case .scalar(let text, _) = entry.value.content, !entry.value.isNull {
                return "in domain \(Quotation.of(text))"
            }
        }
        return "in an entry of 'domains'"
    }

    private func parsed(_ text: ScalarText) -> Domain? {
        do {
            return try Domain(text.value)
        } catch {
            if let target = try? Target(parsing: text.value), !text.usesVariable {
                let mode = target.mode == .production ? "" : " with 'mode: \(target.mode.rawValue)'"
                reading.error(
                    "expected a bare domain, found \(text.quoted); write \(target.domain)\(mode)", at: text.position)
            } else {
                let filled = text.usesVariable ? " once its variables are filled in" : ""
                // YAML adds a line that is indented deeper to the text above it.
                let joined =
                    text.raw.contains(" - ") ? "; is the '-' of the next line indented deeper than this one's?" : ""
                reading.error(
                    "\(text.quoted) is not a domain\(filled)\(text.reason(error.reason))\(joined)", at: text.position)
            }
            return nil
        }
    }

    private func labels(_ section: Section) -> [String: String] {
        guard let entry = section.entry("labels"), !entry.value.isNull else { return [:] }
        guard case .mapping(let entries) = entry.value.content else {
            section.mismatch("labels", "a mapping of names to texts", entry.value)
            return [:]
        }
        if entries.count > 32 {
            reading.error("'labels' \(section.title) has more than 32 labels", at: entry.position)
        }
        var labels: [String: String] = [:]
        for label in entries {
            guard LabelName.isValid(label.key) else {
                reading.error(
                    "\(Quotation.ofKey(label.key)) is no name of a label; \(LabelName.advice)", at: label.position)
                continue
            }
            // A number is a valid label value, as in `year: 2026`: its text counts.
            guard case .scalar(let raw, _) = label.value.content, !label.value.isNull else {
                reading.error(
                    "expected a text for label '\(label.key)' \(section.title), "
                        + "found \(label.value.summary(isConcealed: false))", at: label.value.position)
                continue
            }
            if let text = reading.text(raw, at: label.value.position) {
                if text.value.count > 256 {
                    reading.error("label '\(label.key)' is longer than 256 characters", at: text.position)
                }
                labels[label.key] = text.value
            }
        }
        return labels
    }

    private func channels(_ section: Section) -> [String]? {
        guard let nodes = section.list("channels") else { return nil }
        let known = ChannelNames(all: channels, reading: reading)
        var names: [String] = []
        for node in nodes {
            guard let name = section.text(node, "channels", "the name of a channel") else { continue }
            guard known.contains(name.value) else {
                known.refuse(name)
                continue
            }
            if !names.contains(name.value) { names.append(name.value) }
        }
        return names
    }
}

/// `ignore` in `defaults` and in a domain: rules whose findings do not count.
enum IgnoreReader {
    /// Reports repeated rules.
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
            let text = name(section)
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

    /// YAML reads `[exclude-after-include]`, as `lint` prints it, as a list.
    private static func name(_ section: Section) -> ScalarText? {
        let expected = "a rule such as aasa.whole-site"
        if let entry = section.entry("rule"), case .list(let items) = entry.value.content, items.count == 1,
            let item = items.first
        {
            return section.text(item, "rule", expected)
        }
        return section.text("rule", expected, isRequired: true)
    }

    private static func known(_ text: ScalarText, _ section: Section) -> Rule? {
        if let rule = Rule.named(text.value) { return rule }
        guard FindingKind(rawValue: text.value) == nil else {
            section.reading.error(
                "rule \(text.quoted) \(section.title) is about the monitor or many domains; it cannot be ignored for a domain",
                at: text.position)
            return nil
        }
        let hint = text.suggestion(among: Rule.namesOfDomains)
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

/// `domains[].expect`.
enum ExpectationReader {
    /// The sections of an association file: https://developer.apple.com/documentation/bundleresources/applinks
    private static let services = ["applinks", "webcredentials", "appclips", "activitycontinuation"]

    /// Absolute URLs must belong to `domain`; nil if that is invalid.
    static func read(_ parent: Section, domain: Domain?) -> Expectations? {
        guard let section = parent.section("expect", title: "in 'expect' \(parent.title)") else { return nil }
        let reading = section.reading
        var result = Expectations()
        for node in section.list("apps") ?? [] {
            guard let text = section.text(node, "apps", "an application identifier") else { continue }
            if checkApp(text, reading) { result.apps.append(text.value) }
        }
        for node in section.list("services") ?? [] {
            guard let text = section.text(node, "services", "the name of a service") else { continue }
            guard services.contains(text.value) else {
                let hint = text.suggestion(among: services)
                reading.error(
                    "expected one of \(services.joined(separator: ", ")) for 'services' \(section.title), "
                        + "found \(text.quoted)\(hint)", at: text.position)
                continue
            }
            result.services.append(text.value)
        }
        for node in section.list("urls") ?? [] {
            if let url = url(node, section, domain) { result.urls.append(url) }
        }
        section.close()
        return result
    }

    private static func url(_ node: SourceNode, _ parent: Section, _ domain: Domain?) -> ExpectedURL? {
        guard case .mapping(let entries) = node.content else {
            parent.mismatch("urls", "a mapping such as {url: /path, opens: nothing}", node)
            return nil
        }
        let section = Section(
            entries: entries, position: node.position, title: "in 'urls' \(parent.title)",
            path: "\(parent.path).urls[]", isConcealed: false, reading: parent.reading)
        let text = section.text("url", "a path or an https URL", isRequired: true)
        let opens = opening(section)
        let page = section.boolean("page")
        if !section.isGiven("opens"), !section.isGiven("page") {
            section.reading.error("'opens' or 'page' is missing \(section.title)", at: section.position)
        }
        section.close()
        guard let text else { return nil }
        let isPath = text.value.hasPrefix("/") && !text.value.hasPrefix("//")
        guard isPath || text.value.lowercased().hasPrefix("https://"), !text.value.contains(where: \.isWhitespace)
        else {
            section.reading.error(
                "expected a path that begins with '/' or an https URL for 'url', found \(text.quoted)",
                at: text.position)
            return nil
        }
        do {
            if let host = try ExpectedURL.host(of: text.value), let domain, host != domain {
                section.reading.error(
                    "the URL \(text.quoted) \(section.title) is of another domain", at: text.position)
            }
        } catch {
            section.reading.error(
                "the URL \(text.quoted) is none of an associated domain\(text.reason(error.reason))", at: text.position)
        }
        return ExpectedURL(url: text.value, opens: opens, page: page)
    }

    private static func opening(_ section: Section) -> ExpectedOpening? {
        guard let text = section.text("opens", "an application identifier or 'nothing'") else { return nil }
        if text.value == "nothing" { return .nothing }
        return checkApp(text, section.reading) ? .app(text.value) : nil
    }

    private static func checkApp(_ text: ScalarText, _ reading: Reading) -> Bool {
        guard let fault = Expectations.fault(ofApp: text.value) else { return true }
        reading.error(
            "expected an application identifier such as ABCDE12345.com.example.app, found "
                + "\(text.quoted)\(text.reason(fault))", at: text.position)
        return false
    }
}

/// The valid names of labels.
enum LabelName {
    static let advice = "use letters, digits and '_', '-', '.', '/'"

    static func isValid(_ name: String) -> Bool {
        (1...63).contains(name.count)
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_-./".contains($0)) }
    }
}
