import Facts
import Foundation
import TestSupport
import Testing

@testable import Evidence

/// One cause of each kind. That none is missing is checked by its identifiers; that each has words, by the compiler.
private let samples: [Cause] = {
    let word = AppleWord(code: "SWCERR00301", reason: "Timeout")
    let dead = [ServedAt(["a"], .failed(.timedOut, .connecting))]
    let answers = AddressAnswers(good: 1, asked: 2, groups: [ServedAt(["a"], .status(404))])
    let reasons = [AbsenceReason(count: 2, word: word, trouble: .silence)]
    let origin: [OriginCause] = [
        .privateForApple(seen: ["a"], of: 1), .privateForApple(seen: ["a"], of: 2), .privateHere(["a"], of: 1),
        .privateHere(["a", "b"], of: 3),
        .addressesFailVariously(answers, repairs: [.deadAddress, .ipv6, .fault(.origin(.fault(.tlsVersion)))]),
        .redirectToNothing(hop: 301, target: "a", status: 404, addsSlash: true),
        .otherJSON(String(repeating: "a", count: 70)), .hostSleeps, .hostDown,
    ]
    let crawler: [CrawlerCause] = [
        .various(reasons), .refusedByAddress(status: 403), .refused(status: 403), .remembersAbsence(status: 404),
        .stillAbsent(status: 404),
        .redirected(word, target: nil), .redirected(word, target: "a"), .metOutage(word), .rateLimited(word),
        .otherStatus(word), .noAnswerIPv6(dead), .noAnswerAddress(dead, of: 2), .noAnswerSlow(milliseconds: 21_000),
        .noAnswerFirewall(words: "a"), .noAnswer(words: ""), .content, .unknown(word),
        .wasAbsent(status: 404), .refusedContent(word), .noAnswerUnseen(family: 6, ["a"], words: "b"),
        .metOtherAddress(.refusal, here: ["a"]),
    ]
    let copy: [CopyCause] = [
        .edgesWithoutCopy(1, of: 4, reasons), .edgesCatchingUp(2, of: 3, since: OriginChange(at: .testing - 7200)),
        .lacksService("webcredentials", app: nil, since: OriginChange(at: .testing - 7200)),
        .lacksService("appclips", app: "a", since: nil),
        .hasOtherApp(old: "a", new: "b", since: OriginChange(at: .testing - 200_000)),
        .inSyncInternational, .inSync, .otherMode(.developer),
        .originFine,
    ]
    let access: [AccessCause] = [
        .challengedHere(
            BotProtection(.cloudflare, .challenge, sign: "a: b"), status: 403, passes: .crawler, elsewhere: nil),
        .challengedHere(BotProtection(.akamai, .refusal, sign: "a: b"), status: 403, passes: nil, elsewhere: "a"),
        .challengedHere(
            BotProtection(.akamai, .refusal, sign: "a: b"), status: 403, passes: nil, elsewhere: nil,
            copy: CopyWitness(fetchedAt: .testing - 300)),
        .refusedHereOnly(.crawler, here: .status(403)), .elsewhereFine("a", here: .status(403)),
        .turnedAwayHere(.status(403), copy: CopyWitness(fetchedAt: .testing - 300)),
        .turnedAwayHere(.status(429), copy: CopyWitness(fetchedAt: nil)),
        .turnedAwayForLong(
            .status(403), since: .testing - 100_000, copy: CopyWitness(fetchedAt: .testing - 300)),
        .turnedAwayForLong(.status(403), since: .testing, copy: CopyWitness(fetchedAt: nil)),
    ]
    let leads =
        problems.map { Cause($0) } + [
            Cause(
                .origin(.fault(.tlsVersion)), at: .addresses(["a"], of: 2, othersAnswer: true),
                as: .certificateAtAddress),
            Cause(.origin(.fault(.tlsVersion)), at: .behindRedirect(to: "a"), as: .originFault),
            Cause(.origin(.crawlerRefused(refusals)), as: .crawlerRefusedByAgent),
            Cause(.file(.lint(lint(.warning))), as: .byteOrderMark), Cause(.file(.lint(lint(.warning)))),
        ]
    let pages = [nil, String(repeating: "a", count: 60)].map { title in
        OriginCause.pageInsteadOfFile(title: title)
    }
    return leads + (origin + pages).map(Cause.origin) + access.map(Cause.access) + crawler.map(Cause.crawler)
        + CrawlerFailure.Cause.allCases.map { .crawler(.connection($0, words: "x509")) } + copy.map(Cause.copy)
        + [Remark.notMonitored, .testMessage, .over, .factsMissing].map(Cause.remark)
}()

