import Foundation
import TestSupport
import Testing

@testable import Evidence

/// What a text claims by certain words, and the facts under which that is true.
private struct Claim: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Any of them makes the claim.
    let words: [String]
    let holds: @Sendable (Facts) -> Bool

    init(_ words: String..., holds: @escaping @Sendable (Facts) -> Bool) {
        testDescription = words.joined(separator: " / ")
        self.words = words
        self.holds = holds
    }

    func isMade(_ facts: Facts) -> Bool { words.contains { facts.line.contains($0) } }
}

/// One check, what earlier ones saw, and what is said of it.
private struct Facts: Sendable {
    let name: String
    let readings: Readings
    let verdict: Verdict
    let text: DiagnosisText
    let line: String

    init(name: String, readings: Readings, verdict: Verdict) {
        self.name = name
        self.readings = readings
        self.verdict = verdict
        text = verdict.text
        line = text.oneLine
    }

    var hasFile: Bool { readings.originFile != nil }
    /// How many of Apple's answers are a file, and how many are there.
    var copies: (files: Int, all: Int) {
        (readings.copies.count { readings.file(of: $0) != nil }, readings.copies.count)
    }

    func hasError(_ areas: String...) -> Bool {
        verdict.findings.contains { finding in
            finding.severity == .error && areas.contains { finding.rule.rawValue.hasPrefix($0) }
        }
    }
}

private let allClaims: [Claim] = [
    Claim("This machine gets the file", "this machine gets the file", "from here its user agent gets the file") {
        $0.hasFile
    },
    Claim("There is no file at the origin", "The file is missing or not public") { !$0.hasFile },
    Claim("The file is there now", "The origin's file is valid", "where this machine gets 200") { $0.hasFile },
    Claim("Apple's CDN still has the file", "Apple's CDN still serves a copy", "Apple's crawler got the file") {
        $0.copies.files > 0
    },
    Claim("keeps the copy", "Apple's copy lacks", "Apple's copy names", "still serves the old file") {
        $0.copies.files > 0
    },
    Claim("Apple's CDN has no copy", "None of Apple's edges has a copy", "Apple's CDN does not have it") {
        $0.copies.files == 0
    },
    Claim("Apple's CDN serves the same") { $0.verdict.comparison.state == .inSync },
    Claim("the old file", "the old one", "after the change") { $0.verdict.comparison.lagSeconds != nil },
    Claim("Links work") { facts in
        facts.copies.all == 0 || facts.copies.files == facts.copies.all
    },
    Claim("Links open the website, not the app.") { facts in facts.copies.files == 0 || facts.copies.all > 0 },
    Claim("Apple asks again at") {
        $0.copies.files < $0.copies.all || $0.verdict.told.contains { $0.hasPrefix("cdn.") }
    },
    // What is normal, or only takes time, needs nobody.
    Claim("This is normal until", "Nothing needs to be done.") { facts in
        !facts.hasError("origin.", "aasa.", "expect.", "cdn.")
            && !facts.verdict.told.contains { $0.hasPrefix("cdn.crawler-error") }
    },
    Claim("Nothing needs to be done at the site") { !$0.hasError("origin.", "aasa.") },
    Claim("Apple gives no estimate beyond") { ($0.verdict.comparison.lagSeconds ?? 0) >= 86_400 },
    Claim("Apple takes up to 24 h") { ($0.verdict.comparison.lagSeconds ?? 0) < 86_400 },
]

private func verdict(
    _ name: String, _ observation: Observation, _ history: CopyHistory, staleAfter: Duration,
    _ expectations: Expectations = Expectations()
) -> Facts {
    let readings = Readings(observation)
    return Facts(
        name: name, readings: readings,
        verdict: Verdict(
            of: readings, history: history, checks: CheckSettings(staleAfter: staleAfter),
            expectations: expectations, now: .testing))
}

