// Findings that the owners of a domain know and accept. They are shown but do not count.

import Foundation

/// A rule whose findings do not count for a domain.
package struct IgnoredRule: Hashable, Sendable {
    package var rule: Rule
    /// The owners' reason.
    package var reason: String
    /// The last day on which the rule is ignored; nil for always.
    package var until: CalendarDay?

    package init(_ rule: Rule, reason: String, until: CalendarDay? = nil) {
        self.rule = rule
        self.reason = reason
        self.until = until
    }

    /// `now`: by the wall clock.
    package func holds(at now: Date) -> Bool { until.map { now < $0.end } ?? true }
}

/// The rules that are ignored at one instant.
struct IgnoredRules: Sendable {
    private let rules: [Rule: IgnoredRule]

    init(_ rules: [IgnoredRule], at now: Date) {
        self.rules = Dictionary(
            rules.filter { $0.holds(at: now) }.map { ($0.rule, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func contains(_ rule: Rule) -> Bool { rules[rule] != nil }

    func split(_ findings: [Finding]) -> (counted: [Finding], ignored: [IgnoredFinding]) {
        guard !rules.isEmpty else { return (findings, []) }
        return (
            findings.filter { !contains($0.rule) },
            findings.compactMap { finding in rules[finding.rule].map { IgnoredFinding(finding, by: $0) } }
        )
    }
}

/// A finding that does not count, and why.
package struct IgnoredFinding: Codable, Equatable, Sendable {
    package let finding: Finding
    package let reason: String
    /// The last day on which it is ignored.
    package let until: CalendarDay?

    init(_ finding: Finding, by rule: IgnoredRule) {
        self.finding = finding
        reason = rule.reason
        until = rule.until
    }

    /// The finding in words as of an instant.
    package func text(at now: Date) -> IgnoredFindingText {
        IgnoredFindingText(text: finding.text(at: now), reason: reason, until: until)
    }
}

/// An ignored finding for people and programs.
package struct IgnoredFindingText: Codable, Equatable, Sendable {
    package let text: FindingText
    package let reason: String
    package let until: CalendarDay?

    /// Such as `meant so (until 2027-01-01)`.
    package var why: String {
        reason.displayable.shortened(to: 500) + (until.map { " (until \($0))" } ?? "")
    }

    init(text: FindingText, reason: String, until: CalendarDay?) {
        self.text = text
        self.reason = reason
        self.until = until
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let ignored = try container.nestedContainer(keyedBy: IgnoredKeys.self, forKey: .ignored)
        text = try FindingText(from: decoder)
        reason = try ignored.decode(String.self, forKey: .reason)
        until = try ignored.decodeIfPresent(CalendarDay.self, forKey: .until)
    }

    package func encode(to encoder: any Encoder) throws {
        try text.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        var ignored = container.nestedContainer(keyedBy: IgnoredKeys.self, forKey: .ignored)
        try ignored.encode(reason, forKey: .reason)
        try ignored.encode(until, forKey: .until)
    }

    private enum CodingKeys: String, CodingKey { case ignored }
    private enum IgnoredKeys: String, CodingKey { case reason, until }
}

/// A day in UTC, written `2027-01-01`.
package struct CalendarDay: Hashable, Sendable, Codable, CustomStringConvertible {
    package let description: String
    /// The instant at which the day ends.
    package let end: Date

    /// nil if the text is not a calendar day.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2], text.utf8.allSatisfy({ $0 == 45 || (48...57).contains($0) }) else {
            return nil
        }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let numbers = parts.compactMap { Int($0) }
        let day = DateComponents(calendar: calendar, year: numbers[0], month: numbers[1], day: numbers[2])
        guard day.isValidDate, let begin = day.date, let end = calendar.date(byAdding: .day, value: 1, to: begin) else {
            return nil
        }
        description = text
        self.end = end
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let day = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a day such as 2027-01-01")
        }
        self = day
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