private let plainFaults: [OriginFault] =
    [
        .nameNotFound(alias: nil), .nameNotFound(alias: "a"), .nameWithoutAddress(alias: nil), .noAddress(family: 4),
        .noAddress(family: 6), .refusesConnections, .noRoute,
        .noConnection(family: 4),
        .noRouteOfProxy,
        .timedOut(.resolving), .timedOut(.connecting), .timedOut(.handshaking), .timedOut(.waiting),
        .timedOut(.receiving), .connectionReset(inHeaders: true), .connectionReset(inHeaders: false), .headersCut,
        .headersTooLarge, .noHTTP, .privateAddress, .certificateExpired(.testing, intermediate: nil, alsoFor: nil),
        .certificateExpired(.testing, intermediate: "a", alsoFor: nil),
        .certificateExpired(.testing, intermediate: nil, alsoFor: TruncatedList(["a"])),
        .certificateNotYetValid(.testing, isIntermediate: true, alsoFor: nil),
        .certificateNotYetValid(.testing, isIntermediate: false, alsoFor: TruncatedList(["a", "b", "c", "d"])),
        .certificateName(TruncatedList(["a"])), .certificateName(TruncatedList([])), .certificateWithoutNames,
        .unknownHost("TRAEFIK DEFAULT CERT"),
        .certificateChain(missing: "a", isPart: true), .tlsVersion,
        .undecodable, .unaskedEncoding("br"), .bodySlow(bytes: 5),
        .bodyCut(bytes: 5, promised: 9, isReset: false), .bodyCut(bytes: 5, promised: nil, isReset: true),
        .bodyCutInCompression(bytes: 5), .tooLarge(bytes: 200_000, isCapped: true),
        .slow(milliseconds: 3000), .slow(milliseconds: 6000),
    ]

let faults: [OriginFault] = {
    let handshakes: [HandshakeFault] = [
        .plainText, .unknownName, .clientCertificate, .noCommonCipher, .alert("a"), .closed, .other,
    ]
    var faults = plainFaults + handshakes.map(OriginFault.handshake) + redirects.map(OriginFault.redirect)
    faults += CertificateProblem.allCases.map { .certificateUntrusted($0, issuer: "a") }
    faults += [401, 403, 404, 418, 429, 500].map(OriginFault.status)
    faults += [429, 503].map { .busy(status: $0, pause: 120) }
    return faults + (520...530).map { .behindCloudflare(status: $0) }
}()

let redirects: [RedirectFault] = [
    .insecure("a"), .byInsecure("a"), .circle, .tooMany(hops: 10), .nowhere(status: 301),
    .unreadable(status: 301, location: "a"), .privateAddress("a"), .login("a"), .otherSite("a"),
    .toPage("a", title: nil), .toPage("a", title: "b"),
]

extension EvidenceSuite {
    @Suite("Catalogue")
    struct CatalogueTests {
        @Test("there is a sample of every cause")
        func complete() {
            let seen = Set(samples.map(\.id))
            #expect(seen == Set(DiagnosisID.allCases), "\(Set(DiagnosisID.allCases).symmetricDifference(seen))")
        }

