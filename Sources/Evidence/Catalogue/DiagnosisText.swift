// A diagnosis as people read it: four short parts, each a sentence or two.

import Foundation

package struct DiagnosisText: Equatable, Sendable {
    /// What phones do now.
    package var effect: String
    /// Why.
    package var cause: String?
    /// What to do; it begins with a verb.
    package var action: String?
    /// Until when it stays so.
    package var outlook: String?

    /// Parts may quote what a watched site sent: they are made fit for display, and bounded.
    package init(effect: String, cause: String? = nil, action: String? = nil, outlook: String? = nil) {
        self.effect = Self.shown(effect)
        self.cause = cause.map(Self.shown)
        self.action = action.map(Self.shown)
        self.outlook = outlook.map(Self.shown)
    }

    private static func shown(_ part: String) -> String { part.displayable.shortened(to: 500) }

    /// In the order of reading, a line each.
    package var parts: [String] { [effect, cause, action, outlook].compactMap(\.self) }

    package var oneLine: String { parts.joined(separator: " ") }
}

/// Why, and what to do.
struct CauseText {
    var why: String?
    var action: String?

    init(_ why: String?, _ action: String? = nil) {
        self.why = why
        self.action = action
    }
}
