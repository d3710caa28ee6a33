import Evidence
import Foundation
import TestSupport
import TestTraits
import Testing

/// The root suite of this target.
@Suite("Evidence", .timeLimit(.minutes(120)), .computing)
struct EvidenceSuite {}

/// The verdict on one check of example.com.
func verdict(
    origin: Reply, cdn: Reply?, unasked: CDNResult.Reason = .originHasNoFile, mode: AssociationMode = .production,
    history: CopyHistory = .none, now: Date = .testing
) throws -> Verdict {
    Verdict(
        of: Readings(try Observation.of(at: now, mode: mode, origin: origin, cdn: cdn, unasked: unasked)),
        history: history, now: now)
}

/// The verdict on one full check.
func verdict(
    _ name: String = "example.com", origin: Reply, cdn: Reply?, unasked: CDNResult.Reason = .originHasNoFile,
    mode: AssociationMode = .production, scene: Scene, history: CopyHistory = .none,
    expectations: Expectations = Expectations(), now: Date = .testing
) throws -> Verdict {
    Verdict(
        of: Readings(
            try Observation.of(name, at: now, mode: mode, origin: origin, cdn: cdn, unasked: unasked, scene: scene)),
        history: history,
        expectations: expectations, now: now)
}

extension Finding {
    var message: String { text.message }
    var fix: String { text.fix }
    var reference: String { text.reference }
}

extension Verdict {
    /// `rule severity`, worst first.
    var told: [String] { findings.map { "\($0.rule) \($0.severity.rawValue)" } }
}

/// Versions 1 to n of the sample file, each superseded by the next this many hours ago. The last is current.
func history(supersededHoursAgo hours: [Double]) throws -> CopyHistory {
    var periods: [OriginPeriod] = []
    var begin = Date.testing - 1000 * 86400
    for (index, ago) in (hours + [0]).enumerated() {
        let reading = ContentReading(Data(SampleFile.version(index + 1).utf8))
        let end = Date.testing - ago * 3600
        let isPresent = index == hours.count
        periods.append(
            OriginPeriod(
                meaning: try #require(reading.meaning), content: reading.hash, firstSeen: begin,
                lastSeen: isPresent ? .testing : end - 300, supersededAt: isPresent ? nil : end))
        begin = end
    }
    return CopyHistory(periods: periods)
}
