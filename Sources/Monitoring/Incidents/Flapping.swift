// Trouble that comes and goes many times an hour is one piece of news, not many.

import Foundation

enum Flapping {
    /// So many turns within an hour are told as flapping.
    static let limit = 5
    /// Fewer than this within an hour is calm.
    static let calm = 2
    static let window: TimeInterval = 3600
}

extension DomainState {
    mutating func noteTurn(of kind: IncidentKind, at now: Date) {
        forgetTurns(of: kind, at: now)
        turns[kind] = ((turns[kind] ?? []) + [now]).suffix(Flapping.limit)
    }

    /// Turns that lie ahead were dated by a clock that has since been set back; they count for nothing.
    mutating func forgetTurns(of kind: IncidentKind, at now: Date) {
        let recent = (turns[kind] ?? []).filter { (0..<Flapping.window).contains(now.timeIntervalSince($0)) }
        turns[kind] = recent.isEmpty ? nil : recent
    }

    func isFlapping(_ kind: IncidentKind) -> Bool { (turns[kind]?.count ?? 0) >= Flapping.limit }
    func isCalm(_ kind: IncidentKind) -> Bool { (turns[kind]?.count ?? 0) < Flapping.calm }
}
