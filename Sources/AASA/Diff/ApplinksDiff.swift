// What differs in `applinks`. Rules are compared app by app, however the apps are spread over entries; apps that the same
// entries name are reported once.

struct ApplinksDiff {
    /// Bytes of entries looked at, counted once for each group of apps that they belong to: a hostile file may give thousands
    /// of apps thousands of rules each. The work is bounded, not the file.
    private static let maximumBytes = 8 << 20

    private let values: ValueDiff

    init(_ values: ValueDiff) { self.values = values }

    func add(from old: AppLinks, to new: AppLinks, into changes: inout ChangeList) {
        let oldClaims = AppClaims(old)
        let newClaims = AppClaims(new)
        if old.form != new.form, old.form != .none, new.form != .none {
            changes.add(
                .changed, "applinks: \(Self.name(of: new.form)) instead of \(Self.name(of: old.form))", at: "/applinks")
        }
        AssociationDiff.appChanges("applinks", from: oldClaims.apps, to: newClaims.apps, into: &changes) { app in
            newClaims.entries(of: app).first.map { new.entries[$0].pointer }
                ?? oldClaims.entries(of: app).first.map { old.entries[$0].pointer } ?? "/applinks"
        }
        var groups: [[[Int]]: [String]] = [:]
        var order: [[[Int]]] = []
        for app in newClaims.apps {
            guard oldClaims.names(app) else { continue }
            let (before, after) = (oldClaims.entries(of: app), newClaims.entries(of: app))
            if groups[[before, after]] == nil { order.append([before, after]) }
            groups[[before, after], default: []].append(app)
        }
        var budget = Self.maximumBytes
        var uncompared = 0
        var seen: Set<[Int]> = []
        for claims in order {
            let apps = groups[claims] ?? []
            budget -= claims[0].reduce(1) { $0 + old.entries[$1].node.range.count }
            budget -= claims[1].reduce(1) { $0 + new.entries[$1].node.range.count }
            guard budget >= 0 else {
                uncompared += apps.count
                continue
            }
            let before = claims[0].map { old.entries[$0] }
            let after = claims[1].map { new.entries[$0] }
            let label = Self.describe(apps)
            if before.count != after.count {
                changes.add(
                    .changed,
                    "\(label): \(after.count) entr\(after.count == 1 ? "y" : "ies") of 'details' instead of \(before.count)",
                    at: after.first?.pointer ?? "/applinks")
            }
            ruleChanges(label, from: before.flatMap(\.rules), to: after.flatMap(\.rules), into: &changes)
            ruleChanges(
                "\(label), for iOS 12", from: before.flatMap(\.olderRules), to: after.flatMap(\.olderRules),
                into: &changes)
            for (left, right) in zip(claims[0], claims[1]) where seen.insert([left, right]).inserted {
                entryChanges(label, from: old.entries[left], to: new.entries[right], into: &changes)
            }
        }
        if uncompared > 0 {
            changes.add(
                .changed, "applinks: \(uncompared) more apps, whose many rules were not compared", at: "/applinks")
        }
        otherChanges(from: old, to: new, into: &changes)
    }

    private static func name(of form: AppLinks.Form) -> String {
        switch form {
        case .list: "a list of details"
        case .dictionary: "details by app"
        case .appsOnly: "apps without details"
        case .none: "no details"
        }
    }

    private static func describe(_ apps: [String]) -> String {
        apps.prefix(2).joined(separator: ", ") + (apps.count > 2 ? " and \(apps.count - 2) more" : "")
    }

    private func ruleChanges(
        _ label: String, from old: [URLRule], to new: [URLRule], into changes: inout ChangeList
    ) {
        let alignment = ListAlignment(
            from: old.map { ExactText($0.ownMeaning) }, to: new.map { ExactText($0.ownMeaning) })
        // A rule of the same path is the same rule, changed.
        var numbers = TextNumbers()
        let paths = ListAlignment(
            from: alignment.removed.map { old[$0].path.map { numbers.number(of: $0) } },
            to: alignment.added.map { new[$0].path.map { numbers.number(of: $0) } })
        // Removed first: a rule that was replaced reads as "this went, that came".
        for index in paths.removed.map({ alignment.removed[$0] }) {
            changes.add(.removed, "\(label): \(old[index].written(limit: 1000))", at: old[index].pointer)
        }
        for index in paths.added.map({ alignment.added[$0] }) {
            changes.add(.added, "\(label): \(new[index].written(limit: 1000))", at: new[index].pointer)
        }
        for pair in paths.pairs {
            let (left, right) = (alignment.removed[pair.old], alignment.added[pair.new])
            changes.add(
                .changed, "\(label): \(old[left].written) became \(new[right].written(limit: 1000))",
                at: new[right].pointer)
            values.add(
                from: old[left].node["comment"], to: new[right].node["comment"],
                at: .text("\(new[right].pointer)/comment"),
                into: &changes)
        }
        for pair in alignment.moved {
            changes.add(
                .moved,
                "\(label): \(new[pair.new].written(limit: 1000)), from place \(pair.old + 1) to place \(pair.new + 1)",
                at: new[pair.new].pointer)
        }
        // Comments, and keys that nobody reads.
        for pair in alignment.pairs where old[pair.old].form == new[pair.new].form {
            let (left, right) = (old[pair.old], new[pair.new])
            // An entry without rules of its own stands in place of one; its keys are compared as the entry's.
            if left.form == .path || left.form == .wrongType && ValueDiff.text(left.node) == nil { continue }
            values.add(from: left.node, to: right.node, at: .text(right.pointer), into: &changes)
        }
    }

