// The services at the top of the file, the apps of each service, and the form of "applinks".

enum NoService: LintRule {
    static let description = LintRuleDescription(
        id: "no-service", severity: .error, title: "the file names no service that Apple knows",
        why: """
            Devices ask for applinks, webcredentials, appclips, activitycontinuation, authsrv, messagefilter and \
            classificationreport. Keys are case-sensitive. Without one of them the file is valid and does nothing.
            """,
        example:
            #"{"appLinks": {"details": [{"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "components": [{"/": "/buy/*"}]}]}}"#,
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "add applinks, webcredentials or appclips; keys are case-sensitive",
        reference: LintReference.associatedDomains,
        seen: "corpus: 1 file")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard let root = subject.file?.document.root, let members = root.members,
            !members.contains(where: { Association.isKnown($0.key) }), !subject.isOtherFile
        else { return }
        let keys = members.isEmpty ? "it is empty" : "it has \(Quoted.list(members.lazy.map(\.key)))"
        let meant = subject.keys.lazy.compactMap { key in
            if case .misspelt(let service) = key.verdict, key.object.isRoot {
                (key.member, service, key.renaming)
            } else {
                nil
            }
        }.first
        if let (member, service, renaming) = meant {
            findings.add(
                member.keyRange, "/" + member.key.escapedForPointer,
                "the file names no service that devices ask for: \(keys)", fix: "write '\(service)'",
                remedy: .repair(renaming))
        } else if let member = members.first(where: { Self.holdsServices($0.value) }) {
            findings.add(
                member.keyRange, "/" + member.key.escapedForPointer,
                "the services are inside \(Quoted.json(member.key)), where devices do not look for them",
                fix: "serve only the value of \(Quoted.json(member.key))"
                    + (member.value.string == nil ? "" : ", as JSON and not as a string"))
        } else {
            findings.add(root.opening, "", "the file names no service that devices ask for: \(keys)")
        }
    }

    /// Whether an API wrapped the file: `{"statusCode": 200, "body": "{\"applinks\": …"}`, `{"data": {"applinks": …`.
    private static func holdsServices(_ value: JSONNode) -> Bool {
        if let text = value.string {
            return Association.knownServices.contains { text.utf8.firstRange(of: "\"\($0)\"".utf8) != nil }
        }
        return Association.namesKnownService(value)
    }
}

enum ServiceWithoutApps: LintRule {
    static let description = LintRuleDescription(
        id: "service-without-apps", severity: .error, title: "a service has no usable list of apps",
        why: """
            A service is an object. applinks reads "details" in it; all other services read only "apps". If the list \
            is missing or has another type, the service names no app. With "apps" and without "details", the apps of \
            applinks open every URL of the site (observed in the binaries of Apple's reader). A file whose lists are \
            all empty names no app either.
            """,
        example: #"{"webcredentials": {"apps": "D7KQ4ZW2MX.com.acme.shop"}}"#,
        fixedExample: LintExample.credentials(#""D7KQ4ZW2MX.com.acme.shop""#),
        fix: "list the apps, or remove the service", reference: LintReference.associatedDomains,
        seen: "corpus: 1 file")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        let namesNoApp = subject.appIDs.isEmpty
        for member in subject.members where Association.isKnown(member.key) {
            let pointer = "/" + member.key.escapedForPointer
            if member.value.members == nil {
                findings.add(
                    member.value.shown, pointer,
                    "the value of '\(member.key)' is \(Quoted.kind(member.value)), not an object; devices find no app in it",
                    fix: "write {\"apps\": […]}, for applinks {\"details\": […]}")
            } else if let fault = fault(of: member) {
                let isOfAppsAlone = member.key == "applinks" && member.value["details"] == nil
                findings.add(
                    member.keyRange, pointer, fault,
                    fix: isOfAppsAlone ? "name the apps in \"details\", with the URLs that each opens" : nil,
                    remedy: .repair(member.key == "applinks" ? nil : member.value["apps"]?.bracketsAroundApp))
            } else if namesNoApp, EmptyService.isEmpty(member) {
                findings.add(
                    member.keyRange, pointer,
                    "'\(member.key)' names no app, and no other service of the file does; devices have nothing to open"
                )
            }
        }
    }

