// App IDs: whether an app can have the ID, and where the file names it. AppID.swift finds the fault in the text.

/// A rule about the text of an ID. Each ID has at most one fault, so only one rule reports it.
private protocol AppIDTextRule: LintRule {}

extension AppIDTextRule {
    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.appIDs {
            guard let words = site.fault?.words(about: site.text ?? ""), words.rule == self else { continue }
            findings.add(
                site, words.message, fix: words.written.map { "write \(Quoted.json($0))" },
                remedy: .repair(words.written.map { [LintEdit(site.range, $0.writtenAsJSON)] }))
        }
    }
}

extension AppIDFault {
    /// The rule that reports the fault, its message, and the correct ID, if it is certain.
    fileprivate func words(about id: String) -> (rule: any LintRule.Type, message: String, written: String?) {
        let text = Quoted.json(id)
        switch self {
        case .notString(let kind):
            return (AppIDFormat.self, "this app ID is \(kind), not a string; devices skip it", nil)
        case .format(let reason):
            return (AppIDFormat.self, "\(text) is not a valid app ID: \(reason). No app matches it", nil)
        case .blank:
            let trimmed = id.trimmingBlanks
            let isAround = !trimmed.isEmpty && !trimmed.unicodeScalars.contains { $0.properties.isWhitespace }
            return (
                AppIDBlank.self, "the app ID \(text) contains a space or a line break; no app matches it",
                isAround ? trimmed : nil
            )
        case .placeholder(let part):
            let seen = part.isExactly(id) ? "the app ID" : "\(Quoted.json(part)) in the app ID"
            return (AppIDPlaceholder.self, "\(seen) \(text) is a placeholder; no app has this ID", nil)
        case .example:
            let message = "the app ID \(text) is one of Apple's examples; no app in the App Store has it"
            return (AppIDExample.self, message, nil)
        case .storeNumber:
            let message = "the prefix of \(text) looks like an App Store number; if it is one, no app has this ID"
            return (AppIDStoreNumber.self, message, nil)
        }
    }
}

