// What differs in meaning between two files: services, apps, each app's rules in their order, variables, defaults, and
// whatever else, named by its place. Formatting is no difference.

public enum AssociationDiff {
    /// More changes than these are counted only.
    public static let maximumChanges = 50

    /// The changes from `old` to `new`; none exactly where both have the same canonical form.
    public static func compare(_ old: JSONDocument, _ new: JSONDocument) -> AssociationComparison {
        let values = ValueDiff(old, new)
        if !values.differ(old.root, new.root) { return AssociationComparison(changes: [], total: 0) }
        guard old.root.members != nil, new.root.members != nil else {
            let whole = AssociationChange(kind: .changed, summary: "the whole file differs", pointer: "")
            return AssociationComparison(changes: [whole], total: 1)
        }
        var changes = ChangeList()
        for member in values.members(old.root, new.root) {
            let place = "/" + member.key.escapedForPointer
            switch (member.old, member.new) {
            case (let left?, let right?) where left.members != nil && right.members != nil:
                if member.name == "applinks" {
                    ApplinksDiff(values).add(from: AppLinks(left), to: AppLinks(right), into: &changes)
                } else {
                    serviceChanges(member.key, from: left, to: right, values, into: &changes)
                }
            case (nil, let added?) where added.members != nil:
                changes.add(.added, describe(member.key, added), at: place)
            case (let removed?, nil) where removed.members != nil:
                changes.add(.removed, describe(member.key, removed), at: place)
            default:
                values.add(from: member.old, to: member.new, at: .text(place), into: &changes)
            }
        }
        // Differences that none of the above sees, such as a key that stands twice.
        if changes.count == 0 { values.addFirst(from: old.root, to: new.root, at: "", into: &changes) }
        return AssociationComparison(changes: changes.listed, total: changes.count)
    }

    private static func describe(_ name: String, _ node: JSONNode) -> String {
        let apps = name == "applinks" ? AppLinks(node).appIDs : node["apps"]?.strings ?? []
        let list = apps.prefix(3).joined(separator: ", ") + Quoted.more(apps.count, beyond: 3)
        return "service \(name)" + (apps.isEmpty ? "" : " with \(list)")
    }

    /// A service that reads only `apps`.
    private static func serviceChanges(
        _ name: String, from old: JSONNode, to new: JSONNode, _ values: ValueDiff, into changes: inout ChangeList
    ) {
        let place = "/" + name.escapedForPointer
        for member in values.members(old, new) {
            if member.name == "apps", let left = member.old?.elements, let right = member.new?.elements {
                appChanges(
                    name, from: left.compactMap(\.string).uniqued, to: right.compactMap(\.string).uniqued,
                    into: &changes
                ) { _ in place + "/apps" }
            } else {
                let inner = "\(place)/\(member.key.escapedForPointer)"
                values.add(from: member.old, to: member.new, at: .text(inner), into: &changes)
            }
        }
    }

    /// `pointer` tells where an app stands; in the newer file, or in the older one for what was removed.
    static func appChanges(
        _ service: String, from old: [String], to new: [String], into changes: inout ChangeList,
        pointer: (String) -> String, detail: (String) -> String = { _ in "" }
    ) {
        let alignment = ListAlignment(from: old.map(ExactText.init(_:)), to: new.map(ExactText.init(_:)))
        for index in alignment.added {
            changes.add(.added, "\(service): app \(new[index])\(detail(new[index]))", at: pointer(new[index]))
        }
        for index in alignment.removed {
            changes.add(.removed, "\(service): app \(old[index])\(detail(old[index]))", at: pointer(old[index]))
        }
        for pair in alignment.moved {
            changes.add(
                .moved, "\(service): app \(new[pair.new]), from place \(pair.old + 1) to place \(pair.new + 1)",
                at: pointer(new[pair.new]))
        }
    }
}

/// What two files say differently.
public struct AssociationComparison: Sendable, Equatable {
    /// `AssociationDiff.maximumChanges` at most, in the order of the newer file.
    public let changes: [AssociationChange]
    /// How many there are in all.
    public let total: Int

    package init(changes: [AssociationChange], total: Int) {
        self.changes = changes
        self.total = total
    }

    /// Whether both mean the same.
    public var isEmpty: Bool { total == 0 }
}

/// One difference in meaning, from the older file to the newer one.
public struct AssociationChange: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable { case added, removed, changed, moved }

    public let kind: Kind
    /// One line for people.
    public let summary: String
    /// A JSON pointer into the newer file, or into the older one for what was removed.
    public let pointer: String
}

/// The first changes in full, and the number of all.
struct ChangeList {
    private(set) var listed: [AssociationChange] = []
    private(set) var count = 0

    mutating func add(
        _ kind: AssociationChange.Kind, _ summary: @autoclosure () -> String, at pointer: @autoclosure () -> String
    ) {
        count += 1
        guard listed.count < AssociationDiff.maximumChanges else { return }
        listed.append(
            AssociationChange(
                kind: kind, summary: summary().cut(beyond: Self.maximumText),
                pointer: pointer().cut(beyond: Self.maximumText)))
    }

    /// Bytes; names and rules of the file may be as long as the file.
    private static let maximumText = 8192
}
