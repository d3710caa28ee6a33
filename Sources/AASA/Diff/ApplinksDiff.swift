// The differences in `applinks`. Rules are compared app by app, regardless of how apps are spread over entries. Apps
// with the same entries are reported together.

struct ApplinksDiff {
    /// The limit in bytes of entries compared, counted once for each group of apps: a hostile file may give thousands
    /// of apps thousands of rules each. This bounds the work, not the file.
    private static let maximumBytes = 8 << 20

    private let values: ValueDiff

    init(_ values: ValueDiff) { self.values = values }

    func add(from before: AppLinks, to after: AppLinks, into changes: inout ChangeList) {
        let (old, new) = (FileApps(before), FileApps(after))
        let isFormTold = before.form != after.form && before.form != .none && after.form != .none
        if isFormTold {
            changes.add(
                .changed, "applinks: \(Self.name(of: after.form)) instead of \(Self.name(of: before.form))",
                at: "/applinks")
        }
        let start = changes.count
        AssociationDiff.appChanges("applinks", from: old.apps, to: new.apps, into: &changes) { app in
            new.entries(of: app).first.map { new.entries[$0].pointer }
                ?? old.entries(of: app).first.map { old.entries[$0].pointer } ?? "/applinks"
        } detail: { app in
            let file = new.names(app) ? new : old
            return ", with the rules \(Self.rules(file.entries(of: app).map { file.entries[$0] }))"
        }
        let groups = FileApps.groups(of: new.apps.lazy.filter(old.names)) {
            [old.entries(of: $0), new.entries(of: $0)]
        }
        var budget = Self.maximumBytes
        var uncompared = 0
        var seen: Set<[Int]> = []
        for (claims, apps) in groups {
            budget -= claims[0].reduce(1) { $0 + old.entries[$1].node.range.count }
            budget -= claims[1].reduce(1) { $0 + new.entries[$1].node.range.count }
            guard budget >= 0 else {
                uncompared += apps.count
                continue
            }
            let olds = claims[0].map { old.entries[$0] }
            let news = claims[1].map { new.entries[$0] }
            let label = FileApps.list(apps)
            ruleChanges(label, from: olds.flatMap(\.rules), to: news.flatMap(\.rules), into: &changes)
            for (left, right) in zip(claims[0], claims[1]) where seen.insert([left, right]).inserted {
                entryChanges(label, from: old.entries[left], to: new.entries[right], into: &changes)
            }
            let common = min(olds.count, news.count)
            for entry in olds.dropFirst(common) { otherMembers(from: entry, to: nil, into: &changes) }
            for entry in news.dropFirst(common) { otherMembers(from: nil, to: entry, into: &changes) }
        }
        if uncompared > 0 {
            let apps = uncompared == 1 ? "1 more app" : "\(uncompared) more apps"
            changes.add(.changed, "applinks: \(apps) with too many rules to compare", at: "/applinks")
        }
        // Same rules in other entries, entries without apps, elements that are not entries, and duplicate IDs.
        let (left, right) = (before.node["details"], after.node["details"])
        if changes.count == start, values.differ(left, right), !isFormTold {
            values.add(from: left, to: right, at: "/applinks/details", into: &changes)
        }
        otherChanges(from: before, to: after, into: &changes)
    }

    private static func name(of form: AppLinks.Form) -> String {
        switch form {
        case .list: "a list of details"
        case .dictionary: "details by app"
        case .appsOnly: "apps without details"
        case .none: "no details"
        }
    }

    private func ruleChanges(
        _ label: String, from old: [URLRule], to new: [URLRule], into changes: inout ChangeList
    ) {
        let alignment = ListAlignment(
            from: old.map { ExactText($0.ownMeaning) }, to: new.map { ExactText($0.ownMeaning) })
        // Two rules with the same path count as one changed rule.
        let paths = ListAlignment(
            from: alignment.removed.map { old[$0].path.map { ExactText($0.text) } },
            to: alignment.added.map { new[$0].path.map { ExactText($0.text) } })
        // Removed rules first: a replacement reads as "removed, then added".
        for index in paths.removed.map({ alignment.removed[$0] }) {
            changes.add(.removed, "\(label): \(old[index].writtenInDiff)", at: old[index].pointer)
        }
        for index in paths.added.map({ alignment.added[$0] }) {
            changes.add(.added, "\(label): \(new[index].writtenInDiff)", at: new[index].pointer)
        }
        for pair in paths.pairs {
            let (left, right) = (alignment.removed[pair.old], alignment.added[pair.new])
            changes.add(
                .changed, "\(label): \(old[left].writtenInDiff) became \(new[right].writtenInDiff)",
                at: new[right].pointer)
            values.add(
                from: old[left].node["comment"], to: new[right].node["comment"],
                at: "\(new[right].pointer)/comment",
                into: &changes)
        }
        for pair in alignment.moved {
            changes.add(
                .moved,
                "\(label): \(new[pair.new].writtenInDiff), from place \(pair.old + 1) to place \(pair.new + 1)",
                at: new[pair.new].pointer)
        }
        // Comments and unknown keys.
        for pair in alignment.pairs where old[pair.old].form == new[pair.new].form {
            let (left, right) = (old[pair.old], new[pair.new])
            // The rule of an entry without a list is the entry itself; `otherMembers` compares its keys.
            if left.form == .path || left.form == .wrongType && ValueDiff.text(left.node) == nil { continue }
            values.add(from: left.node, to: right.node, at: right.pointer, into: &changes)
        }
    }