enum AppIDFormat: AppIDTextRule {
    static let description = LintRuleDescription(
        id: "app-id-format", severity: .error, title: "an app ID is not prefix.bundle-id",
        why: """
            Devices compare the whole ID with that of the signed app. An ID has 10 characters A to Z and 0 to 9 \
            (usually the team ID), a dot, and the bundle ID of letters, digits, dots and hyphens. Case counts, and \
            there are no wildcards. A text in any other form matches no app.
            """,
        example: LintExample.credentials(#""com.acme.shop""#),
        fixedExample: LintExample.credentials(#""D7KQ4ZW2MX.com.acme.shop""#),
        fix: "copy 'application-identifier' from the signed app's entitlements",
        reference: LintReference.associatedDomains,
        seen: "corpus: 10 files")
}

enum AppIDBlank: AppIDTextRule {
    static let description = LintRuleDescription(
        id: "app-id-blank", severity: .error, title: "an app ID contains a space or a line break",
        why: """
            Devices compare the ID as a whole. An ID with a space at its end never matches, and devices report no \
            error.
            """,
        example: LintExample.credentials(#""D7KQ4ZW2MX.com.acme.shop ""#),
        fixedExample: LintExample.credentials(#""D7KQ4ZW2MX.com.acme.shop""#),
        fix: "remove the spaces and line breaks", reference: LintReference.associatedDomains,
        seen: "corpus: 2 files")
}

enum AppIDPlaceholder: AppIDTextRule {
    static let description = LintRuleDescription(
        id: "app-id-placeholder", severity: .error, title: "an app ID was never filled in",
        why: """
            TEAMID, XXXXXXXXXX, undefined, <prefix> and the like are left over from a template. In \
            D7KQ4ZW2MX.undefined and D7KQ4ZW2MX.com.acme.null, a build step had no value. ABCDE12345 before your own \
            bundle ID is a prefix from an example, and 你的TeamID is a word from a guide in another script. No app is \
            signed with such an ID.
            """,
        example: LintExample.credentials(#""TEAMID.com.acme.shop""#),
        fixedExample: LintExample.credentials(#""D7KQ4ZW2MX.com.acme.shop""#),
        fix: "copy 'application-identifier' from the signed app's entitlements",
        reference: LintReference.associatedDomains,
        seen: "corpus: 26 files; in Chinese: a guide for WeChat's links, 2021")
}

enum AppIDExample: AppIDTextRule {
    static let description = LintRuleDescription(
        id: "app-id-example", severity: .warning, title: "an app ID from an example",
        why: """
            Apple's documentation and project templates use com.example; no app in the App Store has such a bundle \
            ID. This is not an error: the ID is well formed, and a development build may have it. Documentation, \
            including this program's, uses it in examples and tests. An ID that contains a placeholder belongs to no \
            app: see app-id-placeholder.
            """,
        example: LintExample.credentials(#""ABCDE12345.com.example.app""#),
        fixedExample: LintExample.credentials(#""D7KQ4ZW2MX.com.acme.shop""#),
        fix: "write the ID of the real app", reference: LintReference.associatedDomains,
        seen: "corpus: 1 file")
}

enum AppIDStoreNumber: AppIDTextRule {
    static let description = LintRuleDescription(
        id: "app-id-store-number", severity: .warning, title: "an app ID begins with ten digits",
        why: """
            App Store numbers have nine or ten digits. A prefix with only digits is possible, but very rare. The \
            number from the app's page in the App Store is not part of an app ID.
            """,
        example: LintExample.credentials(#""1451685025.com.acme.shop""#),
        fixedExample: LintExample.credentials(#""D7KQ4ZW2MX.com.acme.shop""#),
        fix: "copy 'application-identifier' from the signed app's entitlements",
        reference: LintReference.associatedDomains,
        seen: "corpus: 5 files")
}

enum EntryWithoutApp: LintRule {
    static let description = LintRuleDescription(
        id: "entry-without-app", severity: .error, title: "an entry of \"details\" names no app",
        why: """
            An entry applies to the apps in its "appIDs" or "appID". Without either key, its rules have no effect. \
            If "appIDs" is not an array, Apple's reader ignores it and does not fall back to "appID" (observed in \
            its binaries).
            """,
        example: LintExample.details(#"{"appid": "D7KQ4ZW2MX.com.acme.shop", "components": [{"/": "/buy/*"}]}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "add \"appIDs\": [\"PREFIX.bundle.id\"]", reference: LintReference.details,
        seen: "corpus: 3 files")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for entry in subject.entries where entry.appIDs.isEmpty {
            if let list = entry.node.member("appIDs") {
                guard let elements = list.value.elements else {
                    findings.add(
                        list.value.range, entry.pointer + "/appIDs",
                        "\"appIDs\" is \(Quoted.kind(list.value)), not an array; devices ignore it, and the entry has no app",
                        fix: "write \"appIDs\": [\"…\"]",
                        remedy: .repair(list.value.bracketsAroundApp))
                    continue
                }
                let said = elements.isEmpty ? "is empty" : "contains no string"
                findings.add(
                    list.value.range, entry.pointer + "/appIDs",
                    "\"appIDs\" \(said); the rules of this entry apply to no app")
            } else if let single = entry.node.member("appID") {
                findings.add(
                    single.value.shown, entry.pointer + "/appID",
                    "\"appID\" is \(Quoted.kind(single.value)), not a string; the rules of this entry apply to no app")
            } else {
                findings.add(
                    entry.node.opening, entry.pointer,
                    "this entry has no \"appIDs\" and no \"appID\"; its rules apply to no app")
            }
        }
    }
}

extension JSONNode {
    /// Makes a list of one app; nil unless the value is an app ID without a fault.
    var bracketsAroundApp: [LintEdit]? {
        string.flatMap { AppIDFault($0) == nil ? LintEdit.brackets(around: self) : nil }
    }
}

enum AppIDsDisagree: LintRule {
    static let description = LintRuleDescription(
        id: "app-ids-disagree", severity: .warning, title: "\"appID\" is not in \"appIDs\"",
        why: """
            If an entry has both keys, devices read only "appIDs" (observed in Apple's binaries). The rules then do \
            not apply to the app in "appID".
            """,
        example: LintExample.details(
            #"{"appID": "D7KQ4ZW2MX.com.acme.old", "appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "paths": ["/buy/*"]}"#),
        fixedExample: LintExample.details(
            #"{"appID": "D7KQ4ZW2MX.com.acme.shop", "appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "paths": ["/buy/*"]}"#),
        fix: "add it to \"appIDs\", and remove \"appID\"", reference: LintReference.details,
        seen: "corpus: 1 file")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for entry in subject.entries {
            guard let single = entry.node["appID"], let text = single.string,
                let list = entry.node["appIDs"]?.strings, !list.containsExactly(text)
            else { continue }
            findings.add(
                single.range, entry.pointer + "/appID",
                "\(Quoted.json(text)) is not in \"appIDs\"; devices ignore \"appID\" next to \"appIDs\"")
        }
    }
}

enum AppInSeveralEntries: LintRule {
    static let description = LintRuleDescription(
        id: "app-in-several-entries", severity: .warning, title: "one app in several entries",
        why: """
            Apple does not document how several entries of one app combine: an exclusion in one entry may or may not \
            block a URL that another entry opens.
            """,
        example: LintExample.details(
            "{\"appIDs\": [\"D7KQ4ZW2MX.com.acme.shop\"], \"components\": [{\"/\": \"/buy/*\"}]},\n  "
                + "{\"appIDs\": [\"D7KQ4ZW2MX.com.acme.shop\"], \"components\": [{\"/\": \"/sell/*\"}]}"),
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#, #"{"/": "/sell/*"}"#),
        fix: "put all rules of the app into one entry", reference: LintReference.details,
        seen: "corpus: 5 files")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        var first: [ExactText: Int] = [:]
        for (index, entry) in subject.entries.enumerated() {
            for appID in entry.appIDs {
                guard let other = first[ExactText(appID)] else {
                    first[ExactText(appID)] = index
                    continue
                }
                guard other != index else { continue }
                if findings.isFull {
                    findings.count()
                    continue
                }
                let earlier = subject.entries[other]
                let first = place(of: appID, in: earlier)
                findings.add(
                    place(of: appID, in: entry), entry.pointer,
                    "the app \(Quoted.json(appID)) already has an entry at \(subject.position(of: first.lowerBound))"
                        + "\(rules(of: earlier)); Apple does not document how two entries of one app combine",
                    related: [.init(range: first, pointer: earlier.pointer, message: "the app's other entry")])
            }
        }
    }

    /// Distinguishes entries that are on the same line.
    private static func rules(of entry: AppLinks.Entry) -> String {
        entry.rules.isEmpty ? "" : ", with " + Quoted.list(entry.rules)
    }

    /// Where the entry names the app.
    static func place(of appID: String, in entry: AppLinks.Entry) -> Range<Int> {
        if let element = entry.node["appIDs"]?.elements?.last(where: { $0.string?.isExactly(appID) == true }) {
            return element.range
        }
        if let single = entry.node["appID"], single.string?.isExactly(appID) == true { return single.range }
        return entry.node.opening
    }
}

enum AppIDDuplicate: LintRule {
    static let description = LintRuleDescription(
        id: "app-id-duplicate", severity: .note, title: "duplicate app ID in one list",
        why: "Devices use the ID once; the second one has no effect.",
        example: LintExample.credentials(#""D7KQ4ZW2MX.com.acme.shop", "D7KQ4ZW2MX.com.acme.shop""#),
        fixedExample: LintExample.credentials(#""D7KQ4ZW2MX.com.acme.shop""#),
        fix: "remove the second one", reference: LintReference.associatedDomains,
        seen: "corpus: 1 file")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        var lists: [(JSONNode, String)] = subject.entries.compactMap { entry in
            entry.node["appIDs"].map { ($0, entry.pointer + "/appIDs") }
        }
        for member in subject.members where member.name != "applinks" && Association.isKnown(member.key) {
            if let apps = member.value["apps"] { lists.append((apps, "/\(member.key)/apps")) }
        }
        for (list, pointer) in lists {
            var seen: [ExactText: (range: Range<Int>, index: Int)] = [:]
            for (index, element) in (list.elements ?? []).enumerated() {
                guard let text = element.string else { continue }
                if let first = seen[ExactText(text)] {
                    findings.add(
                        element.range, "\(pointer)/\(index)",
                        "\(Quoted.json(text)) is already listed at \(subject.position(of: first.range.lowerBound))",
                        remedy: .tidy(
                            list.elements.map { LintEdit.removal(of: element.range, after: $0[index - 1].range) }),
                        related: [
                            .init(
                                range: first.range, pointer: "\(pointer)/\(first.index)",
                                message: "the first of the two")
                        ])
                } else {
                    seen[ExactText(text)] = (element.range, index)
                }
            }
        }
    }
}
