import Evidence
import Foundation
import TestSupport
import Testing

/// The root of this target's tests.
@Suite("Evidence", .timeLimit(.minutes(5)))
struct EvidenceSuite {}

/// The judgement over one check of example.com.
func verdict(
    origin: Reply, cdn: Reply?, unasked: CDNLook.Reason = .originHasNoFile, mode: AssociationMode = .production,
    history: CopyHistory = .none, now: Date = .testing
) throws -> Verdict {
    Verdict(
        of: Readings(try Observation.of(at: now, mode: mode, origin: origin, cdn: cdn, unasked: unasked)),
        history: history, staleAfter: .seconds(24 * 3600), certificateWarning: .seconds(14 * 24 * 3600), now: now)
}
