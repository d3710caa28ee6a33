// The lists of an entry, "components" and "paths": whether they contain rules, and how much they open.

enum PatternListMissing: LintRule {
    static let description = LintRuleDescription(
        id: "pattern-list-missing", severity: .error, title: "an entry has no list of patterns",
        why: """
            If neither "components" nor "paths" is an array (missing, misspelt, a string, an object), the entry \
            matches every URL of the site. The app then opens all pages (observed in Apple's binaries).
            """,
        example: LintExample.details(#"{"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "paths": "/buy/*"}"#),
        fixedExample: LintExample.details(#"{"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "paths": ["/buy/*"]}"#),
        fix: "write \"components\": [{\"/\": \"…\"}]", reference: LintReference.details,
        seen: "observed: without a list every URL matches (Apple's binaries)")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for entry in subject.entries where entry.form == .everything {
            if let member = entry.node.member("components") ?? entry.node.member("paths") {
                findings.add(
                    member.value.shown,
                    entry.pointer + "/" + member.key,
                    "\"\(member.key)\" is \(Quoted.kind(member.value)), not an array; devices then let this entry match every "
                        + "URL of the site",
                    fix: "write \"\(member.key)\": \(member.value.members == nil ? "[…]" : "[{…}]")",
                    remedy: (member.key == "paths" ? member.value.string != nil : member.value.members != nil)
                        ? .repair(LintEdit.brackets(around: member.value)) : .byHand)
            } else {
                findings.add(
                    entry.node.opening, entry.pointer,
                    "this entry has no \"components\" and no \"paths\"; devices then let it match every URL of the site"
                )
            }
        }
    }
}

enum PatternElementType: LintRule {
    static let description = LintRuleDescription(
        id: "pattern-element-type", severity: .error, title: "a component is not an object, or a path is not a string",
        why: """
            Such an element matches every URL (observed in Apple's binaries). From there on, the app opens the whole \
            site, and devices read no later rule.
            """,
        example: LintExample.components(#""/buy/*""#), fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "write objects such as {\"/\": \"/buy/*\"} in \"components\", and strings in \"paths\"",
        reference: LintReference.components,
        seen: "corpus: 1 file")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for entry in subject.entries where entry.form != .everything {
            for rule in entry.rules + entry.olderRules where rule.form == .wrongType {
                let node = rule.node
                let isPath = rule.place.list == .paths
                findings.add(
                    node.shown, rule.pointer,
                    isPath
                        ? "this path is \(Quoted.kind(node)), not a string; devices let it match every URL"
                        : "this component is \(Quoted.kind(node)), not an object; devices let it match every URL")
            }
        }
    }
}

enum PatternListEmpty: LintRule {
    static let description = LintRuleDescription(
        id: "pattern-list-empty", severity: .error, title: "an empty list of patterns",
        why: """
            An empty "components" (or an empty "paths" without "components") matches nothing: the app opens no link. \
            Without the list it would open every link, so the two are easy to confuse.
            """,
        example: LintExample.details(#"{"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "components": []}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "list what the app opens, or remove the entry", reference: LintReference.details,
        seen: "corpus: 1 file")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for entry in subject.entries where entry.rules.isEmpty {
            guard let member = entry.list else { continue }
            findings.add(
                member.value.range, entry.pointer + "/" + member.key,
                "\"\(member.key)\" is empty; the apps of this entry open no URL")
        }
    }
}

enum EntryOpensNothing: LintRule {
    static let description = LintRuleDescription(
        id: "entry-opens-nothing", severity: .error, title: "an entry whose rules open no URL",
        why: """
            An exclusion blocks URLs that a later rule would open. URLs that no rule matches stay in the browser \
            anyway. So exclusions without a rule after them open nothing, and rules after an exclusion of everything \
            open nothing either. This is proven, not guessed. People expect exclusions alone to mean "everything but \
            these". An "exclude" in "defaults" turns all components into exclusions. Not reported if each rule has \
            its own error, or if another entry opens URLs in the same apps.
            """,
        example: LintExample.components(#"{"/": "/help/website/*", "exclude": true}"#),
        fixedExample: LintExample.components(#"{"/": "/help/website/*", "exclude": true}"#, #"{"/": "/help/*"}"#),
        fix: "add a component without \"exclude\" after the exclusions, for the URLs that the app opens",
        reference: LintReference.components,
        seen: "corpus: 3 files")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for shut in ShutEntry.all(of: subject) {
            let entry = shut.entry
            guard let list = entry.list else { continue }
            let pointer = entry.pointer + "/" + list.key
            let outcome =
                shut.apps.count == entry.appIDs.count
                ? "its apps open no URL" : "\(Quoted.list(shut.apps)) open\(shut.apps.count == 1 ? "s" : "") no URL"
            switch shut.cause {
            case .allExclude(let isByDefault):
                findings.add(
                    list.keyRange, pointer,
                    "all rules of this entry are exclusions"
                        + (isByDefault ? ", some by \"exclude\" in \"defaults\"" : "") + "; " + outcome,
                    fix: isByDefault
                        ? "remove \"exclude\" from \"defaults\""
                        : entry.form == .paths
                            ? "add a path without NOT after the exclusions, for the URLs that the app opens" : nil)
            case .hidden(let hiders):
                let isOne = hiders.count == 1
                findings.add(
                    list.keyRange, pointer,
                    "\(subject.places(of: hiders)) already exclude\(isOne ? "s" : "") every URL that the rules of this "
                        + "entry could open; " + outcome,
                    fix: isOne
                        ? "delete that exclusion, or narrow its pattern" : "delete them, or narrow their patterns",
                    related: hiders.prefix(FindingSink.maximumRelated).map {
                        .init($0, "this rule matches the URLs first")
                    })
            case .matchesNothing(let rule):
                findings.add(
                    rule,
                    "no URL can match this rule. No other rule of the entry opens a URL either: " + outcome,
                    fix: "correct the pattern")
            }
        }
    }
}

/// An entry that provably opens no URL, with the cause.
struct ShutEntry {
    enum Cause {
        case allExclude(isByDefault: Bool)
        /// Exclusions match the URLs of all rules that would open some.
        case hidden(by: [URLRule])
        /// No URL matches the rules that would open some. The rule is the first one without its own finding.
        case matchesNothing(URLRule)
    }

