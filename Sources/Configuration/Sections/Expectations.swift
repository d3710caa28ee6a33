// `ignore` and `expect` of a domain.

import Evidence

extension IgnoredRule {
    static let form = Form<IgnoredRule>.mapping(
        [
            Setting(
                "rule", \.rule, .rule, isRequired: true,
                "not one of `monitor.*` or `cdn.wide`, which are not about one domain"),
            Setting("reason", \.reason, .reason, isRequired: true, "why its findings do not count"),
            Setting(
                "until", \.until, .day,
                "the last day on which it is ignored, in UTC; then it counts again, and `config check` warns about the "
                    + "entry. Without it: always"),
        ], IgnoredRule(Rule(rawValue: ""), reason: ""),
        .part(expected: "a mapping such as {rule: aasa.whole-site, reason: \"meant so\"}"))
}

extension Field {
    fileprivate static let rule = "a rule such as aasa.whole-site"

    /// YAML reads `[exclude-after-include]`, as `lint` prints it, as a list.
    fileprivate var ruleName: ScalarText? {
        guard case .list(let items) = node.content, items.count == 1, let item = items.first else {
            return text(Self.rule)
        }
        return element(item, Siblings()).text(Self.rule)
    }
}

extension Form where Value == Rule {
    fileprivate static var rule: Form {
        let pattern = #"^((origin|cdn|aasa|expect)\.)?[a-z0-9-]+$|^\[[a-z0-9.-]+\]$"#
        let words = "a rule of [rules.md](rules.md) or [lint-rules.md](lint-rules.md), such as `aasa.whole-site`"
        return Form(shape: Shape(words: words, schema: .text(pattern), takesNull: true), show: { .string($0.rawValue) })
        { field in
            guard let text = field.ruleName else { return nil }
            if let rule = Rule.named(text.value) {
                if let line = field.section.siblings?.line(before: text, named: rule.rawValue) {
                    field.reading.error(
                        "rule \(text.quoted) \(field.section.title) is listed twice; first at line "
                            + "\(line)", at: text.position)
                }
                return rule
            }
            guard FindingKind(rawValue: text.value) == nil else {
                field.reading.error(
                    "rule \(text.quoted) \(field.section.title) is about the monitor or many domains; it cannot be "
                        + "ignored for a domain", at: text.position)
                return nil
            }
            return field.unexpected(text, Field.rule, text.suggestion(among: Rule.namesOfDomains))
        }
    }
}

extension Form where Value == String {
    fileprivate static var reason: Form {
        text("a text", words: "text, 500 characters at most", pattern: "^.{1,500}$") { text, field in
            text.value.count <= 500 ? text.value : field.refuse(text, "is longer than 500 characters")
        }
    }
}

extension Form where Value == CalendarDay {
    fileprivate static var day: Form {
        let expected = "a date such as 2027-01-01"
        return text(expected, words: "date", pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$") { text, field in
            guard let day = CalendarDay(text.value) else { return field.unexpected(text, expected) }
            if day.end <= field.reading.now {
                field.reading.warning(
                    "'until' \(field.section.title) has passed: the rule's findings count again; "
                        + "remove the entry or extend the date", at: text.position)
            }
            return day
        }
    }
}

extension Expectations {
    static let form = Form<Expectations>.mapping(
        [
            Setting("apps", \.apps, .list(of: .app), "the file must name these apps"),
            Setting("services", \.services, .list(of: .service), "the file must have these services"),
            Setting("urls", \.urls, .list(of: ExpectedURL.form), "what individual URLs must open"),
        ], Expectations())
}

extension ExpectedURL {
    fileprivate static let form = Form<ExpectedURL>.mapping(
        [
            Setting("url", \.url, .url, isRequired: true, "a URL of the domain"),
            Setting("opens", \.opens, .opening, "the app that opens it; this key or `page` is needed"),
            Setting(
                "page", \.page, .boolean,
                "people without the app must find a web page there, or a redirect to the App Store; full checks test "
                    + "it"),
        ], ExpectedURL(url: ""), .part(expected: "a mapping such as {url: /path, opens: nothing}"),
        schema: .isRequired(["opens", "page"])
    ) { _, section in
        guard !section.isGiven("opens"), !section.isGiven("page") else { return }
        section.reading.error("'opens' or 'page' is missing \(section.title)", at: section.position)
    }
}

extension Form where Value == String {
    @Sendable fileprivate static func app(_ text: ScalarText, _ field: Field) -> String? {
        guard let fault = Expectations.fault(ofApp: text.value) else { return text.value }
        field.reading.error(
            "expected an application identifier such as ABCDE12345.com.example.app, found "
                + "\(text.quoted)\(text.reason(fault))", at: text.position)
        return nil
    }

    fileprivate static var app: Form {
        .text(
            "an application identifier", words: "application identifiers, `ABCDE12345.com.example.app`",
            pattern: #"^[A-Za-z0-9]{10}\.[^\s]+$"#, parse: app)
    }

    /// The sections of an association file: https://developer.apple.com/documentation/bundleresources/applinks
    fileprivate static var service: Form {
        let services = ["applinks", "webcredentials", "appclips", "activitycontinuation"]
        return word("the name of a service", among: services, preposition: "for") {
            services.contains($0) ? $0 : nil
        } show: {
            $0
        }
    }

    fileprivate static var url: Form {
        .text(
            "a path or an https URL", words: "path that begins with `/`, or https URL",
            pattern: #"^(/[^/]|/$|[Hh][Tt][Tt][Pp][Ss]://)\S*$"#
        ) { text, field in
            let isPath = text.value.hasPrefix("/") && !text.value.hasPrefix("//")
            guard isPath || text.value.lowercased().hasPrefix("https://"), !text.value.contains(where: \.isWhitespace)
            else {
                field.reading.error(
                    "expected a path that begins with '/' or an https URL for 'url', found \(text.quoted)",
                    at: text.position)
                return nil
            }
            do throws(DomainFault) {
                let host = try ExpectedURL.host(of: text.value)
                if let host, let domain = field.reading.context.domain, host != domain {
                    field.reading.error(
                        "the URL \(text.quoted) \(field.section.title) belongs to another domain", at: text.position)
                }
            } catch {
                field.reading.error(
                    "the URL \(text.quoted) cannot belong to an associated domain\(text.reason(error.reason))",
                    at: text.position)
            }
            return text.value
        }
    }
}

extension Form where Value == ExpectedOpening {
    fileprivate static var opening: Form {
        let app = Form<String>.app
        let shape = Shape(
            words: "application identifier, or `nothing`", schema: ["anyOf": [["const": "nothing"], app.shape.schema]],
            takesNull: true)
        return Form(shape: shape, show: { .string($0.description) }) { field in
            guard let text = field.text("an application identifier or 'nothing'") else { return nil }
            return text.value == "nothing" ? .nothing : Form<String>.app(text, field).map { .app($0) }
        }
    }
}
