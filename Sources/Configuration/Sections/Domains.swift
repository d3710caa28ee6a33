// `defaults`, `domains` and the file of `domains_from`.

import AASA
import Evidence

extension CheckSettings {
    static let settings: [Setting<CheckSettings>] = [
        Setting("interval", \.interval, .duration, "time between two checks; each domain has its own phase"),
        Setting("stale_after", \.staleAfter, .duration, "the CDN may lag this long behind a change"),
        Setting(
            "full_every", \.fullEvery, .duration,
            "a full check at least this often; [operations.md](../operations.md#light-and-full-checks) describes what "
                + "it adds, and when else it runs"),
        Setting(
            "timeout", \.timeout, .duration(in: .milliseconds(100)...(.seconds(300))),
            "for one request, including all its phases"),
        Setting(
            "failure_threshold", \.failureThreshold, .integer(in: 1...100),
            "consecutive failed checks before an incident opens"),
        Setting(
            "recovery_threshold", \.recoveryThreshold, .integer(in: 1...100),
            "consecutive good checks before it is resolved"),
        Setting(
            "certificate_warning", \.certificateWarning, .duration,
            "an incident opens this long before the certificate expires"),
        Setting(
            "ignore", \.ignore, .list(of: IgnoredRule.form),
            "rules whose findings [do not count](#ignore); a domain's list is added to that of `defaults`"),
    ]

    static let form = Form<CheckSettings>.mapping(settings, CheckSettings()) { checks, section in
        checks.warnIfRare(section)
        section.reading.context.defaults = checks
    }

    /// A lag that is shorter than the time between two checks cannot be measured.
    fileprivate func warnIfRare(_ section: Section) {
        guard staleAfter < interval, let key = ["stale_after", "interval"].first(where: section.has) else { return }
        section.reading.warning(
            "'stale_after' \(section.title) is shorter than 'interval', so a stale copy "
                + "is noticed too late; check more often, or raise 'stale_after'", at: section.place(of: key))
    }
}

/// An entry of `domains`.
struct DomainEntry: Sendable {
    var domain: Domain?
    var checks = CheckSettings()
    var mode = AssociationMode.production
    var labels: [String: String] = [:]
    var channels: [String]?
    var expect: Expectations?

    init() {}

    init(_ watched: WatchedDomain) {
        (domain, checks, mode) = (watched.domain, watched.checks, watched.mode)
        (labels, channels, expect) = (watched.labels, watched.channels, watched.expect)
    }

    static let settings: [Setting<DomainEntry>] =
        [Setting("domain", \.domain, .domain, isRequired: true, "Unicode names are converted to Punycode")]
        + CheckSettings.settings.map { $0.inherited(by: \.checks) } + [
            Setting("mode", \.mode, .choice, "the CDN is asked only in `production`"),
            Setting(
                "labels", \.labels, .labels(isChecked: true),
                "part of every alert about the domain, for silences and routing; at most 32, with names of letters, "
                    + "digits, `_`, `-`, `.`, `/`"),
            Setting(
                "channels", \.channels, .list(of: .channelName) { _, names, _ in names.withoutRepeats },
                "the channels that are notified of this domain immediately; `[]`: none. Without it: those of the first "
                    + "of `alerts.routes` that matches; if none matches, all except those of `alerts.escalation`"),
            Setting("expect", \.expect, Expectations.form, "what the file should say"),
        ]
}

extension WatchedDomain {
    static let list: Form<[WatchedDomain]> = {
        let settings = DomainEntry.settings.map { $0.facts(in: DomainEntry()) }
        let schema: OrderedJSON = ["anyOf": [Form<Domain>.domain.shape.schema, .mapping(settings)]]
        let shape = Shape(words: "domains or mappings", schema: schema, settings: settings)
        return .list(
            of: Form(shape: shape, show: { DomainEntry.settings.show(DomainEntry($0)) }, read: read), atLeast: 1)
    }()