    /// What is wrong with the lists; an empty list is not a fault here.
    private static func fault(of member: JSONMember) -> String? {
        let (name, service) = (member.key, member.value)
        let apps = service["apps"]
        if name == "applinks" {
            if let details = service["details"] {
                if details.elements != nil || details.members != nil { return nil }
                return "\"details\" is \(Quoted.kind(details)), not an array; devices find no app for any link"
            }
            if apps?.elements?.isEmpty == false {
                return
                    "'applinks' names apps in \"apps\" and has no \"details\"; such an app opens every URL of the site"
            }
            return apps == nil
                ? "'applinks' has no \"details\"; devices find no app for any link"
                : "'applinks' has \"apps\" but no \"details\"; devices find no app for any link"
        }
        guard let apps else {
            // The service is empty; `empty-service` reports it.
            if service.members?.isEmpty == true { return nil }
            return service["details"] == nil
                ? "'\(name)' has no \"apps\"; devices find no app for it"
                : "'\(name)' has \"details\", which devices read for applinks only, and no \"apps\""
        }
        if apps.elements == nil {
            return "\"apps\" of '\(name)' is \(Quoted.kind(apps)), not an array; devices ignore it"
        }
        return nil
    }
}

enum EmptyService: LintRule {
    static let description = LintRuleDescription(
        id: "empty-service", severity: .warning, title: "a service lists no app",
        why: """
            The list exists but is empty: the service is off, as if it were absent. If that is not intended, a build \
            step has lost the apps.
            """,
        example:
            #"{"applinks": {"apps": [], "details": []}, "webcredentials": {"apps": ["D7KQ4ZW2MX.com.acme.shop"]}}"#,
        fixedExample: LintExample.credentials(#""D7KQ4ZW2MX.com.acme.shop""#),
        fix: "list the apps, or remove the service", reference: LintReference.associatedDomains,
        seen: "corpus: 1 file")

    static func isEmpty(_ member: JSONMember) -> Bool {
        let service = member.value
        guard member.name == "applinks", let details = service["details"] else {
            let isEmptyObject = service.members?.isEmpty == true
            return member.name != "applinks" && (isEmptyObject || service["apps"]?.elements?.isEmpty == true)
        }
        return details.elements?.isEmpty == true || details.members?.isEmpty == true
    }

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard !subject.appIDs.isEmpty else { return }
        for member in subject.members
        where Association.isKnown(member.key) && member.value.members != nil && isEmpty(member) {
            let list = member.name == "applinks" ? "details" : "apps"
            findings.add(
                member.value.member(list)?.value.range ?? member.keyRange, "/\(member.key)/\(list)",
                "'\(member.key)' lists no app; for devices the service is off")
        }
    }
}

enum ServiceMisplaced: LintRule {
    static let description = LintRuleDescription(
        id: "service-misplaced", severity: .warning, title: "a service inside applinks",
        why: """
            Services are next to each other at the top of the file. Devices do not know a service as a key inside \
            "applinks", so they do not read its apps.
            """,
        example:
            #"{"applinks": {"details": [{"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "components": [{"/": "/buy/*"}]}], "#
            + #""webcredentials": {"apps": ["D7KQ4ZW2MX.com.acme.shop"]}}}"#,
        fixedExample:
            #"{"applinks": {"details": [{"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "components": [{"/": "/buy/*"}]}]},"#
            + #" "webcredentials": {"apps": ["D7KQ4ZW2MX.com.acme.shop"]}}"#,
        fix: "close the brackets of \"applinks\" before it", reference: LintReference.associatedDomains,
        seen: "corpus: 8 files")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for key in subject.keys {
            guard case .service = key.verdict else { continue }
            findings.add(
                key,
                "'\(key.member.key)' is inside \"applinks\", where devices do not look for it; the service is off"
            )
        }
    }
}

