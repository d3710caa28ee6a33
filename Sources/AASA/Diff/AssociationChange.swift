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
