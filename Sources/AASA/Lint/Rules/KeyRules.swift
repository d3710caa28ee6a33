// Keys that devices do not read, and what was probably meant by them.

enum MisspeltKey: LintRule {
    static let description = LintRuleDescription(
        id: "misspelt-key", severity: .warning, title: "a key that looks like a misspelling",
        why: """
            Devices ignore keys that they do not know, and keys are case-sensitive. A misspelt "/" lets its component match \
            every path.
            """,
        example: LintExample.components(#"{"path": "/buy/*"}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "correct the key", reference: LintReference.applinks)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for key in subject.keys {
            // A file without any service is a finding of its own.
            guard case .misspelt(let meant) = key.verdict, !key.object.isRoot || subject.namesService else { continue }
            findings.add(
                key,
                "devices do not know the key \(Quoted.json(key.member.key)) and ignore it; did you mean \"\(meant)\"?",
                fix: "write \"\(meant)\"")
        }
    }
}

enum ExcludeNotRead: LintRule {
    static let description = LintRuleDescription(
        id: "exclude-not-read", severity: .error, title: "an \"exclude\" that devices do not read",
        why: """
            Devices ignore keys that they do not know, and "exclude" counts in a component alone. Misspelt, or beside \
            "paths", it excludes nothing: what it should keep in the browser opens the app.
            """,
        example: LintExample.components(#"{"/": "/help/*", "exlude": true}"#, #"{"/": "/buy/*"}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/help/*", "exclude": true}"#, #"{"/": "/buy/*"}"#),
        fix: "write \"exclude\": true in a component", reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for key in subject.keys {
            switch key.verdict {
            case .misspeltExclude:
                findings.add(
                    key, "devices ignore the key \(Quoted.json(key.member.key)): this component excludes nothing",
                    fix: "write \"exclude\"")
            case .exclude:
                let usesPaths = if case .entry(let entry) = key.object { entry.form == .paths } else { false }
                findings.add(
                    key,
                    "devices do not read \"exclude\" here: it excludes nothing"
                        + (usesPaths ? "; beside \"paths\" there is NOT" : ""),
                    fix: usesPaths
                        ? "write \"NOT /path\" in \"paths\", in front of what it is an exception of"
                        : "write {\"/\": \"/path\", \"exclude\": true} in \"components\"")
            case .misspelt, .misplaced, .service, .unknown: continue
            }
        }
    }
}

enum MisplacedKey: LintRule {
    static let description = LintRuleDescription(
        id: "misplaced-key", severity: .warning, title: "a known key in a place where devices do not read it",
        why: """
            Each key counts in one place: "details" in applinks, "appIDs" and "components" in an entry of it, "/" in a \
            component, "apps" in the other services. Elsewhere devices ignore it.
            """,
        example:
            #"{"webcredentials": {"apps": ["D7KQ4ZW2MX.com.acme.shop"], "appIDs": ["D7KQ4ZW2MX.com.acme.staff"]}}"#,
        fixedExample: LintExample.credentials(#""D7KQ4ZW2MX.com.acme.shop", "D7KQ4ZW2MX.com.acme.staff""#),
        fix: "move it to where it belongs", reference: LintReference.details)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for key in subject.keys {
            guard case .misplaced(let home) = key.verdict else { continue }
            if case .defaults = key.object { continue }
            let isOfApplinks = ["appID", "appIDs", "details", "paths", "components"].contains(key.member.name)
            let service: String? = if isOfApplinks, case .service(let name) = key.object { name } else { nil }
            findings.add(
                key,
                "devices do not read \(Quoted.json(key.member.key)) here; it belongs \(home)"
                    + (service.map { "; \(Quoted.json($0)) has \"apps\" alone, a list of app IDs" } ?? ""),
                fix: service == nil ? "move it \(home)" : "move the app IDs to \"apps\"")
        }
    }
}

enum UnknownComponentKey: LintRule {
    static let description = LintRuleDescription(
        id: "unknown-component-key", severity: .warning, title: "a key in a component that devices ignore",
        why: """
            A component has "/", "?", "#", "exclude", "comment", "caseSensitive" and "percentEncoded". Devices ignore \
            everything else, so a condition under another name is no condition: the component matches more than meant.
            """,
        example: LintExample.components(#"{"/": "/buy/*", "method": "GET"}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/*", "comment": "GET only, says the server"}"#),
        fix: "put remarks under \"comment\", and remove what has no effect", reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for key in subject.keys {
            guard case .unknown = key.verdict, case .component = key.object else { continue }
            findings.add(key, "devices ignore the key \(Quoted.json(key.member.key)) of a component")
        }
    }
}

enum UnknownKey: LintRule {
    static let description = LintRuleDescription(
        id: "unknown-key", severity: .note, title: "a key that devices ignore",
        why: "Devices ignore keys of a service, of applinks or of an entry that they do not know; they have no effect.",
        example: LintExample.details(
            #"{"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "name": "shop", "components": [{"/": "/buy/*"}]}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "remove it, unless another program reads it", reference: LintReference.details)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for key in subject.keys {
            guard case .unknown = key.verdict else { continue }
            switch key.object {
            case .service, .applinks, .entry:
                findings.add(key, "devices ignore the key \(Quoted.json(key.member.key)) here")
            case .root, .component, .defaults: continue
            }
        }
    }
}