enum AppClipID: LintRule {
    static let description = LintRuleDescription(
        id: "app-clip-id", severity: .note, title: "no app ID of \"appclips\" looks like an App Clip's",
        why: """
            An App Clip has its own ID, usually that of its app followed by ".Clip". If "appclips" lists only the \
            app itself, the clip is not associated.
            """,
        example: #"{"appclips": {"apps": ["D7KQ4ZW2MX.com.acme.shop"]}}"#,
        fixedExample: #"{"appclips": {"apps": ["D7KQ4ZW2MX.com.acme.shop.Clip"]}}"#,
        fix: "list the App Clip's own ID", reference: LintReference.appClips,
        seen: "corpus: 1 file")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard let member = subject.members.last(where: { $0.key == "appclips" }),
            let list = member.value.member("apps"), let apps = list.value.strings, !apps.isEmpty,
            !apps.contains(where: { Array($0.lowercased().utf8).firstRange(of: "clip".utf8) != nil })
        else { return }
        findings.add(
            list.keyRange, "/appclips/apps",
            "none of these IDs looks like an App Clip's (usually the app's ID and \".Clip\"): \(Quoted.list(apps))")
    }
}

enum DetailsElementType: LintRule {
    static let description = LintRuleDescription(
        id: "details-element-type", severity: .error, title: "\"details\" contains something other than entries",
        why: """
            "details" is a list of entries, even for a single one. If "details" is an entry instead of a list, \
            devices read it in the form of iOS 8, keyed by app ID. They read "appIDs" and "components" as IDs, and \
            no app opens a link. Devices silently skip elements of the list that are not objects.
            """,
        example:
            #"{"applinks": {"details": {"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "components": [{"/": "/buy/*"}]}}}"#,
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "write \"details\": [{\"appIDs\": […], \"components\": […]}]", reference: LintReference.details,
        seen: "matrix-org/matrix.to#339")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard let details = subject.applinks?.node["details"] else { return }
        if subject.hasSingleEntry {
            findings.add(
                details.opening, "/applinks/details",
                "\"details\" is one entry, not a list; devices read its keys as app IDs, and no app opens a link",
                fix: "put brackets around it: \"details\": [{…}]",
                remedy: .repair(LintEdit.brackets(around: details)))
            return
        }
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

    /// Whether `details` has the keys of an entry.
    static func isEntry(_ details: JSONNode?) -> Bool {
        (details?.members ?? []).contains { ["appID", "appIDs", "components", "paths"].contains($0.name) }
    }
}

enum DetailsDictionary: LintRule {
    static let description = LintRuleDescription(
        id: "details-dictionary", severity: .warning, title: "\"details\" is an object, the form of iOS 8",
        why: """
            Devices still read an object keyed by app ID, but it has no order: if several apps claim a URL, or one \
            excludes it, the result is undefined.
            """,
        example: #"{"applinks": {"apps": [], "details": {"D7KQ4ZW2MX.com.acme.shop": {"paths": ["/buy/*"]}}}}"#,
        fixedExample: LintExample.paths(#""/buy/*""#),
        fix: "make it an array of objects with \"appIDs\" and \"components\"", reference: LintReference.details,
        seen: "corpus: 1 file")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard let member = subject.applinks?.node.member("details"), member.value.members?.isEmpty == false,
            !subject.hasSingleEntry
        else { return }
        findings.add(
            member.keyRange, "/applinks/details",
            "\"details\" is an object keyed by app ID; devices still read it, in an undefined order")
    }
}

enum AppsBesideDetails: LintRule {
    static let description = LintRuleDescription(
        id: "apps-beside-details", severity: .warning, title: "\"apps\" of applinks is not empty",
        why: """
            Next to "details", devices ignore the "apps" of applinks, and the documentation asks for an empty list. \
            An app that is named only there opens no link.
            """,
        example: #"{"applinks": {"apps": ["D7KQ4ZW2MX.com.acme.shop"], "details": ["#
            + #"{"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "components": [{"/": "/buy/*"}]}]}}"#,
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "name these apps in \"details\", and remove \"apps\"", reference: LintReference.archivedGuide,
        seen: "corpus: 1 file")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard let applinks = subject.applinks, applinks.node["details"] != nil,
            let apps = applinks.node["apps"], apps.elements?.isEmpty == false
        else { return }
        findings.add(
            apps.range, "/applinks/apps", "devices ignore these apps: next to \"details\" the list has no effect",
            // An app that "details" does not name was meant to open something.
            remedy: (apps.elements ?? []).allSatisfy { $0.string.map(applinks.appIDs.containsExactly) ?? false }
                ? .tidy([LintEdit(apps.range, "[]")]) : .byHand)
    }
}