        @Test("each part is short and ends with a full stop; what to do begins with a verb", arguments: samples)
        func parts(_ cause: Cause) throws {
            let text = cause.declaration.words(.testing)
            for part in [text.why, text.advice].compactMap(\.self) {
                #expect(part.hasSuffix(".") && !part.hasSuffix("..") && !part.contains("  "), "\(part)")
                #expect(isSentence(part), "\(part)")
                #expect(part.count <= 230, "\(part.count): \(part)")
            }
            #expect(text.why != nil)
            guard let action = text.action else { return }
            #expect(Self.verbs.contains(String(action.prefix { $0.isLetter })), "\(action)")
        }

        static let verbs: Set<String> = [
            "Add", "Allow", "Answer", "Ask", "Check", "Close", "Compare", "Correct", "Deploy", "Enable",
            "End", "Restart", "Name", "Exempt",
            "Find", "Fix", "Free", "Give", "Install", "Let", "Log", "Look", "Make", "Nothing", "Open", "Point",
            "Publish",
            "Put", "Raise",
            "Renew",
            "Repair", "Remove", "Report", "Run", "See", "Send", "Serve", "Set", "Switch", "Take", "Upload", "Use",
            "Wait",
        ]

        @Test("docs/reference/rules.md names every identifier")
        func documented() throws {
            let url = URL(filePath: #filePath).appending(path: "../../../docs/reference/rules.md").standardized
            let text = try String(contentsOf: url, encoding: .utf8)
            let part = try #require(text.range(of: "## Diagnoses")).lowerBound
            for id in DiagnosisID.allCases { #expect(text[part...].contains("`\(id.rawValue)`"), "\(id.rawValue)") }
        }

        @Test(
            "docs/what-does-this-alert-mean.md has each kind: phones, what to do, the end",
            arguments: IncidentKind.allCases)
        func explained(_ kind: IncidentKind) throws {
            let url = URL(filePath: #filePath).appending(path: "../../../docs/what-does-this-alert-mean.md")
                .standardized
            let text = try String(contentsOf: url, encoding: .utf8)
            let sections = text.components(separatedBy: "\n## ")
            let section = try #require(sections.first { $0.hasPrefix("\(kind.rawValue)\n") })
            for part in ["**Phones.**", "**Do.**", "**Ends** "] { #expect(section.contains(part)) }
            // The anchor is made of the heading without its dots.
            #expect(sections[0].contains("[`\(kind.rawValue)`](#\(kind.rawValue.replacing(".", with: "")))"))
        }

        @Test("a cause is stored as identifier and arguments, and read again", arguments: samples)
        func stored(_ cause: Cause) throws {
            let diagnosis = Diagnosis(effect: Effect(.work(seen: nil)), cause: cause, outlook: .asksAgain(.testing))
            let data = try JSONEncoder().encode(diagnosis)
            #expect(try JSONDecoder().decode(Diagnosis.self, from: data) == diagnosis)
        }

        static let effects: [(Effect, String)] = [
            (Effect(.work(seen: nil)), "Links work."),
            (Effect(.work(seen: nil), phones: .developer), "Links work on phones in developer mode."),
            (
                Effect(.work(seen: EdgeShare(edges: 3, asked: 4))),
                "Links work on the 3 of Apple's 4 edges that answered."
            ),
            (Effect(.openWebsite(at: nil)), "Links open the website, not the app."),
            (
                Effect(.openWebsite(at: EdgeShare(edges: 1, asked: 4))),
                "Links open the website, not the app, on 1 of Apple's 4 edges."
            ),
            (
                Effect(
                    .followOtherFile(
                        by: .changed, at: EdgeShare(edges: 6, asked: 8), website: ["/trips/a", "/help/a", "/x"], app: []
                    )),
                "Phones use the old file on 6 of Apple's 8 edges: /trips/a and /help/a open the website."
            ),
            (
                Effect(.followOtherFile(by: nil, at: nil, website: [], app: ["/a"])),
                "Phones use a different file than the origin's: /a still opens the app."
            ),
            (
                Effect(.none(services: ["webcredentials"])),
                "Phones get the file, but it opens no links. It only covers webcredentials."
            ),
            (Effect(.unknown(.cdnNotReached)), "What phones do is unknown: Apple's CDN gave this machine no answer."),
            (Effect(.unaffected), "Phones are not affected."),
        ]

        @Test("what phones do is one sentence", arguments: effects)
        func effect(_ effect: Effect, _ text: String) { #expect(English.text(of: effect) == text) }

        @Test(
            "until when names an instant or Apple's own time",
            arguments: [
                (.asksAgain(.testing), "Apple asks again at about 21 Nov 07:00 UTC."),
                (
                    .normalUntil(.testing),
                    "This is normal until 21 Nov 07:00 UTC. Phones that have the app pick up the change within a week."
                ),
                (
                    .usual(UsualPropagation(median: 21_600, percentile90: 67_320)),
                    "Changes usually take 6 h, and 9 of 10 take 18 h 42 min at most."
                ),
                (
                    .usual(UsualPropagation(median: 20, percentile90: 3 * 86_400)),
                    "Changes usually take 1 min, and 9 of 10 take 3 d at most."
                ),
                (
                    .usual(UsualPropagation(median: 86_400, percentile90: 108_029)),
                    "Changes usually take 24 h, and 9 of 10 take 30 h at most."
                ),
                (.copyMayEnd, "Apple does not say how long it keeps the copy."),
                (.pastLimit(21_600), "This is past your limit of 6 h. Apple documents up to 24 h."),
                (.beyondPromise, "Apple gives no estimate beyond 24 hours."),
            ] as [(Outlook, String)])
        func outlook(_ outlook: Outlook, _ text: String) { #expect(English.text(of: outlook) == text) }

        @Test(
            "what is usual is the median and the ninth of ten, of five changes at least",
            arguments: [
                ([], nil, nil), ([1, 2, 3, 4], nil, nil), ([5, 3, 1, 4, 2], 3, 5), ([1, 2, 3, 4, 5, 7], 3, 7),
                (Array(1...10), 5, 9), (Array(1...20), 10, 18), (Array(1...11), 6, 10),
            ] as [([Int], Int?, Int?)])
        func usual(_ seconds: [Int], _ median: Int?, _ percentile90: Int?) {
            #expect(
                UsualPropagation(seconds)?.median == median && UsualPropagation(seconds)?.percentile90 == percentile90)
        }

        @Test("the one line joins the parts")
        func oneLine() {
            let diagnosis = Diagnosis(
                effect: Effect(.openWebsite(at: nil)), cause: .crawler(.refused(status: 403)),
                outlook: .asksAgain(.testing))
            let text = diagnosis.text
            #expect(
                text.oneLine
                    == "Links open the website, not the app. Your server answers Apple's crawler with 403; this machine gets "
                    + "the file. Allow AASA-Bot through the firewall and bot protection, from any address. For a staging host use "
                    + "?mode=developer in the app's entitlement. Apple asks again at about 21 Nov 07:00 UTC.")
            #expect(text.parts.count == 4)
        }

        @Test("counts that go on are no news, another effect or cause is")
        func news() {
            func diagnosis(_ problem: CDNProblem, _ links: Effect.Links) -> Diagnosis {
                Diagnosis(effect: Effect(links), cause: Cause(.cdn(problem)), outlook: .asksAgain(.testing))
            }
            let first = diagnosis(
                .propagating(OriginChange(at: .testing - 60)), .openWebsite(at: EdgeShare(edges: 1, asked: 2)))
            #expect(
                first.saysTheSame(
                    as: diagnosis(
                        .propagating(OriginChange(at: .testing - 90)), .openWebsite(at: EdgeShare(edges: 2, asked: 3))))
            )
            #expect(!first.saysTheSame(as: diagnosis(.propagating(OriginChange(at: .testing - 60)), .work(seen: nil))))
            #expect(
                !first.saysTheSame(
                    as: diagnosis(
                        .stale(OriginChange(at: .testing - 60)), .openWebsite(at: EdgeShare(edges: 1, asked: 2)))))
        }
    }
}
