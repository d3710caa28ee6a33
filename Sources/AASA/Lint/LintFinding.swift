// What the linter says about a file. These types are what commands, checks and alerts print.

/// How bad a finding is.
public enum LintSeverity: String, Sendable, Hashable, CaseIterable, Comparable {
    /// It breaks for someone.
    case error
    /// It works by leniency, or is risky.
    case warning
    /// Worth knowing; nothing breaks.
    case note

    /// Ordered by weight: a note is less than an error.
    public static func < (left: LintSeverity, right: LintSeverity) -> Bool { left.weight < right.weight }

    private var weight: Int {
        switch self {
        case .note: 0
        case .warning: 1
        case .error: 2
        }
    }
}

/// One fault of a file, and where it stands.
public struct LintFinding: Sendable, Hashable {
    /// The rule's id in kebab-case, without an area in front.
    public let rule: String
    public let severity: LintSeverity
    /// What was seen, and what a device does with it. Text of the file in it is escaped and cut, safe to print.
    public let message: String
    /// What to do.
    public let fix: String
    /// A page that decides the matter.
    public let reference: String
    /// Offsets in bytes.
    public let range: Range<Int>
    public let start: SourcePosition
    /// The place behind the last character.
    public let end: SourcePosition
    /// RFC 6901; empty for the file as a whole. It holds keys of the file as they are: escape it before printing.
    public let pointer: String
    /// Other places that the finding speaks about, such as the rules that take the URLs of this one; the first ones of many.
    public let related: [LintPlace]
    /// A URL that shows it, as path with query and fragment, where the rule has one.
    public let example: String?

    /// What was seen, by name, for programs: `example`, and for each related place its `related_place_1` (line and column)
    /// and `related_pointer_1`, counted from 1. Text of the file stands there as it is: escape it before printing.
    public var evidence: [(name: String, value: String)] {
        var evidence: [(name: String, value: String)] = example.map { [("example", $0)] } ?? []
        for (index, place) in related.enumerated() {
            evidence.append(("related_place_\(index + 1)", "\(place.start)"))
            evidence.append(("related_pointer_\(index + 1)", place.pointer))
        }
        return evidence
    }
}

/// Another place of the same file, and what it has to do with a finding.
public struct LintPlace: Sendable, Hashable {
    /// A few words, safe to print.
    public let message: String
    /// Offsets in bytes.
    public let range: Range<Int>
    public let start: SourcePosition
    /// The place behind the last character.
    public let end: SourcePosition
    /// RFC 6901. It holds keys of the file as they are: escape it before printing.
    public let pointer: String
}

/// What the linter found in one file.
public struct LintReport: Sendable {
    /// In the order of the text.
    public let findings: [LintFinding]
    /// nil where the text is no JSON.
    public let file: AssociationFile?

    /// Whether no finding is an error.
    public var isValid: Bool { !findings.contains { $0.severity == .error } }
}
