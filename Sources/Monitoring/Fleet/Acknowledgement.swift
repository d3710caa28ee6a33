import Foundation

/// That somebody has taken an incident in hand: nobody is reminded of it any more. Its end is told all the same.
package struct Acknowledgement: Codable, Equatable, Sendable {
    package let by: String
    /// Empty where none was given.
    package let reason: String
    package let at: Date

    package init(by: String, reason: String, at: Date) {
        self.by = by
        self.reason = reason
        self.at = at
    }

    /// One that somebody asks for.
    /// - Throws: `SilenceFault` with a sentence for the person who asked.
    package init(asked by: String, reason: String, at: Date) throws(SilenceFault) {
        let by = by.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !by.isEmpty else { throw SilenceFault("it must be said who has the incident in hand") }
        guard by.count <= 100 else { throw SilenceFault("the name is longer than 100 characters") }
        guard reason.count <= 500 else { throw SilenceFault("the reason is longer than 500 characters") }
        self.init(by: by, reason: reason.trimmingCharacters(in: .whitespacesAndNewlines), at: at)
    }
}