/// Every story and every row of the diagnosis, beside every memory that matters.
private func everything() throws -> [Facts] {
    var memories: [(String, CopyHistory)] = [("no memory", .none)]
    for hours in [2.0, 30] {
        for isKnown in [false, true] {
            var memory = try history(supersededHoursAgo: [hours])
            if isKnown { memory.usual = UsualPropagation([3600, 3600, 7200, 7200, 9000]) }
            memories.append(("changed \(hours) h ago\(isKnown ? ", usual times" : "")", memory))
        }
    }
    var all: [Facts] = []
    for (memory, history) in memories {
        for staleAfter in [Duration.seconds(3600), .seconds(86_400)] {
            for story in Story.all {
                let observation = try Observation.of(
                    story.domain, mode: story.mode, origin: story.origin, cdn: story.cdn,
                    unasked: story.mode == .production ? .originHasNoFile : .mode, scene: story.scene)
                all.append(
                    verdict(
                        "\(story.testDescription), \(memory)", observation, history, staleAfter: staleAfter,
                        story.expectations))
            }
            for row in EvidenceSuite.DiagnosisTests.rows {
                let mode: AssociationMode = row.unasked == .mode ? .developer : .production
                let observation = try Observation.of(mode: mode, origin: row.origin, cdn: row.cdn, unasked: row.unasked)
                all.append(verdict("\(row.testDescription), \(memory)", observation, history, staleAfter: staleAfter))
            }
            // The file changed to the second version; Apple's copy, and each edge, has it or not.
            for (name, story) in changes {
                let observation = try Observation.of(origin: story.origin, cdn: story.cdn, scene: story.scene)
                all.append(verdict("\(name), \(memory)", observation, history, staleAfter: staleAfter))
            }
        }
    }
    return all
}

private let changes: [(String, (origin: Reply, cdn: Reply, scene: Scene))] = {
    let (new, old) = (Reply.file(SampleFile.version(2)), Reply.file(SampleFile.version(1)))
    let both = Scene.calm(new, cdn: old)
    return [
        ("a change on its way", (new, old, both)),
        ("a change at one edge", (new, old, both.edges([old, new]))),
        ("a change that a firewall keeps from Apple", (new, old, both.refusing(Story.challenge))),
        ("a change that other places do not get", (new, old, both.with { $0.vantages = [("abroad", .status(403))] })),
        ("a change to a file with an error", (.file("<html>"), old, .calm(.file("<html>"), cdn: old))),
        ("refused here beside an old copy", (.status(403), old, .calm(.status(403), cdn: old))),
        ("an edge without a copy beside an old one", (new, old, both.edges([old, Story.forbidden]))),
    ]
}()

extension EvidenceSuite {
    /// What is mechanical of "a text does not contradict itself or the facts".
    @Suite("Texts and facts")
    struct ConsistencyTests {
        private static let all = Result { try everything() }

        @Test("a text claims only what was seen, and each claim occurs", arguments: allClaims.indices)
        func claims(_ index: Int) throws {
            let claim = allClaims[index]
            let made = try Self.all.get().filter(claim.isMade)
            #expect(!made.isEmpty, "no text claims: \(claim.testDescription)")
            for facts in made where !claim.holds(facts) {
                Issue.record("\(claim.testDescription): \(facts.name): \(facts.line) \(facts.verdict.told)")
            }
        }

        @Test("parts say nothing twice, and count Apple's edges alike")
        func parts() throws {
            for facts in try Self.all.get() {
                let text = facts.line
                let sentences = text.split(separator: ". ").map { $0.trimmingCharacters(in: ["."]) }
                #expect(Set(sentences).count == sentences.count, "\(facts.name): \(text)")
                let shares = text.matches(of: /([0-9]+) of (?:Apple's )?([0-9]+) edges/).compactMap { match in
                    Int(match.1).flatMap { part in Int(match.2).map { (part, $0) } }
                }
                #expect(shares.allSatisfy { $0 <= $1 }, "\(facts.name): \(text)")
                #expect(Set(shares.map(\.1)).count <= 1, "\(facts.name): \(text)")
            }
        }

        @Test("the advice of an error is no rest, and waiting is no advice beside an error of the site")
        func advice() throws {
            for facts in try Self.all.get() {
                for finding in facts.verdict.findings where finding.severity == .error {
                    let fix = finding.text.fix
                    #expect(!fix.hasPrefix("nothing needs"), "\(facts.name): \(finding.rule): \(fix)")
                }
                #expect(facts.text.action?.contains("finding: nothing") != true, "\(facts.name): \(facts.line)")
                guard facts.hasError("origin.", "aasa."), let action = facts.text.action else { continue }
                #expect(action != "Wait. Nothing needs to be done.", "\(facts.name): \(facts.line)")
            }
        }

        @Test(
            "no check says what only the monitor's own trouble says, and no `it` lacks its noun",
            arguments: ["Phones are not affected", "it works again", "it fails.", "It is over."])
        func unsaid(_ words: String) throws {
            for facts in try Self.all.get() {
                #expect(!facts.line.lowercased().contains(words.lowercased()), "\(facts.line)")
            }
        }
    }
}