    private func entryChanges(
        _ label: String, from old: AppLinks.Entry, to new: AppLinks.Entry, into changes: inout ChangeList
    ) {
        if old.form != new.form {
            changes.add(
                .changed, "\(label): \(Self.name(of: new.form)) instead of \(Self.name(of: old.form))", at: new.pointer)
        }
        otherMembers(from: old, to: new, into: &changes)
    }

    /// The members of an entry other than its apps and rules. An entry for all of `apps` has none of its own.
    private func otherMembers(from old: AppLinks.Entry?, to new: AppLinks.Entry?, into changes: inout ChangeList) {
        for member in values.members(old?.node, new?.node) {
            switch member.name {
            // Already reported by app, unless only the notation changed.
            case "appIDs", "appID": if old?.appIDs != new?.appIDs { continue }
            case "components": continue
            // Devices ignore `paths` next to `components`.
            case "paths": if [old, new].contains(where: { $0?.form == .paths }) { continue }
            default: break
            }
            let pointer = new?.pointer ?? old?.pointer ?? "/applinks"
            values.add(
                from: member.old, to: member.new, at: "\(pointer)/\(member.key.escapedForPointer)",
                into: &changes)
        }
    }

    /// The rules of each entry, in brackets.
    private static func rules(_ entries: [AppLinks.Entry]) -> String {
        entries.prefix(maximumShown).map { entry in
            let rules = entry.rules.prefix(maximumShown).map { $0.written(limit: 100) }
            return entry.form == .everything
                ? rules.joined()
                : "[\(rules.joined(separator: ", "))\(Quoted.more(entry.rules.count, beyond: maximumShown))]"
        }.joined(separator: " and ") + Quoted.more(entries.count, beyond: maximumShown)
    }

    private static let maximumShown = 6

    private static func name(of form: AppLinks.Entry.Form) -> String {
        switch form {
        case .components: "components"
        case .paths: "paths"
        case .everything: "every URL"
        }
    }

    /// Variables, defaults, and other members next to `details`.
    private func otherChanges(from old: AppLinks, to new: AppLinks, into changes: inout ChangeList) {
        for member in values.members(old.node, new.node) {
            let place = "/applinks/\(member.key.escapedForPointer)"
            switch member.name {
            case "details": continue
            case "apps" where old.form == .appsOnly || new.form == .appsOnly: continue
            case "substitutionVariables": variableChanges(member, place, into: &changes)
            default: values.add(from: member.old, to: member.new, at: place, into: &changes)
            }
        }
    }

    private func variableChanges(_ member: ValueDiff.Member, _ place: String, into changes: inout ChangeList) {
        for variable in values.members(member.old, member.new) {
            let pointer = "\(place)/\(variable.key.escapedForPointer)"
            switch (variable.old, variable.new) {
            case (nil, let came?):
                changes.add(.added, "applinks: variable \(variable.key): \(came.written(limit: 200))", at: pointer)
            case (let went?, nil):
                changes.add(.removed, "applinks: variable \(variable.key): \(went.written(limit: 200))", at: pointer)
            case (let left?, let right?):
                let alignment = ListAlignment(
                    from: (left.strings ?? []).map(ExactText.init(_:)),
                    to: (right.strings ?? []).map(ExactText.init(_:)))
                let came = alignment.added.prefix(5).map { "\((right.strings ?? [])[$0].writtenAsJSON) added" }
                let went = alignment.removed.prefix(5).map { "\((left.strings ?? [])[$0].writtenAsJSON) removed" }
                let values = (went + came).joined(separator: ", ")
                let words =
                    values.isEmpty ? "\(left.written(limit: 200)) became \(right.written(limit: 200))" : values
                changes.add(.changed, "applinks: variable \(variable.key): \(words)", at: pointer)
            case (nil, nil): break
            }
        }
    }
}

extension URLRule {
    /// An element of the wrong type opens every URL, regardless of its text.
    fileprivate var writtenInDiff: String {
        let text = written(limit: 1_000)
        let isPlain = form != .wrongType || node.members != nil || node.elements != nil
        return isPlain ? text : "\(text) (not \(place.list == .paths ? "a string" : "an object"): every URL)"
    }
}
