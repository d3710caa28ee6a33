// A finding: one thing that one check noticed. What was seen, what Apple requires, what to do.

package enum Severity: String, Codable, Sendable, Comparable, CaseIterable {
    case note, warning, error

    private var rank: Int {
        switch self {
        case .note: 0
        case .warning: 1
        case .error: 2
        }
    }

    package static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }
}

/// The stable name of a rule, `area.thing`: the key in JSON, metrics and documentation.
package struct Rule: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    package init(from decoder: any Decoder) throws { rawValue = try decoder.singleValueContainer().decode(String.self) }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    package var description: String { rawValue }
}

package struct Finding: Codable, Equatable, Sendable {
    package var rule: Rule
    package var severity: Severity
    /// One sentence: what is wrong.
    package var message: String
    /// What was seen, by name: header, address, date. In a verdict it is cleaned for display.
    package var evidence: [String: String]
    /// What to do about it.
    package var fix: String
    /// A link to the requirement.
    package var reference: String

    package init(
        rule: Rule, severity: Severity, message: String, evidence: [String: String] = [:], fix: String,
        reference: String
    ) {
        self.rule = rule
        self.severity = severity
        self.message = message
        self.evidence = evidence
        self.fix = fix
        self.reference = reference
    }
}

extension Finding {
    /// The finding with the watched site's text made fit for terminals, logs and chats, and bounded.
    var displayable: Finding {
        var finding = self
        finding.message = message.displayable.shortened(to: 1000)
        finding.fix = fix.displayable.shortened(to: 1000)
        finding.evidence = evidence.mapValues { $0.displayable.shortened(to: 2000) }
        return finding
    }
}
