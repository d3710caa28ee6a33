import Facts
import Foundation
import TestSupport
import Testing

@testable import Evidence

extension EvidenceSuite {
    @Suite("Diagnosis")
    struct DiagnosisTests {
        struct Row: Sendable, CustomTestStringConvertible {
            /// What the first row that fits must say.
            let cause: Cause
            let origin: Reply
            let cdn: Reply?
            var unasked = CDNResult.Reason.originHasNoFile
            let effect: Effect.Links
            var outlook: Outlook?
            /// What earlier checks saw: the origin's change from the first version to the second, so many hours ago.
            var changedHoursAgo: Double?

            var testDescription: String { "\(cause.id.rawValue): \(effect)" }
        }

        static let good = Reply.file(SampleFile.version(1))
        static let other = Reply.file(SampleFile.version(2))
        static let page = Reply.file("<html>")

        private static func links(_ components: String) -> String {
            #"{"applinks": {"details": [{"appIDs": ["ABCDE12345.com.example.app"], "components": [\#(components)]}]}}"#
        }

        static func modified(_ date: String) -> Reply { good.with { $0.headers["Last-Modified"] = date } }

        private static func word(_ code: String, _ reason: String) -> AppleWord {
            AppleWord(code: code, reason: reason)
        }

        private static func crawler(
            _ cause: CrawlerCause, _ reply: Reply, minutes: Double = 60
        ) -> Row {
            Row(
                cause: .crawler(cause), origin: good, cdn: reply, effect: .openWebsite(at: nil),
                outlook: .asksAgain(.testing + minutes * 60))
        }

        private static let refused = Reply.crawler("SWCERR00101 Bad HTTP Response: 403 Forbidden")
        private static let works = Effect.Links.work(seen: nil)
        private static let nothing = Effect.Links.openWebsite(at: nil)

        private static func absent(_ status: Int) -> Cause {
            Cause(.origin(.status(StatusAnswer(fault: .status(status), status: status))))
        }