    let entry: AppLinks.Entry
    let cause: Cause
    /// The apps for which no other entry of the file opens a URL.
    let apps: [String]

    /// The entries that no other finding explains.
    static func all(of subject: LintSubject) -> [ShutEntry] {
        let isShut = zip(subject.entries, subject.reaches).map(isShut)
        guard isShut.contains(true) else { return [] }
        var opened: Set<ExactText> = []
        for (entry, isShut) in zip(subject.entries, isShut) where !isShut {
            opened.formUnion(entry.appIDs.map(ExactText.init(_:)))
        }
        return subject.entries.indices.compactMap { index in
            let entry = subject.entries[index]
            guard isShut[index], !entry.rules.isEmpty else { return nil }
            let apps = entry.appIDs.uniqued.filter { !opened.contains(ExactText($0)) }
            guard !apps.isEmpty, let cause = cause(entry, subject.reaches[index], subject) else { return nil }
            return ShutEntry(entry: entry, cause: cause, apps: apps)
        }
    }

    /// The rules of these entries. One finding for the entry reports that none of them opens a URL.
    static func rules(of subject: LintSubject) -> Set<URLRule.Place> {
        Set(all(of: subject).flatMap { $0.entry.rules.map(\.place) })
    }

    private static func isShut(_ entry: AppLinks.Entry, _ reaches: [RuleReach]) -> Bool {
        if entry.form == .everything { return false }
        if entry.rules.allSatisfy(\.isExclusion) { return true }
        return !reaches.isEmpty && reaches.allSatisfy(\.opensNothing)
    }

