// Single components: the types of their values, their settings, and their conditions on the query and the fragment.

enum ComponentType: LintRule {
    static let description = LintRuleDescription(
        id: "component-type", severity: .error, title: "a value of the wrong type in a component",
        why: """
            "/", "?" and "#" that are no strings are no constraint: the component matches more than it says, and one value \
            of another type in the "?" object drops the whole of "?". For "exclude", "caseSensitive" and "percentEncoded" \
            Apple's reader takes strings and numbers by their boolean value and null as false (observed), a leniency that \
            nothing documents.
            """,
        example: LintExample.components(#"{"/": "/help/*", "exclude": "true"}"#, #"{"/": "*"}"#),
        fixedExample: LintExample.components(#"{"/": "/help/*", "exclude": true}"#, #"{"/": "*"}"#),
        fix: "write a string for \"/\", \"?\" and \"#\", true or false without quotes for the others",
        reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for object in subject.conditions { look(at: object, &findings) }
    }

    private static func look(at object: KeySite.Object, _ findings: inout FindingSink) {
        for member in object.node?.members ?? [] {
            switch member.name {
            case "/", "#":
                guard member.value.string == nil else { continue }
                findings.add(
                    member.value.shown, object.pointer + "/" + member.key.escapedForPointer,
                    "\"\(member.key)\" is \(Quoted.kind(member.value)), not a string; devices take it for no constraint"
                )
            case "?": lookAtQuery(member.value, object.pointer + "/?", &findings)
            case "exclude", "caseSensitive", "percentEncoded":
                if case .bool = member.value.value { continue }
                findings.add(
                    member.value.shown, object.pointer + "/" + member.key,
                    "\"\(member.key)\" is \(Quoted.kind(member.value)), not true or false; Apple's reader takes it for "
                        + "\(LenientBoolean.read(member.value)), others need not")
            default: continue
            }
        }
    }

    private static func lookAtQuery(_ query: JSONNode, _ pointer: String, _ findings: inout FindingSink) {
        guard query.string == nil else { return }
        guard let items = query.members else {
            if query.elements == nil {
                findings.add(
                    query.range, pointer,
                    "\"?\" is \(Quoted.kind(query)), not a string or an object; devices take it for no constraint")
            }
            return
        }
        // Lists have a rule of their own.
        for item in items where item.value.string == nil && item.value.elements == nil {
            findings.add(
                item.value.shown, pointer + "/" + item.key.escapedForPointer,
                "the value of \(Quoted.json(item.key)) is \(Quoted.kind(item.value)), not a string; devices drop the whole "
                    + "\"?\" constraint")
        }
    }
}

enum DefaultsConstraint: LintRule {
    static let description = LintRuleDescription(
        id: "defaults-constraint", severity: .warning, title: "a constraint inside \"defaults\"",
        why: """
            "defaults" is documented for "caseSensitive" and "percentEncoded". Apple's reader takes over every key of a \
            component, so a "/" there constrains all components that have none, and an "exclude" turns them all round.
            """,
        example: LintExample.details(
            ##"{"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "defaults": {"/": "/buy/*"}, "components": [{"#": "app"}]}"##),
        fixedExample: LintExample.components(##"{"/": "/buy/*", "#": "app"}"##),
        fix: "write it into the components", reference: LintReference.defaults)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for defaults in subject.defaults {
            for member in defaults.node.members ?? [] where ["/", "?", "#", "exclude"].contains(member.name) {
                findings.add(
                    member.keyRange, defaults.pointer + "/" + member.key.escapedForPointer,
                    "\"\(member.key)\" in \"defaults\" applies to each component that has none of its own")
            }
        }
    }
}

enum SettingsType: LintRule {
    static let description = LintRuleDescription(
        id: "settings-type", severity: .warning, title: "a setting of applinks of the wrong type",
        why: """
            "defaults" and "substitutionVariables" are objects; of anything else devices take nothing. A variable is an array of strings: Apple's reader also takes a bare string, and skips whatever is not a string \
            (observed).
            """,
        example: LintExample.variables(#"{"food": "burrito"}"#, #"{"/": "/eat/$(food)"}"#),
        fixedExample: LintExample.variables(#"{"food": ["burrito"]}"#, #"{"/": "/eat/$(food)"}"#),
        fix: "write an object, and an array of strings for each variable", reference: LintReference.variables)

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
                            ? "devices give it no value" : "Apple's reader takes it for its only value"))
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

enum QueryValueList: LintRule {
    static let description = LintRuleDescription(
        id: "query-value-list", severity: .error, title: "a list of values for a query item",
        why: """
            Guides show it, but it does not exist: a list as a value makes Apple's tool drop the whole "?" constraint \
            (observed), and the component matches with any query. The same goes for a list as "?" itself.
            """,
        example: LintExample.components(#"{"/": "/buy/*", "?": {"color": ["red", "blue"]}}"#),
        fixedExample: LintExample.components(
            #"{"/": "/buy/*", "?": {"color": "red"}}"#, #"{"/": "/buy/*", "?": {"color": "blue"}}"#),
        fix: "write one component for each value, or a substitution variable", reference: LintReference.query)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for object in subject.conditions {
            if let query = object.node?["?"] { look(at: query, object.pointer + "/?", &findings) }
        }
    }

    private static func look(at query: JSONNode, _ pointer: String, _ findings: inout FindingSink) {
        if query.elements != nil {
            findings.add(
                query.range, pointer, "\"?\" is an array, which does not exist; devices take it for no constraint")
        }
        for item in query.members ?? [] where item.value.elements != nil {
            findings.add(
                item.value.range, pointer + "/" + item.key.escapedForPointer,
                "the item \(Quoted.json(item.key)) has a list of values, which does not exist; devices drop the whole \"?\" "
                    + "constraint")
        }
    }
}

enum QueryItemName: LintRule {
    static let description = LintRuleDescription(
        id: "query-item-name", severity: .error, title: "a query item's name with ?, &, =, #, * or a variable in it",
        why: """
            The object form of "?" names each item as it stands between the signs of the query: in ?a=1&b=2 the items are a and \
            b. No item is called "?a" or "a=1". Names are compared exactly, so "utm_*" is no wildcard and "$(name)" no \
            variable. A name that no item has counts as a missing item with an empty value.
            """,
        example: LintExample.components(#"{"/": "/buy", "?": {"color=red": "*"}}"#),
        fixedExample: LintExample.components(#"{"/": "/buy", "?": {"color": "red"}}"#),
        fix: "write the bare name as the key, and its value behind it", reference: LintReference.query)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.queryItems {
            if case .wildcard(let sign)? = site.fault, !site.takesAll {
                let (key, name) = (Quoted.json(site.member.key), site.member.key)
                let value = site.member.value.string ?? ""
                // In the query as a whole wildcards and variables count, where there is such a variable.
                let isKnown = UnusedVariable.names(in: name).allSatisfy {
                    subject.applinks?.variables.element(for: $0) != nil
                }
                let query =
                    (name.utf8.first == UInt8(ascii: "*") ? "" : "*") + "\(name)=\(value)"
                    + (value.utf8.last == UInt8(ascii: "*") ? "" : "*")
                findings.add(
                    site,
                    "devices compare the name \(key) as it stands, \(Quoted.text(sign)) included: \(site.consequence)",
                    fix: name.isOfAsterisks && value == "?*"
                        ? "write \"?\": \"?*\" for any query"
                        : "write an item for each name"
                            + (isKnown
                                ? ", or \"?\": \(Quoted.json(query)), which is compared with the whole query" : ""))
                continue
            }
            guard let sign = sign(of: site) else { continue }
            findings.add(
                site,
                "no query item is called \(Quoted.json(site.member.key)), as '\(sign)' is no part of a name: "
                    + site.consequence)
        }
    }

    private static func sign(of site: QueryItemSite) -> Unicode.Scalar? {
        switch site.fault {
        // "*" asks nothing of the item, under this name or the right one.
        case .leadingSign(let sign): site.takesAll && !site.member.key.utf8.contains(UInt8(ascii: "=")) ? nil : sign
        case .dividingSign(let sign): sign
        case .notEncoded, .wildcard, nil: nil
        }
    }
}

enum QueryNameNotEncoded: LintRule {
    static let description = LintRuleDescription(
        id: "query-name-not-encoded", severity: .error,
        title: "a blank or a letter beyond ASCII in a query item's name",
        why: """
            Names of items are compared exactly with those of the URL in percent-encoded form, in which blanks and letters \
            beyond ASCII do not occur. The item counts as missing, with an empty value. With "percentEncoded": false the URL \
            is decoded first (iOS 14).
            """,
        example: LintExample.components(#"{"/": "/buy", "?": {"größe": "?*"}}"#),
        fixedExample: LintExample.components(
            #"{"/": "/buy", "?": {"größe": "?*"}, "percentEncoded": false}"#,
            #"{"/": "/sell", "?": {"gr%C3%B6%C3%9Fe": "?*"}}"#),
        fix: "percent-encode the name, or set \"percentEncoded\": false", reference: LintReference.whatsNew2020)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.queryItems where !site.takesAll {
            guard case .notEncoded(let scalar)? = site.fault else { continue }
            findings.add(
                site,
                "\(PatternNotEncoded.name(scalar)) in the item name \(Quoted.json(site.member.key)) never occurs in an encoded "
                    + "URL: \(site.consequence)")
        }
    }
}

enum QueryItemWithoutEffect: LintRule {
    static let description = LintRuleDescription(
        id: "query-item-without-effect", severity: .warning, title: "a query item that no URL has, with the value *",
        why: """
            The name can be no item's, so the item counts as missing; "*" takes a missing item too, and the component works as \
            if the condition were not there. With any other value it would break.
            """,
        example: LintExample.components(#"{"/": "/buy", "?": {"?color": "*"}}"#),
        fixedExample: LintExample.components(#"{"/": "/buy", "?": {"color": "?*"}}"#),
        fix: "remove the item, or write its name as the URL has it; \"?*\" asks for a value",
        reference: LintReference.query)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.queryItems where site.takesAll && !site.member.key.utf8.contains(UInt8(ascii: "=")) {
            let reason: String
            switch site.fault {
            case .leadingSign(let sign): reason = "as '\(sign)' is no part of a name"
            case .notEncoded(let scalar): reason = "as \(PatternNotEncoded.name(scalar)) never occurs in an encoded URL"
            case .wildcard(let sign): reason = "as names are compared as they stand, \(Quoted.text(sign)) included"
            case .dividingSign, nil: continue
            }
            findings.add(
                site,
                "no query item is called \(Quoted.json(site.member.key)), \(reason); it works since "
                    + "\(Quoted.text(site.member.value.string ?? "*")) takes a missing item too")
        }
    }
}

enum ExclusionTakesMissingItem: LintRule {
    static let description = LintRuleDescription(
        id: "exclusion-takes-missing-item", severity: .error,
        title: "an exclusion with \"*\" as the value of a query item",
        why: """
            A query item that is missing counts as empty, and "*" takes the empty value too. So the exclusion holds for every \
            URL, with the item or without it. "?*" asks for an item that has a value.
            """,
        example: LintExample.components(
            #"{"/": "/help/*", "?": {"print": "*"}, "exclude": true}"#, #"{"/": "/help/*"}"#),
        fixedExample: LintExample.components(
            #"{"/": "/help/*", "?": {"print": "?*"}, "exclude": true}"#, #"{"/": "/help/*"}"#),
        fix: "write \"?*\" in place of \"*\"", reference: LintReference.query)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.queryItems where site.takesAll && site.rule.isExclusion {
            findings.add(
                site.member.value.range, site.pointer,
                "\(Quoted.json(site.member.value.string ?? "*")) takes a missing item too: the exclusion also holds for URLs "
                    + "without \(Quoted.json(site.member.key))",
                fix: QueryItemSite.valueThatIsThere(site.member.value))
        }
    }
}

enum ExclusionTakesAll: LintRule {
    static let description = LintRuleDescription(
        id: "exclusion-takes-all", severity: .error, title: "an exclusion with \"*\" as query or fragment",
        why: """
            A URL without a query has an empty one, and so it is with the fragment; "*" takes the empty text too. An exclusion \
            with "?": "*" or "#": "*" holds for every URL of its path, and the rules behind it for the same URLs are never \
            reached. "?*" asks for a query or a fragment that is there.
            """,
        example: LintExample.components(##"{"#": "*", "exclude": true}"##, #"{"/": "/buy/*"}"#),
        fixedExample: LintExample.components(##"{"#": "?*", "exclude": true}"##, #"{"/": "/buy/*"}"#),
        fix: "write \"?*\" in place of \"*\"", reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        var hidden: [URLRule.Place: (rule: URLRule, first: URLRule, count: Int)] = [:]
        var order: [URLRule.Place] = []
        for shadow in subject.shadows where !shadow.rule.isExclusion && explains(shadow.by) {
            for rule in shadow.by where !parts(of: rule).isEmpty {
                if hidden[rule.place] == nil { order.append(rule.place) }
                hidden[rule.place, default: (rule, shadow.rule, 0)].count += 1
            }
        }
        for place in order {
            guard let (rule, first, count) = hidden[place], let part = parts(of: rule).first else { continue }
            let without = parts(of: rule).map { $0.key == "?" ? "query" : "fragment" }.joined(separator: " and ")
            findings.add(
                part.value.range, rule.pointer + "/" + part.key,
                "\(Quoted.json(part.value.string ?? "*")) takes an empty \(without) too, so this exclusion also holds for URLs "
                    + "without one, and "
                    + (count == 1
                        ? "the rule at \(subject.position(of: first.range.lowerBound)) is" : "\(count) rules are")
                    + " never reached", fix: QueryItemSite.valueThatIsThere(part.value),
                related: [.init(first, "never reached")])
        }
    }

    /// Whether rules hide others because of such a part, or of such an item of the query.
    static func explains(_ rules: [URLRule]) -> Bool {
        rules.allSatisfy { rule in
            !parts(of: rule).isEmpty || rule.isExclusion && QueryItemSite.hasOneThatTakesAll(rule)
        }
    }

    /// The members of an exclusion that are no condition, and look like one.
    private static func parts(of rule: URLRule) -> [JSONMember] {
        guard rule.isExclusion, rule.form == .component else { return [] }
        return ["?", "#"].compactMap { rule.node.member($0) }.filter {
            $0.value.string?.isOfAsterisks ?? false
        }
    }
}

enum QueryWithoutValue: LintRule {
    static let description = LintRuleDescription(
        id: "query-without-value", severity: .warning, title: "the name of a query item as the whole query",
        why: """
            A string as "?" is compared with the whole query: "utm_source" matches ?utm_source alone, and not \
            ?utm_source=mail. Reported for names that come with a value; a bare name such as ?preview may be a query of its own.
            """,
        example: LintExample.components(#"{"/": "/buy/*", "?": "utm_source"}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/*", "?": {"utm_source": "?*"}}"#),
        fix: "name the item in the object form, with \"?*\" for any value", reference: LintReference.query)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns where site.part == .query && hasValue(site.text) {
            let name = Quoted.json(site.text)
            findings.add(
                site, "\(name) is compared with the whole query, so it does not match one that gives it a value",
                fix: "write \"?\": {\(name): \"?*\"}")
        }
    }

    /// Whether a query item of this name comes with a value.
    private static func hasValue(_ text: String) -> Bool {
        guard text.utf8.count <= 40, text.utf8.allSatisfy(QueryInPath.mayStandInName) else { return false }
        let name = text.lowercased()
        return name.hasPrefix("utm_") || names.contains(name)
            || ["Id", "ID", "_id", "-id", "_code", "_token", "_url", "_key"].contains(where: text.hasSuffix)
    }

    private static let names: Set<String> = [
        "id", "q", "query", "token", "code", "ref", "referrer", "source", "campaign", "lang", "locale", "url",
        "redirect",
        "gclid", "email", "page", "sku", "category", "coupon", "articlenumber",
    ]
}

enum QueryItemTakesMissing: LintRule {
    static let description = LintRuleDescription(
        id: "query-item-takes-missing", severity: .warning, title: "\"*\" as the value of a query item",
        why: """
            A query item that is missing counts as empty, and "*" takes the empty value too. So the item constrains nothing: \
            the component works as if it were not there. "?*" asks for an item that has a value.
            """,
        example: LintExample.components(#"{"/": "/buy", "?": {"color": "*"}}"#),
        fixedExample: LintExample.components(#"{"/": "/buy", "?": {"color": "?*"}}"#),
        fix: "write \"?*\" if the item must be there; else delete the item", reference: LintReference.query)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for entry in subject.entries {
            for rule in entry.rules where !rule.isExclusion && !findings.isFull {
                // Rules of their own name items that no URL has. One component is one finding.
                let sites = QueryItemSite.all(of: rule).filter { $0.takesAll && $0.fault == nil }
                guard let first = sites.first else { continue }
                findings.add(
                    first.member.value.range, first.pointer,
                    "\(Quoted.json(first.member.value.string ?? "*")) takes a missing item too: the component also matches "
                        + "URLs without "
                        + sites.map { Quoted.json($0.member.key) }.prefix(4).joined(separator: ", ")
                        + Quoted.more(sites.count, beyond: 4))
            }
        }
    }
}

extension String {
    /// Whether it is `*` or `**` and the like.
    fileprivate var isOfAsterisks: Bool { !isEmpty && utf8.allSatisfy { $0 == UInt8(ascii: "*") } }
}