        static let rows: [Row] = [
            crawler(.refused(status: 403), refused),
            crawler(
                .stillAbsent(status: 404), .crawler("SWCERR00101 Bad HTTP Response: 404 Not Found", maxAge: 1800),
                minutes: 30),
            crawler(
                .wasAbsent(status: 404),
                .crawler("SWCERR00101 Bad HTTP Response: 404 Not Found", maxAge: 1800).with {
                    $0.headers["Age"] = "600"
                },
                minutes: 20),
            crawler(
                .otherStatus(word("SWCERR00101", "Bad HTTP Response: 418 No")),
                .crawler("SWCERR00101 Bad HTTP Response: 418 No")),
            Row(
                cause: .origin(.privateForApple(seen: [], of: 0)), origin: good,
                cdn: .crawler("SWCERR00202 Connections to private"), effect: nothing,
                outlook: .asksAgain(.testing + 3600)),
            Row(
                cause: .origin(.privateForApple(seen: [], of: 0)), origin: .failed(.timedOut),
                cdn: .crawler("SWCERR00202 Connections to private"), effect: nothing,
                outlook: .asksAgain(.testing + 3600)),
            crawler(
                .noAnswer(words: "deadline"), .crawler("SWCERR00301 Timeout", details: #"{"cause":"deadline"}"#)),
            crawler(.content, .crawler("SWCERR00401 Bad JSON content")),
            crawler(.unknown(word("SWCERR00777", "Odd")), .crawler("SWCERR00777 Odd")),
            Row(
                cause: Cause(.monitor(.ownFault(detail: "curl's words"))), origin: .failed(.own), cdn: nil,
                effect: .unknown(.cdnNotAsked)),
            Row(
                cause: Cause(.monitor(.nameServerFailed(host: "example.com", answer: "curl's words"))),
                origin: .failed(.nameServerFailure, .resolving), cdn: nil,
                effect: .unknown(.cdnNotAsked)),
            Row(
                cause: Cause(.origin(.fault(.nameNotFound(alias: nil), at: "example.com"))),
                origin: .failed(.nameNotFound, .resolving), cdn: .status(404),
                effect: nothing, outlook: .withinDay),
            Row(
                cause: absent(404), origin: .status(404), cdn: nil,
                effect: .unknown(.cdnNotAsked)),
            Row(
                cause: absent(404), origin: .status(404), cdn: nil, unasked: .mode,
                effect: nothing, outlook: .atInstall(.developer)),
            Row(
                cause: absent(410), origin: .status(410), cdn: .status(404), effect: nothing,
                outlook: .withinDay),
            Row(
                cause: absent(404), origin: .status(404), cdn: good, effect: works,
                outlook: .copyMayEnd),
            Row(
                cause: .origin(.pageInsteadOfFile(title: nil)), origin: page, cdn: good,
                effect: works, outlook: .copyMayEnd),
            Row(
                cause: Cause(.origin(.status(StatusAnswer(fault: .status(500), status: 500)))), origin: .status(500),
                cdn: good,
                effect: works, outlook: .copyMayEnd),
            Row(
                cause: .access(.turnedAwayHere(.status(403), copy: CopyWitness(fetchedAt: nil))), origin: .status(403),
                cdn: good,
                effect: works),
            Row(
                cause: Cause(.cdn(.missing(status: 404, at: nil))), origin: good, cdn: .status(404), effect: nothing,
                outlook: .withinDay),
            Row(
                cause: Cause(.cdn(.stale(OriginChange(at: .testing - 48 * 3600, after: .testing - 48 * 3600 - 300)))),
                origin: other, cdn: good,
                effect: .followOtherFile(by: .changed, at: nil, website: ["/v2"], app: website),
                outlook: .beyondPromise,
                changedHoursAgo: 48),
            Row(
                cause: Cause(.cdn(.propagating(OriginChange(at: .testing - 2 * 3600)))),
                origin: modified("Sat, 21 Nov 2026 05:00:00 GMT"),
                cdn: other, effect: old, outlook: .normalUntil(.testing + 22 * 3600)),
            Row(cause: Cause(.cdn(.badCopy(at: nil))), origin: good, cdn: page, effect: nothing, outlook: .withinDay),
            Row(
                cause: Cause(.cdn(.divergent())), origin: good, cdn: other,
                effect: .followOtherFile(by: nil, at: nil, website: website, app: ["/v2"]), outlook: .withinDay),
            Row(
                cause: Cause(.cdn(.withoutEffect)),
                origin: .file(links(#"{"/": "/a/?*"}, {"/": "/a/"}"#)),
                cdn: .file(links(#"{"/": "/a/*"}"#)), effect: works),
            Row(
                cause: Cause(.cdn(.unreachable(.failed(.timedOut, .connecting), besideFile: true))), origin: good,
                cdn: .failed(.timedOut),
                effect: .unknown(.cdnNotReached)),
            Row(
                cause: Cause(.origin(.redirectSameSite("https://www.example.com/", cdnFollowed: false))),
                origin: good.redirected(to: "https://www.example.com/"), cdn: good, effect: works),
            Row(
                cause: Cause(.origin(.fault(.slow(milliseconds: 3000)))), origin: good.with { $0.firstByte = 3000 },
                cdn: good,
                effect: works),
            Row(cause: .copy(.inSync), origin: good, cdn: good, effect: works, outlook: .phonesWithinWeek),
            Row(
                cause: .copy(.otherMode(.developer)), origin: good, cdn: nil, unasked: .mode, effect: works,
                outlook: .atInstall(.developer)),
        ]

        private static let website = ["/v1"]
        private static let old = Effect.Links.followOtherFile(by: .changed, at: nil, website: website, app: ["/v2"])

        @Test(
            "what is normal ends at stale_after, and where that is passed an alert does not say that nothing is to be done",
            arguments: [
                (6, 5, .normalUntil(.testing + 3600), .ok), (6, 8, .pastLimit(21_600), .failing),
                (24, 8, .normalUntil(.testing + 16 * 3600), .ok), (48, 8, .normalUntil(.testing + 16 * 3600), .ok),
                (48, 30, .beyondPromise, .ok), (6, 30, .beyondPromise, .failing),
            ] as [(Int, Int, Outlook, Verdict.Level)])
        func limit(_ staleAfter: Int, _ lag: Int, _ outlook: Outlook, _ level: Verdict.Level) throws {
            let (new, old) = (Reply.file(SampleFile.version(2)), Reply.file(SampleFile.version(1)))
            for edges in [[old, old], [old, new]] {
                let scene = Scene.calm(new, cdn: old).edges(edges)
                let verdict = Verdict(
                    of: Readings(try Observation.of(origin: new, cdn: nil, scene: scene)),
                    history: try history(supersededHoursAgo: [Double(lag)]),
                    checks: CheckSettings(staleAfter: .seconds(staleAfter * 3600)), now: .testing)
                #expect(
                    verdict.diagnosis.outlook == outlook && verdict.level == level, "\(edges.count) \(verdict.told)")
                let text = verdict.text(at: .testing)
                #expect(level == .ok || text.action?.contains("Nothing needs to be done") == false)
            }
        }

        @Test("the most specific row decides; what phones do and until when follow from the facts", arguments: rows)
        func diagnosis(_ row: Row) throws {
            let mode: AssociationMode = row.unasked == .mode ? .developer : .production
            let observation = try Observation.of(mode: mode, origin: row.origin, cdn: row.cdn, unasked: row.unasked)
            let verdict = Verdict(
                of: Readings(observation),
                history: try row.changedHoursAgo.map { try history(supersededHoursAgo: [$0]) } ?? .none, now: .testing)
            var diagnosis = verdict.diagnosis
            diagnosis.word = nil
            diagnosis.isFetchAtRisk = nil
            #expect(
                diagnosis
                    == Diagnosis(effect: Effect(row.effect, phones: mode), cause: row.cause, outlook: row.outlook))
        }

        @Test(
            "links that work now are not called well where something ends them",
            arguments: [
                (good, good, "Links work."),
                (.status(404), good, "Links work now, but can break when Apple fetches the file again."),
                (.status(404), .status(404), "Links open the website, not the app."),
                // Apple's crawler gets the file, as its copy shows.
                (.status(403), good, "Links work."),
            ] as [(Reply, Reply, String)])
        func risk(_ origin: Reply, _ cdn: Reply, _ effect: String) throws {
            let observation = try Observation.of(origin: origin, cdn: cdn)
            let verdict = Verdict(of: Readings(observation), history: .none, now: .testing)
            #expect(verdict.text.effect == effect)
        }

        @Test("a certificate that expires ends links that work, and no phone waits a week for its renewal")
        func expiring() {
            let cause = Cause(.origin(.certificateExpiring(.testing + 3 * 86_400)))
            let text = Diagnosis(effect: Effect(.work(seen: nil)), cause: cause).text(at: .testing)
            #expect(text.effect == "Links work now, but can break once the certificate expires.")
            #expect(text.outlook == nil)
            let some = Diagnosis(effect: Effect(.work(seen: EdgeShare(edges: 3, asked: 4))), cause: cause)
            #expect(
                some.text(at: .testing).effect
                    == "Links work on the 3 of Apple's 4 edges that answered, but can break once the certificate expires."
            )
        }

        @Test("every cause of a check is reached by a test here or by a story")
        func covered() {
            let reached = Set(Self.rows.map(\.cause.id) + Story.all.map(\.id) + ControlTests.reached)
            // What several checks show, what only the monitor itself has, and what a row beyond the table stands for.
            let others: Set<DiagnosisID> = [
                .originAlternates, .networkSuspect, .networkLost, .manyFailing, .blind, .cdnWide, .scheduleBehind,
                .configReloadFailed, .deliveryFailing, .storeFailing, .notMonitored, .testMessage, .over, .factsMissing,
                .originFine, .certificateExpiring, .fileWarning,
            ]
            #expect(
                reached.union(others) == Set(DiagnosisID.allCases),
                "\(Set(DiagnosisID.allCases).subtracting(reached.union(others)))")
            #expect(reached.isDisjoint(with: others))
        }

        @Test("where nothing was found, the diagnosis is that all is well, whatever headers came along")
        func diagnosisAndFindings() throws {
            let healthy: Set<DiagnosisID> = [.inSync, .inSyncInternational, .otherMode, .originFine]
            let reasons = Story.all.compactMap { $0.cdn?.headers["Apple-Failure-Reason"] }
            // Every answer of every story as it is, and every copy with every word of Apple's crawler beside it.
            let copies = Story.all.compactMap(\.cdn) + Self.rows.compactMap(\.cdn)
            let talking = [Self.good, Self.other].flatMap { copy in
                Set(reasons).sorted().map { reason in copy.with { $0.headers["Apple-Failure-Reason"] = reason } }
            }
            let pairs =
                (copies + talking).map { (Self.good, $0) }
                + Story.all.flatMap { story in ([Self.good] + talking.prefix(2)).map { (story.origin, $0) } }
            var silent = 0
            for (origin, cdn) in pairs {
                for scene in [Scene.calm(origin, cdn: cdn), Scene.calm(origin, cdn: cdn).edges([Self.good, cdn])] {
                    let readings = Readings(try Observation.of(origin: origin, cdn: cdn, scene: scene))
                    let verdict = Verdict(
                        of: readings, history: .none, now: .testing)
                    guard verdict.findings.isEmpty else { continue }
                    silent += 1
                    #expect(healthy.contains(verdict.diagnosis.id), "\(verdict.text.oneLine)")
                }
            }
            #expect(silent > 0)
        }

        @Test("Apple's word is quoted in every cause, before anything that is seen from here", arguments: Story.all)
        func appleWord(_ story: Story) throws {
            guard let reason = story.cdn?.headers["Apple-Failure-Reason"], story.cdn?.status != 200 else { return }
            let words = reason.split(separator: " ", maxSplits: 1).last.map(String.init) ?? reason
            for origin in [
                Self.good, Self.page, .status(404), .status(500), .failed(.timedOut), .certificate(.expired),
            ] {
                let text = try verdict(origin: origin, cdn: story.cdn, scene: .calm(origin, cdn: story.cdn)).text
                #expect(text.cause?.contains(words.prefix(100)) == true, "\(text.oneLine)")
            }
        }

        @Test(
            "another code of the same hundred is not taken for what the usual one means",
            arguments: [
                ("SWCERR00201 Invalid hostname", "private"), ("SWCERR00402 Content too large", "JSON"),
            ])
        func unknownCodes(_ reason: String, _ unsaid: String) throws {
            let cdn = Reply.crawler(reason)
            let text = try verdict(origin: Self.good, cdn: cdn, scene: .calm(Self.good, cdn: cdn)).text.oneLine
            #expect(text.contains(reason.split(separator: " ", maxSplits: 1).last.map(String.init) ?? ""))
            #expect(!text.contains(unsaid), "\(text)")
        }

        @Test(
            "a copy is old for no fault that both files have, and a new fault may be the reason",
            arguments: [true, false])
        func faultOfBoth(_ isNew: Bool) throws {
            func file(_ path: String, isFaulty: Bool) -> Reply {
                let app = isFaulty ? "noapp" : "ABCDE12345.com.example.app"
                return .file(#"{"applinks":{"details":[{"appIDs":["\#(app)"],"components":[{"/":"\#(path)"}]}]}}"#)
            }
            let (old, new) = (file("/a", isFaulty: !isNew), file("/b", isFaulty: true))
            let readings = [old, new].map { ContentReading($0.body) }
            let change = Date.testing - 48 * 3600
            var periods: [OriginPeriod] = []
            for (index, reading) in readings.enumerated() {
                periods.append(
                    OriginPeriod(
                        meaning: try #require(reading.meaning), content: reading.hash,
                        firstSeen: index == 0 ? .testing - 100 * 3600 : change,
                        lastSeen: index == 0 ? change - 300 : .testing, supersededAt: index == 0 ? change : nil))
            }
            let verdict = Verdict(
                of: Readings(try Observation.of(origin: new, cdn: old)), history: CopyHistory(periods: periods),
                now: .testing)
            #expect(verdict.told.contains("aasa.app-id-format error") && verdict.comparison.state == .stale)
            #expect((verdict.diagnosis.id == .fileFault) == isNew, "\(verdict.text.oneLine)")
        }

        @Test("Apple's word about a file that is broken here too does not hide what this machine sees")
        func brokenHere() throws {
            let verdict = try verdict(
                origin: Self.page, cdn: .crawler("SWCERR00101 Bad HTTP Response: 403 Forbidden"))
            #expect(verdict.diagnosis.cause == .origin(.pageInsteadOfFile(title: nil)))
        }
    }
}

extension Domain {
    static var sample: Domain {
        guard let domain = try? Domain("example.com") else { preconditionFailure("example.com is a domain") }
        return domain
    }
}
