// What differs in meaning between two files: services, apps, and each app's patterns in their order.

/// One difference, from the older file to the newer one.
public struct AssociationChange: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable { case added, removed, changed, moved }

    public let kind: Kind
    /// One line for people.
    public let summary: String
    /// A JSON pointer into the newer file, or into the older one for what was removed.
    public let pointer: String
}

public enum AssociationDiff {
    /// More changes than these are summed up in one last line.
    public static let maximumChanges = 50

    /// The changes from `old` to `new`; empty exactly where both have the same canonical form.
    public static func changes(from old: JSONDocument, to new: JSONDocument) -> [AssociationChange] {
        if old.root.canonicalForm == new.root.canonicalForm { return [] }
        guard let before = Association(old.root), let after = Association(new.root) else {
            return [AssociationChange(kind: .changed, summary: "the whole file differs", pointer: "")]
        }
        var changes = ChangeList()
        let names = before.services.map(\.name) + after.services.map(\.name)
        let olds = Dictionary(before.services.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        let news = Dictionary(after.services.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        var seen: Set<String> = []
        for name in names where seen.insert(name).inserted {
            let place = "/" + name.escapedForPointer
            switch (olds[name], news[name]) {
            case (nil, let added?): changes.add(.added, describe("service", added), at: place)
            case (let removed?, nil): changes.add(.removed, describe("service", removed), at: place)
            case (let left?, let right?): serviceChanges(from: left, to: right, into: &changes)
            case (nil, nil): break
            }
        }
        if changes.count == 0 { return otherChanges(from: old.root, to: new.root) }
        return changes.summedUp
    }

    private static func describe(_ noun: String, _ service: Service) -> String {
        let apps = service.appIDs
        let list = apps.prefix(3).joined(separator: ", ") + (apps.count > 3 ? " and \(apps.count - 3) more" : "")
        return "\(noun) \(service.name)" + (apps.isEmpty ? "" : " with \(list)")
    }

    private static func serviceChanges(
        from oldService: Service, to newService: Service, into changes: inout ChangeList
    ) {
        let old = AppIndex(oldService)
        let new = AppIndex(newService)
        let before = changes.count
        for app in new.apps where old.claims[app] == nil {
            changes.add(.added, "\(new.name): app \(app)", at: new.pointer(of: app))
        }
        for app in old.apps where new.claims[app] == nil {
            changes.add(.removed, "\(old.name): app \(app)", at: old.pointer(of: app))
        }
        // A hostile file may give thousands of apps thousands of patterns each: the work is bounded, not the file.
        var budget = maximumPatternsCompared
        var uncompared = 0
        for app in new.apps where old.claims[app] != nil {
            budget -= old.patternCount(of: app) + new.patternCount(of: app)
            if budget < 0 {
                uncompared += 1
            } else {
                patternChanges(of: app, from: old, to: new, into: &changes)
            }
        }
        if uncompared > 0 {
            changes.add(
                .changed, "\(new.name): \(uncompared) more apps, whose many patterns were not compared",
                at: "/" + new.name.escapedForPointer)
        } else if changes.count == before, old.apps != new.apps {
            changes.add(.moved, "\(new.name): the order of the apps", at: "/" + new.name.escapedForPointer)
        }
    }

    /// Patterns looked at in one service, counted once for each app that they belong to.
    private static let maximumPatternsCompared = 200_000

    private static func patternChanges(
        of app: String, from old: AppIndex, to new: AppIndex, into changes: inout ChangeList
    ) {
        let before = old.patterns(of: app)
        let after = new.patterns(of: app)
        guard before != after else { return }
        let removed = before.subtracting(after)
        let added = after.subtracting(before)
        // Removed first: a pattern that was replaced reads as "this went, that came".
        for pattern in removed { changes.add(.removed, "\(app): \(pattern)", at: old.pointer(of: app)) }
        for pattern in added { changes.add(.added, "\(app): \(pattern)", at: new.pointer(of: app)) }
        if removed.isEmpty, added.isEmpty {
            changes.add(.moved, "\(app): the order of its patterns", at: new.pointer(of: app))
        }
    }

    /// Differences that lie in none of the parts above, such as `defaults` or a comment: named by their place.
    private static func otherChanges(from old: JSONNode, to new: JSONNode) -> [AssociationChange] {
        var path = ""
        var (left, right) = (old, new)
        while let next = differingChild(left, right) {
            path += "/" + next.token.escapedForPointer
            (left, right) = (next.old, next.new)
        }
        return [.init(kind: .changed, summary: "the value at \(path.isEmpty ? "the root" : path)", pointer: path)]
    }

    private static func differingChild(
        _ old: JSONNode, _ new: JSONNode
    ) -> (token: String, old: JSONNode, new: JSONNode)? {
        if let left = old.members, let right = new.members, left.count == right.count {
            let others = Dictionary(right.map { (Array($0.key.utf8), $0.value) }, uniquingKeysWith: { $1 })
            for member in left {
                guard let other = others[Array(member.key.utf8)] else { return nil }
                if member.value.canonicalForm != other.canonicalForm { return (member.key, member.value, other) }
            }
        }
        if let left = old.elements, let right = new.elements, left.count == right.count {
            for (index, pair) in zip(left, right).enumerated() where pair.0.canonicalForm != pair.1.canonicalForm {
                return (String(index), pair.0, pair.1)
            }
        }
        return nil
    }
}

/// The first changes in full, and the number of all.
private struct ChangeList {
    private var listed: [AssociationChange] = []
    private(set) var count = 0

    mutating func add(_ kind: AssociationChange.Kind, _ summary: @autoclosure () -> String, at pointer: String) {
        count += 1
        guard listed.count < AssociationDiff.maximumChanges else { return }
        listed.append(AssociationChange(kind: kind, summary: summary(), pointer: pointer))
    }

    var summedUp: [AssociationChange] {
        let rest = count - listed.count
        guard rest > 0 else { return listed }
        return listed + [.init(kind: .changed, summary: "and \(rest) more changes", pointer: "")]
    }
}

/// A service's apps with the entries that name them, gathered in one pass. Patterns stay with their entry: copied to
/// each app of a hostile file they would fill the memory.
private struct AppIndex {
    let name: String
    let apps: [String]
    var claims: [String: (entries: [Int], pointer: String)] = [:]
    private let entries: [DetailsEntry]

    init(_ service: Service) {
        name = service.name
        apps = service.appIDs
        entries = service.entries
        for app in apps { claims[app] = ([], "/\(name.escapedForPointer)/apps") }
        for (index, entry) in entries.enumerated() {
            for app in Set(entry.appIDs) {
                if claims[app]?.entries.isEmpty ?? true { claims[app, default: ([], "")].pointer = entry.pointer }
                claims[app, default: ([], entry.pointer)].entries.append(index)
            }
        }
    }

    func patterns(of app: String) -> [String] { (claims[app]?.entries ?? []).flatMap { entries[$0].patterns } }

    func patternCount(of app: String) -> Int {
        (claims[app]?.entries ?? []).reduce(0) { $0 + entries[$1].patterns.count }
    }

    func pointer(of app: String) -> String { claims[app]?.pointer ?? "/" + name.escapedForPointer }
}

extension [String] {
    /// The elements that are left when each element of `other` takes away one equal element.
    fileprivate func subtracting(_ other: [String]) -> [String] {
        var counts: [String: Int] = [:]
        for element in other { counts[element, default: 0] += 1 }
        return filter { element in
            guard let count = counts[element], count > 0 else { return true }
            counts[element] = count - 1
            return false
        }
    }
}