    private static func cause(_ entry: AppLinks.Entry, _ reaches: [RuleReach], _ subject: LintSubject) -> Cause? {
        if entry.rules.allSatisfy(\.isExclusion) {
            return .allExclude(
                isByDefault: entry.rules.contains { $0.form == .component && $0.node["exclude"] == nil })
        }
        var hiders: [URLRule] = []
        var seen: Set<URLRule.Place> = []
        var unexplained: URLRule?
        for reach in reaches where !reach.rule.isExclusion {
            switch reach.verdict {
            case .shadowed(let by):
                for rule in by where rule.isExclusion && seen.insert(rule.place).inserted { hiders.append(rule) }
            case .matchesNothing:
                if unexplained == nil, !RuleMatchesNothing.isExplained(reach.rule, in: subject) {
                    unexplained = reach.rule
                }
            case .decides, .undecided: continue
            }
        }
        if !hiders.isEmpty {
            return ExclusionTakesMissingItem.explains(hiders, in: subject) ? nil : .hidden(by: hiders)
        }
        return unexplained.map { .matchesNothing($0) }
    }
}

enum PathsBesideComponents: LintRule {
    static let description = LintRuleDescription(
        id: "paths-beside-components", severity: .note, title: "\"paths\" next to \"components\"",
        why: """
            Devices read "paths" only if an entry has no "components". If it has both, only iOS 12 and older read \
            "paths". TN3155 advises not to mix the two forms.
            """,
        example: LintExample.details(
            #"{"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "components": [{"/": "/buy/*"}], "paths": ["/sell/*"]}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#, #"{"/": "/sell/*"}"#),
        fix: "write all rules into \"components\", and remove \"paths\"", reference: LintReference.technote,
        seen: "corpus: 10 files")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for entry in subject.entries where entry.form == .components {
            guard let paths = entry.node.member("paths") else { continue }
            findings.add(
                paths.keyRange, entry.pointer + "/paths",
                "only iOS 12 and older read these \"paths\", because the entry also has \"components\"")
        }
    }
}

enum WholeSite: LintRule {
    static let description = LintRuleDescription(
        id: "whole-site", severity: .note, title: "the app opens every URL of the site",
        why: """
            "*" and "/*" match every page, including the legal notice, the login and pages that you add later. So \
            does a component without "/", "?" and "#". "/*/" and "/*/*" match every page except the home page: "*" \
            also matches slashes, and devices add a final slash to the URL's path. This is fine if the app can show \
            all pages. Not reported if earlier rules exclude something.
            """,
        example: LintExample.components(#"{"/": "*"}"#), fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "none, if intended; otherwise exclude pages the app cannot show", reference: LintReference.components,
        seen: "corpus: 108 files; \"/*/\": sendgrid/docs#2739")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for entry in subject.entries {
            guard let index = entry.rules.firstIndex(where: { isWholeSite($0) }),
                !entry.rules[..<index].contains(where: \.isExclusion)
            else { continue }
            let rule = entry.rules[index]
            let path = path(of: rule)
            findings.add(
                path.range, path.pointer,
                "\(rule.path.map { Quoted.json($0.text) } ?? "a component without conditions") opens every URL of the "
                    + "site in the app"
                    + (rule.path.map(slashes) == 2 ? ", except the home page: \"*\" also matches slashes" : ""))
        }
    }

    /// The place of a rule's path.
    static func path(of rule: URLRule) -> (range: Range<Int>, pointer: String) {
        rule.node["/"].map { ($0.range, rule.pointer + "/~1") } ?? (rule.range, rule.pointer)
    }

    /// Whether a rule opens all URLs. If all its conditions have a wrong type, another rule reports it.
    private static func isWholeSite(_ rule: URLRule) -> Bool {
        guard !rule.isExclusion, rule.query == .any, rule.fragment == nil else { return false }
        guard let path = rule.path else {
            return rule.form == .component && !["/", "?", "#"].contains { rule.node[$0] != nil }
        }
        // With three slashes it needs two folders.
        return path.elements?.contains(.anyRun) == true && slashes(path) <= 2
            && path.elements?.allSatisfy { $0 == .anyRun || $0 == .scalar("/") } == true
    }

    private static func slashes(_ path: Pattern) -> Int { path.elements?.count { $0 == .scalar("/") } ?? 0 }
}
