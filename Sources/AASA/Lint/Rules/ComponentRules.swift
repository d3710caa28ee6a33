// Single components: the types of their values, their settings, and their conditions on the query and the fragment.

enum ComponentType: LintRule {
    static let description = LintRuleDescription(
        id: "component-type", severity: .error, title: "a value of the wrong type in a component",
        why: """
            A "/" or "#" that is not a string, and a "?" that is neither a string nor an object, constrains nothing: \
            the component matches more than it says. One value of another type in the "?" object makes devices \
            ignore the whole "?". Some guides show a list of values for a query item, but it does not exist \
            (observed with Apple's tool). For "exclude", "caseSensitive" and "percentEncoded", Apple's reader \
            converts strings and numbers to booleans and reads null as false (observed). Apple does not document \
            this.
            """,
        example: LintExample.components(#"{"/": "/help/*", "exclude": "true"}"#, #"{"/": "*"}"#),
        fixedExample: LintExample.components(#"{"/": "/help/*", "exclude": true}"#, #"{"/": "*"}"#),
        fix: "write a string for \"/\", \"?\" and \"#\", and true or false without quotes for the others",
        reference: LintReference.components,
        seen: "documented: applinks, components, types; a list of values: observed with Apple's tool")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for object in subject.conditions { checkKeys(of: object, &findings) }
    }

    private static func checkKeys(of object: KeySite.Object, _ findings: inout FindingSink) {
        for member in object.node?.members ?? [] {
            switch member.name {
            case "/", "#":
                guard member.value.string == nil else { continue }
                findings.add(
                    member.value.shown, object.pointer + "/" + member.key.escapedForPointer,
                    "\"\(member.key)\" is \(Quoted.kind(member.value)), not a string; devices ignore this constraint"
                )
            case "?": lookAtQuery(member.value, object.pointer + "/?", &findings)
            case "exclude", "caseSensitive", "percentEncoded":
                if case .bool = member.value.value { continue }
                findings.add(
                    member.value.shown, object.pointer + "/" + member.key,
                    "\"\(member.key)\" is \(Quoted.kind(member.value)), not true or false; Apple's reader reads it as "
                        + "\(LenientBoolean.read(member.value)), other readers may not",
                    remedy: .tidy(plainBoolean(member.value).map { [LintEdit(member.value.range, "\($0)")] }))
            default: continue
            }
        }
    }

    /// true or false, if people and Apple's reader read the value in the same way; otherwise nil.
    private static func plainBoolean(_ node: JSONNode) -> Bool? {
        let meant: Bool? =
            switch node.value {
            case .string(let text): ["true": true, "false": false][text.lowercased()]
            case .number(let lexeme): ["1": true, "0": false][lexeme]
            case .null, .bool, .array, .object: nil
            }
        return meant == LenientBoolean.read(node) ? meant : nil
    }

    private static func lookAtQuery(_ query: JSONNode, _ pointer: String, _ findings: inout FindingSink) {
        guard query.string == nil else { return }
        guard let items = query.members else {
            findings.add(
                query.shown, pointer,
                "\"?\" is \(Quoted.kind(query)), not a string or an object; devices ignore this constraint")
            return
        }
        for item in items where item.value.string == nil {
            findings.add(
                item.value.shown, pointer + "/" + item.key.escapedForPointer,
                "the value of \(Quoted.json(item.key)) is \(Quoted.kind(item.value)), not a string; devices ignore the "
                    + "whole \"?\" constraint",
                fix: item.value.elements == nil
                    ? nil : "write one component for each value, or a substitution variable")
        }
    }
}

enum DefaultsConstraint: LintRule {
    static let description = LintRuleDescription(
        id: "defaults-constraint", severity: .warning, title: "a constraint inside \"defaults\"",
        why: """
            Apple documents "defaults" for "caseSensitive" and "percentEncoded". Apple's reader takes over every key \
            of a component: a "/" there constrains all components that have no "/", and an "exclude" turns them all \
            into exclusions.
            """,
        example: LintExample.details(
            ##"{"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "defaults": {"/": "/buy/*"}, "components": [{"#": "app"}]}"##),
        fixedExample: LintExample.components(##"{"/": "/buy/*", "#": "app"}"##),
        fix: "write it into the components", reference: LintReference.defaults,
        seen: "documented: applinks, defaults; other keys taken over: observed in Apple's binaries")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for defaults in subject.defaults {
            for member in defaults.node.members ?? [] where ["/", "?", "#", "exclude"].contains(member.name) {
                findings.add(
                    member.keyRange, defaults.pointer + "/" + member.key.escapedForPointer,
                    "\"\(member.key)\" in \"defaults\" applies to each component without its own")
            }
        }
    }
}

enum SettingsType: LintRule {
    static let description = LintRuleDescription(
        id: "settings-type", severity: .warning, title: "a setting of applinks with the wrong type",
        why: """
            "defaults" and "substitutionVariables" are objects; devices ignore any other type. A variable is an \
            array of strings. Apple's reader also accepts a single string, and skips values that are not strings \
            (observed).
            """,
        example: LintExample.variables(#"{"food": "burrito"}"#, #"{"/": "/eat/$(food)"}"#),
        fixedExample: LintExample.variables(#"{"food": ["burrito"]}"#, #"{"/": "/eat/$(food)"}"#),
        fix: "write an object, and an array of strings for each variable", reference: LintReference.variables,
        seen: "documented: applinks, defaults and substitutionVariables, types")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for defaults in subject.defaults where defaults.node.members == nil {
            findings.add(
                defaults.node.range, defaults.pointer,
                "\"defaults\" is \(Quoted.kind(defaults.node)), not an object; devices ignore it")
        }
        guard let applinks = subject.applinks else { return }
        let pointer = "/applinks/substitutionVariables"
        if let variables = applinks.node["substitutionVariables"], variables.members == nil {
            findings.add(
                variables.range, pointer,
                "\"substitutionVariables\" is \(Quoted.kind(variables)), not an object; devices know none of the variables"
            )
        }
        for variable in applinks.variables.custom {
            let (name, value) = (variable.name, variable.member.value)
            guard let elements = value.elements else {
                findings.add(
                    value.shown, variable.pointer,
                    "the variable \(Quoted.json(name)) is \(Quoted.kind(value)), not an array of strings; "
                        + (value.string == nil
                            ? "devices give it no value" : "Apple's reader uses it as its only value"),
                    remedy: value.string == nil ? .byHand : .tidy(LintEdit.brackets(around: value)))
                continue
            }
            for (index, element) in elements.enumerated() where element.string == nil {
                findings.add(
                    element.shown,
                    variable.pointer(at: index),
                    "a value of the variable \(Quoted.json(name)) is \(Quoted.kind(element)), not a string; devices skip it"
                )
            }
        }
    }
}

enum QueryItemName: LintRule {
    static let description = LintRuleDescription(
        id: "query-item-name", severity: .error, title: "a query item name that no URL has",
        why: """
            The object form of "?" names each item as the query does: in ?a=1&b=2 the items are a and b, and none is \
            named "?a" or "a=1". Devices compare names exactly with those of the encoded URL. So "utm_*" is not a \
            wildcard, "$(name)" is not a variable, and a space or a non-ASCII letter never occurs. The item counts \
            as missing, with an empty value.
            """,
        example: LintExample.components(#"{"/": "/buy", "?": {"color=red": "*"}}"#),
        fixedExample: LintExample.components(#"{"/": "/buy", "?": {"color": "red"}}"#),
        fix: "write the name as the URL has it as the key, and its value as the value", reference: LintReference.query,
        seen: "documented: applinks, components, query; names compared exactly: observed in Apple's binaries")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.queryItems where site.isMisnamed {
            guard let fault = site.fault else { continue }
            let name = Quoted.json(site.member.key)
            switch fault {
            case .sign(let sign):
                findings.add(
                    site, "no query item is named \(name), because no name contains '\(sign)': \(site.consequence)")
            case .wildcard(let sign):
                findings.add(
                    site,
                    "devices compare the name \(name) literally, including \(Quoted.text(sign)): \(site.consequence)",
                    fix: "write an item for each name, or a pattern for the whole query as \"?\"")
            case .notEncoded(let scalar):
                findings.add(
                    site,
                    "\(scalar.visible) in the item name \(name) never occurs in an encoded URL: \(site.consequence)",
                    fix: "percent-encode the name, or set \"percentEncoded\": false")
            }
        }
    }
}

enum ExclusionTakesMissingItem: LintRule {
    static let description = LintRuleDescription(
        id: "exclusion-takes-missing-item", severity: .error,
        title: "an exclusion with \"*\" for a part that a URL may lack",
        why: """
            A missing query item counts as empty, and so do a missing query and a missing fragment. "*" also matches \
            the empty text. So the exclusion applies to every URL, with or without the item, and the rules after it \
            are never used. "?*" requires a value. A whole "?" or "#" is reported only if it hides a rule.
            """,
        example: LintExample.components(
            #"{"/": "/help/*", "?": {"print": "*"}, "exclude": true}"#, #"{"/": "/help/*"}"#),
        fixedExample: LintExample.components(
            #"{"/": "/help/*", "?": {"print": "?*"}, "exclude": true}"#, #"{"/": "/help/*"}"#),
        fix: "write \"?*\" in place of \"*\"", reference: LintReference.query,
        seen: "corpus: 1 file; element-hq/element-call#1693")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.queryItems where site.takesAll && site.rule.isExclusion {
            findings.add(
                site.member.value.range, site.pointer,
                "\(Quoted.json(site.member.value.string ?? "*")) also matches a missing item: the exclusion applies "
                    + "to URLs without \(Quoted.json(site.member.key)) too",
                fix: site.fault == nil ? valueThatIsThere(site.member.value) : QueryItemTakesMissing.misnamed)
        }
        var told: Set<URLRule.Place> = []
        for shadow in subject.shadows where !shadow.rule.isExclusion && explains(shadow.by, in: subject) {
            for rule in shadow.by where told.insert(rule.place).inserted {
                guard let part = part(of: rule) else { continue }
                findings.add(
                    part.value.range, rule.pointer + "/" + part.key,
                    "\(Quoted.json(part.value.string ?? "*")) also matches an empty "
                        + (part.key == "?" ? "query" : "fragment")
                        + ": the exclusion applies to URLs without one too, and hides the rule at "
                        + "\(subject.position(of: shadow.rule.range.lowerBound))",
                    fix: valueThatIsThere(part.value), related: [.init(shadow.rule, "never used")])
            }
        }
    }

    private static func valueThatIsThere(_ value: JSONNode) -> String {
        "write \"?*\" in place of \(Quoted.json(value.string ?? "*"))"
    }

    /// Whether the rules hide others because a missing part or query item counts as empty.
    static func explains(_ rules: [URLRule], in subject: LintSubject) -> Bool {
        rules.allSatisfy { subject.takersOfMissing.contains($0.place) }
    }

    static func takesMissing(_ exclusion: URLRule) -> Bool {
        part(of: exclusion) != nil || QueryItemSite.hasOneThatTakesAll(exclusion)
    }

    /// The first member of an exclusion that looks like a condition but is not one.
    private static func part(of rule: URLRule) -> JSONMember? {
        guard rule.isExclusion, rule.form == .component else { return nil }
        return ["?", "#"].compactMap { rule.node.member($0) }.first { $0.value.string?.isOfAsterisks ?? false }
    }
}

enum QueryItemTakesMissing: LintRule {
    static let description = LintRuleDescription(
        id: "query-item-takes-missing", severity: .warning, title: "\"*\" as the value of a query item",
        why: """
            A missing query item counts as empty, and "*" also matches the empty value. So the item constrains \
            nothing: the component works as if the item were not there. "?*" requires an item with a value.
            """,
        example: LintExample.components(#"{"/": "/buy", "?": {"color": "*"}}"#),
        fixedExample: LintExample.components(#"{"/": "/buy", "?": {"color": "?*"}}"#),
        fix: "write \"?*\" if the item must be there; otherwise delete the item", reference: LintReference.query,
        seen: "corpus: 13 files")

    /// With `?*` an item whose name no URL has would never match.
    static let misnamed = "write the name as URLs have it, and \"?*\"; or delete the item"

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for entry in subject.entries {
            for rule in entry.rules where !rule.isExclusion && !findings.isFull {
                // One finding for each component.
                let sites = QueryItemSite.all(of: rule).filter { $0.takesAll && !$0.isMisnamed }
                guard let first = sites.first else { continue }
                findings.add(
                    first.member.value.range, first.pointer,
                    "\(Quoted.json(first.member.value.string ?? "*")) also matches a missing item: the component "
                        + "matches URLs without "
                        + sites.map { Quoted.json($0.member.key) }.prefix(4).joined(separator: ", ")
                        + Quoted.more(sites.count, beyond: 4),
                    fix: sites.contains { $0.fault != nil } ? misnamed : nil)
            }
        }
    }
}

extension String {
    /// Whether it is `*`, `**` and so on.
    fileprivate var isOfAsterisks: Bool { !isEmpty && utf8.allSatisfy { $0 == UInt8(ascii: "*") } }
}