    @Sendable private static func read(_ field: Field) -> WatchedDomain? {
        let reading = field.reading
        reading.context.domain = nil
        var entry = DomainEntry()
        entry.checks = reading.context.defaults
        if case .mapping(let entries) = field.node.content {
            let section = field.section(entries, title: title(entries))
            entry.checks.ignore = []
            section.read(DomainEntry.settings, into: &entry)
            // A domain's list adds to the defaults. For a rule in both, the domain's reason and date count.
            let own = Set(entry.checks.ignore.map(\.rule))
            entry.checks.ignore += reading.context.defaults.ignore.filter { !own.contains($0.rule) }
            entry.checks.warnIfRare(section)
        } else {
            let text = field.text("a domain or a mapping with the key 'domain'")
            entry.domain = text.flatMap { Form<Domain>.listed($0, field) }
        }
        guard let domain = entry.domain else { return nil }
        return WatchedDomain(
            domain: domain, checks: entry.checks, mode: entry.mode, labels: entry.labels, channels: entry.channels,
            expect: entry.expect)
    }

    private static func title(_ entries: [SourceNode.Entry]) -> String {
        guard let name = entries.first(where: { $0.key == "domain" })?.value, !name.isNull,
            case .scalar(let text, _) = name.content
        else { return "in an entry of 'domains'" }
        return "in domain \(Quotation.of(text))"
    }
}

/// The domains of the configuration, and those of the file that `domains_from` names.
enum DomainLists {
    static let from = Form<String>.text("a path", words: "path")

    /// Unlike other lists, an empty one is a mistake.
    static let shape: Shape = {
        var shape = WatchedDomain.list.shape
        shape.takesNull = false
        return shape
    }()

    private static let advice = "name at least one, such as '- example.com'"

    static func read(_ root: Section) -> [WatchedDomain] {
        let reading = root.reading
        let path = root.field("domains_from", from, isRequired: false)?.text("a path")
        let own = path == nil || root.isGiven("domains") ? domains(root) : []
        guard let path, let text = reading.list(inFile: path), let listed = listed(text, in: path, root) else {
            return own
        }
        // If a domain is in both, the configuration's entry counts.
        let known = Set(own.map(\.domain))
        let all = own + listed.filter { !known.contains($0.domain) }
        if all.isEmpty { reading.error("the file \(path.quoted) of 'domains_from' names no domain", at: path.position) }
        return all
    }

    private static func domains(_ root: Section) -> [WatchedDomain] {
        guard let entry = root.entry("domains") else {
            root.reading.error("'domains' is missing; \(advice)", at: .start)
            return []
        }
        if entry.value.isNull { root.reading.error("'domains' is empty; \(advice)", at: entry.position) }
        root.reading.watchesNothing = entry.value.isNull || entry.value.isEmptyList
        if entry.value.isEmptyList {
            root.reading.error("'domains' is empty; \(advice)", at: entry.value.position)
        }
        return root.field("domains", WatchedDomain.list, isRequired: false).flatMap(WatchedDomain.list.read) ?? []
    }

    /// YAML with entries as under `domains`, or one domain per line. nil after reporting a problem.
    private static func listed(_ text: String, in path: ScalarText, _ root: Section) -> [WatchedDomain]? {
        let own = root.reading.ofList(root.reading.place(path.usesVariable ? path.raw : path.value))
        defer { root.reading.take(own) }
        var list: SourceNode?
        if path.value.hasSuffix(".yaml") || path.value.hasSuffix(".yml") {
            let document = SourceDocument(parsing: text, limits: .listOfDomains)
            for problem in document.problems { own.error(problem.message, at: problem.position) }
            list = document.root
        } else {
            list = SourceNode(content: .list(lines(text)), position: .start)
        }
        let section = Section(
            reading: own, title: "in the file of 'domains_from'", path: "", position: .start,
            entries: list.map { [SourceNode.Entry(key: "domains", position: .start, value: $0)] } ?? [])
        let field = section.field("domains", WatchedDomain.list, isRequired: false)
        let result = field.flatMap(WatchedDomain.list.read) ?? []
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
}

extension Domain {
    /// For the schema: a bare name.
    static let pattern = #"^[^\s/:*?#@]+(\.[^\s/:*?#@]+)+\.?$"#
}

extension Form where Value == Domain {
    static var domain: Form {
        text("a domain", words: "domain", pattern: Domain.pattern, parse: listed, show: \.name)
    }

