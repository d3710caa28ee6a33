import Foundation
import TestSupport
import Testing

@testable import Evidence

extension EvidenceSuite {
    @Suite("Stories")
    struct StoryTests {
        @Test("each story gives its findings, and the sentence that helps", arguments: Story.all)
        func story(_ story: Story) throws {
            let observation = try Observation.of(
                story.domain, mode: story.mode, origin: story.origin, cdn: story.cdn,
                unasked: story.mode == .production ? .originHasNoFile : .mode, scene: story.scene)
            let readings = Readings(observation)
            let verdict = Verdict(
                of: readings, history: .none, staleAfter: .seconds(86400),
                certificateWarning: .seconds(14 * 86400), expectations: story.expectations, now: .testing)
            #expect(verdict.told.filter { !$0.hasSuffix(" note") } == story.findings)
            let context = DiagnosisContext(
                check: CheckContext(
                    readings: readings, comparison: verdict.comparison, certificateWarning: .seconds(14 * 86400),
                    expectations: story.expectations, now: .testing), findings: verdict.findings)
            #expect(Diagnosis.rows.first { $0.sentence(context) != nil }?.name == story.row)
            for words in story.words {
                #expect(verdict.diagnosis.contains(words), "no '\(words)' in: \(verdict.diagnosis)")
            }
            for words in story.unsaid {
                #expect(!verdict.diagnosis.contains(words), "'\(words)' in: \(verdict.diagnosis)")
            }
            #expect(!verdict.diagnosis.hasSuffix("."))
            // More than this nobody reads on a telephone.
            #expect(verdict.diagnosis.count <= 420, "\(verdict.diagnosis.count): \(verdict.diagnosis)")
        }
    }
}
