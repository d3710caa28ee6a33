import Foundation
import TestSupport
import Testing

@testable import Evidence

extension EvidenceSuite {
    @Suite("Stories")
    struct StoryTests {
        @Test("each story gives its findings and a helpful text", arguments: Story.all)
        func story(_ story: Story) throws {
            let observation = try Observation.of(
                story.domain, mode: story.mode, origin: story.origin, cdn: story.cdn,
                unasked: story.mode == .production ? .originHasNoFile : .mode, scene: story.scene)
            let readings = Readings(observation)
            let verdict = Verdict(
                of: readings, history: .none, expectations: story.expectations, now: .testing)
            #expect(verdict.told.filter { !$0.hasSuffix(" note") } == story.findings)
            #expect(verdict.diagnosis.id == story.id)
            let text = verdict.text
            if let effect = story.effect { #expect(text.effect == effect) }
            for words in story.words {
                #expect(
                    verdict.text.oneLine.lowercased().contains(words.lowercased()),
                    "no '\(words)' in: \(verdict.text.oneLine)")
            }
            for words in story.unsaid {
                #expect(
                    !verdict.text.oneLine.contains(words),
                    "'\(words)' in: \(verdict.text.oneLine)")
            }
            for part in text.parts { #expect(part.hasSuffix("."), "\(part)") }
            // Nobody reads more than this on a phone.
            #expect(text.oneLine.count <= 600, "\(text.oneLine.count): \(text.oneLine)")
        }
    }
}