    @Sendable fileprivate static func listed(_ text: ScalarText, _ field: Field) -> Domain? {
        do {
            let domain = try Domain(text.value)
            field.reading.context.domain = domain
            field.reading.note(domain, namedBy: text)
            // An entry is the domain itself, or a mapping that names it.
            let siblings = field.siblings ?? field.section.siblings
            guard let line = siblings?.line(before: text, named: domain.name) else { return domain }
            field.reading.error(
                "domain \(text.quoted) is listed twice; first at line \(line)", at: text.position)
            return nil
        } catch {
            var message: String
            if let target = try? Target(parsing: text.value), !text.usesVariable {
                let mode = target.mode == .production ? "" : " with 'mode: \(target.mode.rawValue)'"
                message = "expected a bare domain, found \(text.quoted); write \(target.domain)\(mode)"
            } else {
                message =
                    "\(text.quoted) is not a domain\(text.usesVariable ? " once its variables are filled in" : "")"
                // YAML adds a line that is indented deeper to the text above it.
                let isJoined = text.raw.contains(" - ")
                message += text.reason(error.reason)
                message += isJoined ? "; is the '-' of the next line indented deeper than this one's?" : ""
            }
            field.reading.error(message, at: text.position)
            return nil
        }
    }
}

extension Form where Value == [String: String] {
    /// `isChecked`: whether the labels are defined here, so that their names and lengths must be valid. `check` reports
    /// other faults of a name.
    static func labels(
        isChecked: Bool = false, check: @escaping @Sendable (SourceNode.Entry, Field) -> Void = { _, _ in }
    ) -> Form {
        let names: OrderedJSON = ["maxProperties": 32, "propertyNames": ["pattern": "^[A-Za-z0-9_./-]{1,63}$"]]
        let schema: OrderedJSON = [
            "type": "object", "additionalProperties": ["type": ["string", "number", "boolean"]],
        ]
        let shape = Shape(
            words: "mapping of names to texts", schema: .object(schema.members + (isChecked ? names.members : [])),
            takesNull: true)
        let show: @Sendable ([String: String]) -> OrderedJSON = { labels in
            .object(labels.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
        }
        return Form(shape: shape, show: show) { field in
            guard let entries = field.entries("a mapping of names to texts") else { return nil }
            if isChecked, entries.count > 32 { field.refuse("has more than 32 labels") }
            var labels: [String: String] = [:]
            for label in entries where !isChecked || hasName(label, field) {
                check(label, field)
                // A number is a valid label value, as in `year: 2026`: its text counts.
                guard case .scalar(let raw, _) = label.value.content, !label.value.isNull else {
                    let name = isChecked ? "'\(label.key)'" : Quotation.ofKey(label.key)
                    field.reading.error(
                        "expected a text for label \(name) \(field.section.title), found "
                            + "\(label.value.summary(isConcealed: false))", at: label.value.position)
                    continue
                }
                guard let text = field.reading.text(raw, at: label.value.position) else { continue }
                if isChecked, text.value.count > 256 {
                    field.reading.error("label '\(label.key)' is longer than 256 characters", at: text.position)
                }
                labels[label.key] = text.value
            }
            return labels
        }
    }

    /// Labels that select domains: a name that no domain has is a mistake.
    static var knownLabels: Form {
        .labels { label, field in
            let watched = field.reading.context.watched
            let known = Set(watched.flatMap { $0.labels.keys })
            guard !known.contains(label.key), !watched.isEmpty else { return }
            field.reading.error(
                "no domain has the label \(Quotation.ofKey(label.key)) of '\(field.key)' \(field.section.title)"
                    + Spelling.suggestion(for: label.key, among: known), at: label.position)
        }
    }

    private static func hasName(_ label: SourceNode.Entry, _ field: Field) -> Bool {
        let isCharacter = { (character: Character) in
            character.isASCII && (character.isLetter || character.isNumber || "_-./".contains(character))
        }
        if (1...63).contains(label.key.count), label.key.allSatisfy(isCharacter) { return true }
        field.reading.error(
            "\(Quotation.ofKey(label.key)) is not a valid label name; use letters, digits and '_', '-', '.', '/'",
            at: label.position)
        return false
    }
}
