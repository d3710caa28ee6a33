// The head of a domain's page in each state: the effect, the steps, the time line.

import Evidence
import Foundation
import Stage
import Storage
import Synchronization
import TestSupport
import Testing

extension GoldenTests {
    /// `steps`: the number of instructions; a single one is not numbered. `line`: the titles in the time line.
    static let heads: [(state: String, effect: String, steps: Int, hasReport: Bool, line: [String])] = [
        ("healthy", "Links work", 0, false, []),
        (
            "propagating", "Phones follow the old file", 2, false,
            ["v2 deployed", "Now: 2 h", "Limit of 24 h", "No estimate: no earlier change"]
        ),
        (
            "stale", "Phones follow the old file", 3, true,
            ["v2 deployed", "Limit of 24 h", "Now: 31 h", "No estimate: no earlier change"]
        ),
        (
            "mixed", "Phones follow the old file on 2 of Apple's 3 edges", 3, true,
            ["v2 deployed", "Limit of 24 h", "Now: 31 h", "No estimate: no earlier change"]
        ),
        ("divergent", "Phones follow another file than the origin's", 2, false, ["Wrong since", "Now: 30 h"]),
        ("missing", "Links open the website, not the app", 1, false, ["Wrong since", "Now: 3 h", "Apple asks again"]),
        (
            "broken", "Links work now, and can break when Apple asks for the file again", 3, false,
            ["Wrong since", "Now: 3 h"]
        ),
        (
            "unreachable", "Links work now, and can break when Apple asks for the file again", 2, false,
            ["Wrong since", "Now: 3 h"]
        ),
        (
            "expiring", "Links work now, and can break once the certificate expires", 1, false,
            ["Wrong since", "Now: 60 h", "Certificate ends"]
        ),
        ("developer-mode", "Links work on phones in that mode", 0, false, []),
        // An ignored finding is not a problem, but is still true.
        (
            "ignored", "Links work now, and can break once the certificate expires", 1, false,
            ["Wrong since", "Now: 60 h", "Certificate ends"]
        ),
        ("dead-daemon", "Links work", 0, false, []),
    ]

    @Test("a domain's page begins with the effect, the steps and the time line of its state", arguments: heads.indices)
    func head(_ place: Int) async throws {
        let expected = Self.heads[place]
        let scratch = try ScratchStore(StageTime())
        let sites = StageScenes.named(expected.state, now: StageTime.instant)
        let watched = try await StageScenes.play(sites, expected.state, into: scratch.store, now: StageTime.instant)
        let page = Mutex("")
        try await serve(scratch.store, watched) { port in
            let answer = try await ask(port, "/domains/\(StageState.domain)")
            page.withLock { $0 = answer.body }
        }
        let text = page.withLock(\.self)
        func words(_ html: some StringProtocol) -> String {
            String(html).replacing(/<[^>]+>/, with: "").replacing("&#39;", with: "'")
        }
        let effect = text.firstMatch(of: /<h2 class="effect">(.*?)<\/h2>/).map { words($0.1) }
        #expect(effect == expected.effect)
        let list = text.firstMatch(of: /<div class="steps">([\s\S]*?)<\/div>\n/).map { String($0.1) } ?? ""
        let steps = list.matches(of: /<li>/).count
        #expect((list.contains("Nothing needs to be done.") ? 0 : max(1, steps)) == expected.steps, "\(list)")
        #expect(text.contains(#"data-copies="report-text""#) == expected.hasReport)
        let line = text.firstMatch(of: /<ol class="time-line"[^>]*>([\s\S]*?)<\/ol>/).map { String($0.1) } ?? ""
        #expect(line.matches(of: /<(?:b|span class="soft")>(.*?)<\//).map { String($0.1) } == expected.line)
    }
}