    private func entryChanges(
        _ label: String, from old: AppLinks.Entry, to new: AppLinks.Entry, into changes: inout ChangeList
    ) {
        if old.form != new.form {
            changes.add(
                .changed, "\(label): \(Self.name(of: new.form)) instead of \(Self.name(of: old.form))", at: new.pointer)
        }
        let names = [old, new].map { $0.node["appIDs"] != nil ? "appIDs" : $0.node["appID"] != nil ? "appID" : nil }
        if let before = names[0], let after = names[1], before != after {
            changes.add(.changed, "\(label): '\(after)' instead of '\(before)'", at: "\(new.pointer)/\(after)")
        }
        // An entry that stands for the whole of `apps` has no keys of its own.
        for member in values.members(old.node, new.node) {
            switch member.name {
            case "appIDs", "components", "paths": continue
            case "appID" where old.node["appIDs"] == nil || new.node["appIDs"] == nil: continue
            default:
                values.add(
                    from: member.old, to: member.new, at: .text("\(new.pointer)/\(member.key.escapedForPointer)"),
                    into: &changes)
            }
        }
    }

    private static func name(of form: AppLinks.Entry.Form) -> String {
        switch form {
        case .components: "components"
        case .paths: "paths"
        case .everything: "every URL"
        }
    }

    /// Variables, defaults, and whatever else stands beside `details`.
    private func otherChanges(from old: AppLinks, to new: AppLinks, into changes: inout ChangeList) {
        for member in values.members(old.node, new.node) {
            let place = "/applinks/\(member.key.escapedForPointer)"
            switch member.name {
            case "details": continue
            case "apps" where old.form == .appsOnly || new.form == .appsOnly: continue
            case "substitutionVariables": variableChanges(member, place, into: &changes)
            default: values.add(from: member.old, to: member.new, at: .text(place), into: &changes)
            }
        }
    }

    private func variableChanges(_ member: ValueDiff.Member, _ place: String, into changes: inout ChangeList) {
        for variable in values.members(member.old, member.new) {
            let pointer = "\(place)/\(variable.key.escapedForPointer)"
            switch (variable.old, variable.new) {
            case (nil, _?): changes.add(.added, "applinks: variable \(variable.key)", at: pointer)
            case (_?, nil): changes.add(.removed, "applinks: variable \(variable.key)", at: pointer)
            case (let left?, let right?):
                let alignment = ListAlignment(
                    from: (left.strings ?? []).map(ExactText.init(_:)),
                    to: (right.strings ?? []).map(ExactText.init(_:)))
                let came = alignment.added.prefix(5).map { "\((right.strings ?? [])[$0].writtenAsJSON) came" }
                let went = alignment.removed.prefix(5).map { "\((left.strings ?? [])[$0].writtenAsJSON) went" }
                let values = (went + came).joined(separator: ", ")
                changes.add(
                    .changed, "applinks: variable \(variable.key)\(values.isEmpty ? "" : ": \(values)")", at: pointer)
            case (nil, nil): break
            }
        }
    }
}

/// Numbers the texts of patterns, each looked at once: thousands of rules may share a long one.
private struct TextNumbers {
    private var byPattern: [ObjectIdentifier: Int] = [:]
    private var byText: [ExactText: Int] = [:]

    mutating func number(of pattern: Pattern) -> Int {
        if let known = byPattern[pattern.identity] { return known }
        let text = ExactText(pattern.text)
        let number = byText[text] ?? byText.count
        byText[text] = number
        byPattern[pattern.identity] = number
        return number
    }
}
