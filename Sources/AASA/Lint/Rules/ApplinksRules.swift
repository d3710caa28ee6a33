// The form of "applinks": which of its forms a device reads, and which iOS knows it.

enum DetailsElementType: LintRule {
    static let description = LintRuleDescription(
        id: "details-element-type", severity: .error, title: "an entry of \"details\" is no object",
        why: "Devices skip it in silence: its app opens no link.",
        example: LintExample.details(#""D7KQ4ZW2MX.com.acme.shop""#),
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "write {\"appIDs\": […], \"components\": […]}", reference: LintReference.details)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard let details = subject.applinks?.node["details"], !subject.hasSingleEntry else { return }
        for (index, element) in (details.elements ?? []).enumerated() where element.members == nil {
            findings.add(
                element.shown, "/applinks/details/\(index)",
                "this entry of \"details\" is \(Quoted.kind(element)), not an object; devices skip it")
        }
        for member in details.members ?? [] where member.value.members == nil {
            findings.add(
                member.value.shown,
                "/applinks/details/\(member.key.escapedForPointer)",
                "the entry of \(Quoted.json(member.key)) is \(Quoted.kind(member.value)), not an object; devices skip it"
            )
        }
    }
}

enum AppsWithoutDetails: LintRule {
    static let description = LintRuleDescription(
        id: "apps-without-details", severity: .error, title: "applinks has \"apps\" and no \"details\"",
        why: """
            Apple's reader gives the apps of "apps" all URLs of the site (observed in its binaries); older systems, and the \
            documentation, give them none. Either way it is not what a site says.
            """,
        example: #"{"applinks": {"apps": ["D7KQ4ZW2MX.com.acme.shop"]}}"#,
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "name the apps in \"details\" with the URLs that they open", reference: LintReference.applinks)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard let applinks = subject.applinks, applinks.node["details"] == nil,
            let member = applinks.node.member("apps"), member.value.elements?.isEmpty == false
        else { return }
        findings.add(
            member.keyRange, "/applinks/apps",
            "applinks names apps in \"apps\" and has no \"details\"; such an app opens every URL of the site")
    }
}

enum DetailsSingleEntry: LintRule {
    static let description = LintRuleDescription(
        id: "details-single-entry", severity: .error, title: "one entry in place of the list \"details\"",
        why: """
            "details" is a list of entries, even of one. An object is read in the form of iOS 8, keyed by app ID: devices take \
            "appIDs" and "components" for IDs, and no app opens a link.
            """,
        example:
            #"{"applinks": {"details": {"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "components": [{"/": "/buy/*"}]}}}"#,
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "put brackets around it: \"details\": [{…}]", reference: LintReference.details)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard subject.hasSingleEntry, let member = subject.applinks?.node.member("details") else { return }
        findings.add(
            member.value.opening, "/applinks/details",
            "\"details\" is one entry and no list of entries; devices take its keys for app IDs, and no app opens a link"
        )
    }

    /// Whether `details` has the keys of an entry.
    static func isEntry(_ details: JSONNode?) -> Bool {
        (details?.members ?? []).contains { ["appID", "appIDs", "components", "paths"].contains($0.name) }
    }
}

enum DetailsDictionary: LintRule {
    static let description = LintRuleDescription(
        id: "details-dictionary", severity: .warning, title: "\"details\" is an object, the form of iOS 8",
        why: """
            An object keyed by app ID is still read, but it has no order: where several apps claim a URL, or one excludes it, \
            the outcome is undefined.
            """,
        example: #"{"applinks": {"apps": [], "details": {"D7KQ4ZW2MX.com.acme.shop": {"paths": ["/buy/*"]}}}}"#,
        fixedExample: LintExample.paths(#""/buy/*""#),
        fix: "make it an array of objects with \"appIDs\" and \"components\"", reference: LintReference.details)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard let member = subject.applinks?.node.member("details"), member.value.members?.isEmpty == false,
            !subject.hasSingleEntry
        else { return }
        findings.add(
            member.keyRange, "/applinks/details",
            "\"details\" is an object keyed by app ID; devices still read it, in an order that is not defined")
    }
}

enum AppsBesideDetails: LintRule {
    static let description = LintRuleDescription(
        id: "apps-beside-details", severity: .warning, title: "\"apps\" of applinks is not empty",
        why: """
            Beside "details" the "apps" of applinks are ignored. The documentation wants the list present and empty for iOS \
            12 and older; they may refuse the file otherwise.
            """,
        example: #"{"applinks": {"apps": ["D7KQ4ZW2MX.com.acme.shop"], "details": ["#
            + #"{"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "components": [{"/": "/buy/*"}]}]}}"#,
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "write \"apps\": [], or drop it where no iOS 12 is served", reference: LintReference.archivedGuide)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard let applinks = subject.applinks, applinks.node["details"] != nil,
            let apps = applinks.node["apps"], apps.elements?.isEmpty == false
        else { return }
        findings.add(
            apps.range, "/applinks/apps", "devices ignore these apps: beside \"details\" the list has no effect")
    }
}

enum AppsMissingForOlderSystems: LintRule {
    static let description = LintRuleDescription(
        id: "apps-missing-for-older-systems", severity: .note, title: "no \"apps\": [] for iOS 12",
        why: """
            "appID" and "paths" serve iOS 12 and older, and those systems want "apps" in applinks, present and empty. From \
            iOS 13 on it is not needed.
            """,
        example: LintExample.details(#"{"appID": "D7KQ4ZW2MX.com.acme.shop", "paths": ["/buy/*"]}"#),
        fixedExample: LintExample.paths(#""/buy/*""#),
        fix: "add \"apps\": [] to applinks, if iOS 12 is still served", reference: LintReference.whatsNew2019)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard let applinks = subject.applinks, applinks.node["apps"]?.elements == nil,
            subject.entries.contains(where: { $0.node["paths"]?.elements != nil && $0.node["appID"]?.string != nil }),
            let member = subject.members.last(where: { $0.key == "applinks" })
        else { return }
        findings.add(
            member.keyRange, "/applinks",
            "the file keeps \"appID\" and \"paths\" for iOS 12 and older, which want \"apps\": [] beside \"details\"")
    }
}

enum PathsMissingForOlderSystems: LintRule {
    static let description = LintRuleDescription(
        id: "paths-missing-for-older-systems", severity: .note, title: "\"components\" alone where iOS 12 is served",
        why: """
            iOS 12 and older read "appID" and "paths" alone. This file serves them elsewhere, so an entry without the two \
            stands out: there its links open the browser.
            """,
        example: LintExample.details(
            #"{"appID": "D7KQ4ZW2MX.com.acme.shop", "appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "components": [{"/": "/buy/*"}]}"#
        ),
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "add the same as \"paths\", or drop \"appID\" once no iOS 12 is served",
        reference: LintReference.whatsNew2019)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        let othersHavePaths = subject.entries.contains { $0.node["paths"]?.elements != nil }
        for entry in subject.entries where entry.form == .components && entry.node["paths"]?.elements == nil {
            guard othersHavePaths || entry.node["appID"]?.string != nil,
                let member = entry.node.member("components")
            else { continue }
            findings.add(
                member.keyRange, entry.pointer + "/components",
                "iOS 12 and older, which other parts of the file still serve, do not read \"components\"")
        }
    }
}
