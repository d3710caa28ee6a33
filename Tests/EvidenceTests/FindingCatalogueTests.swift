import Facts
import Foundation
import TestSupport
import Testing

@testable import Evidence

func lint(_ severity: Severity) -> LintFinding {
    LintFinding(
        rule: "json-syntax", severity: severity, message: "a", fix: "remove b", reference: "https://a.test/",
        range: 1..<2, start: .init(line: 1, column: 2), end: .init(line: 1, column: 3), pointer: "/a")
}

let refusals = AgentRefusals(
    agents: [.init(agent: .crawler, served: .status(403)), .init(agent: .device, served: .page)],
    plain: .file(meaning: .sample, name: "00112233"), first: .status(403), addresses: ["192.0.2.1"], tried: 2)

/// Whether the text begins like a sentence, or with a name that is written in lower case.
func isSentence(_ text: String) -> Bool {
    let word = text.prefix { $0 != " " }
    return word.first.map { !$0.isLetter || $0.isUppercase } == true || word.contains(".")
}

extension ContentHash {
    static let sample = ContentHash(of: "{}".utf8)
}

/// One problem of each kind. The compiler checks that each has text.
let problems: [Problem] = {
    let domain = Domain.sample
    let dead = [ServedAt(["192.0.2.1"], .failed(.timedOut, .connecting))]
    let groups = [
        ServedAt(["192.0.2.1", "192.0.2.2"], .status(404)),
        ServedAt(["192.0.2.3"], .file(meaning: .sample, name: "00112233")),
    ]
    let protection = BotProtection(.cloudflare, .challenge, sign: "a: b")
    let word = AppleWord(code: "SWCERR00301", reason: "Timeout")
    let edges = EdgePlaces(["198.51.100.1", "198.51.100.2", "198.51.100.3"], of: 4)
    let vantages: [OriginProblem] = VantageFault.allCases.map {
        .vantageDiffers($0, dead, here: .file(meaning: .sample, name: "00112233"))
    }
    let hops: [OriginProblem] = redirects.map { .redirect($0) }
    let origin: [OriginProblem] = [
        .redirectSameSite("https://www.example.com/", cdnFollowed: true), .falseEncoding("utf-8"),
        .status(StatusAnswer(fault: .status(404), status: 404, target: "https://example.com/a")),
        .status(StatusAnswer(fault: .status(404), status: 404)),
        .status(StatusAnswer(fault: .status(404), status: 404, isElsewhere: true)),
        .status(StatusAnswer(fault: .status(403), status: 403, address: "192.0.2.1", protection: protection)),
        .contentType("text/html", isPage: true, holdsFile: false, protection),
        .contentType("text/html", isPage: true, holdsFile: false, nil),
        .contentType("", isPage: false, holdsFile: true, nil),
        .notPublic([ResolvedAddress(address: "10.0.0.1", scope: .private)], of: 1),
        .notPublic([ResolvedAddress(address: "10.0.0.1", scope: .private)], of: 2),
        .addressesUnreachable(dead, of: 2), .ipv6Broken(dead),
        .familyUnchecked(6, ["2001:db8::1"]), .familyUnchecked(4, ["192.0.2.1"]), .stalls(dead),
        .singleFamily(4, domain),
        .singleFamily(6, domain), .addressesDiffer(groups),
        .formattingsDiffer(groups),
        .alternates(files: 2, changes: 3, checks: 8), .certificateExpiring(.testing + 86_400),
        .chainExpiring(.testing + 86_400, name: "CN=a"), .chainExpired(.testing, name: "CN=a"),
        .crawlerRefused(refusals),
        .agentDiffers(
            [.init(agent: .crawler, served: .file(meaning: .sample, name: "00112233"))],
            plain: .file(meaning: ContentHash(of: "[]".utf8), name: "44556677")),
        .rateLimited(2, of: 9, statuses: [429, 503]), .rootCopyDiffers,
        .rootOnly(apple: nil), .rootOnly(apple: .sameFile), .rootOnly(apple: .otherFile), .rootOnly(apple: .nothing),
        .rootOnly(apple: .noAnswer), .misplaced("a", domain),
        .addressesDiffer([
            ServedAt(["192.0.2.1"], .file(meaning: .sample, name: "00112233")),
            ServedAt(["192.0.2.2"], .file(meaning: ContentHash(of: "[]".utf8), name: "44556677")),
        ]),
    ]
    let cdn: [CDNProblem] = [
        .unreachable(.cutShort, besideFile: true), .unreachable(.notApple(status: 511), besideFile: false),
        .unreachable(.failed(.certificate, .handshaking), besideFile: true, by: .clockIsWrong(ahead: nil)),
        .unreachable(.failed(.certificate, .handshaking), besideFile: false, by: .clockIsWrong(ahead: -90_000)),
        .unreachable(
            .failed(.noNameServer, .resolving), besideFile: true, by: .nameServerFailed(host: "a", answer: nil)),
        .unreachable(.failed(.unreachable, .connecting), besideFile: true, by: .noFamily(6)),
        .unreachable(.notApple(status: 511), besideFile: true, by: .gateAnswers(status: 511)),
        .stale(OriginChange(at: .testing - 90_000)),
        .propagating(OriginChange(at: .testing - 60)), .divergent(), .divergent(originSince: .testing - 90_000),
        .formattingDiffers, .withoutEffect,
        .stale(OriginChange(at: .testing - 90_000, way: .rolledBack)),
        .propagating(OriginChange(at: .testing - 60, way: .wentBack)),
        .crawlerFails(word, .silence, asksAgainAt: .testing + 3600, at: edges),
        .crawlerFailsBesideCopy(word, .silence, at: nil),
        .missing(status: 404, at: nil), .badCopy(at: edges),
        .edgesDiffer(
            [
                EdgeGroup(held: .originFile("00112233"), places: ["198.51.100.1"]),
                EdgeGroup(held: .nothing(codes: ["SWCERR00301"]), places: ["198.51.100.2"]),
            ], of: 2, isPropagating: false),
        .edgesInTrouble(.ownTrouble(status: 503, pause: 300), at: edges, addresses: ["198.51.100.1"]),
        .edgesSilent(dead, of: 4),
    ]
    let pages: [FileProblem] = redirects.map { .pageMissing("https://example.com/a", .redirect($0)) }
    let file: [FileProblem] = [
        .lint(lint(.error)), .lint(lint(.note)), .moreLint(3, domain), .linksRemoved(services: ["webcredentials"]),
        .serviceMissing("applinks"), .asked(.noKey, AskedService("appclips"), domain, known: ["A.b", "A.c"]),
        .asked(.notNamed([], more: 0), AskedService("webcredentials"), domain, known: []),
        .asked(.notNamed([], more: 2), AskedService("appclips", for: .init("A.b", clips: [])), domain, known: []),
        .asked(.opensNothing, AskedService("applinks", for: .init("A.b")), domain, known: []),
        .copyLacks(AskedService("applinks"), domain),
        .appMissing("A.b", from: nil),
        .opensUnexpectedly("https://example.com/a", by: "A.b", domain),
        .opensNothing("https://example.com/a", expected: "A.b", domain),
        .opensOther("https://example.com/a", by: "A.b", expected: "A.c", domain),
        .pageMissing("https://example.com/a", .served(.status(404), behind: "https://example.com/b")),
    ]
    let monitor: [MonitorCause] = [
        .ownFault(detail: "a"), .nameServerFailed(host: "a.example", answer: "a"),
        .nameServerFailed(host: "a.example", answer: nil), .tlsIntercepted(host: "a.example", authority: "CN = a"),
        .namesFail(host: "a.example", answer: "a"), .proxyFailed(status: 407, detail: ""),
        .proxyFailed(status: 403, detail: ""), .proxyFailed(status: nil, detail: "a"), .noFamily(6),
        .noWayOut(unusedProxy: nil), .noWayOut(unusedProxy: "https_proxy"), .trustStoreLacks(authority: "CN = a"),
        .clockIsWrong(ahead: nil), .clockIsWrong(ahead: -90_000), .gateAnswers(status: nil), .gateAnswers(status: 511),
        .nameServerSlow(milliseconds: 2003, server: 7), .networkSuspect,
        .networkLost(domains: 5, of: 9, canaries: ["a"]),
        .manyFailing(domains: 5, of: 9), .blind(domains: 5, of: 9), .scheduleBehind(domains: 5, of: 9, intervals: 3),
        .configReloadFailed(fault: "a"),
        .deliveryFailing(channel: "a", isDisabled: true, answer: "a"),
        .deliveryFailing(channel: "a", isDisabled: false, answer: ""),
    ]
    var problems: [Problem] = faults.map { .origin(.fault($0, at: "example.com")) }
    problems += (hops + vantages + origin).map(Problem.origin)
    problems += cdn.map(Problem.cdn)
    problems += Failure.Kind.allCases.map { .cdn(.unreachable(.failed($0, .connecting), besideFile: false)) }
    for fault in StoreFault.allCases {
        problems += StoreOutage.allCases.map { .monitor(.storeFailing(fault, $0, words: "a")) }
    }
    problems += CDNFailure.allCases.map { .monitor(.cdnWide($0, domains: 5, of: 9)) }
    for platform in HostingPlatform.allCases {
        for meaning in HostingMeaning.allCases {
            for word in ["NoSuchBucket", nil] {
                let fault = HostingFault(platform, meaning, word: word)
                problems.append(
                    .origin(.status(StatusAnswer(fault: .status(404), status: 404, hosting: fault))))
            }
        }
    }
    problems += (pages + file).map(Problem.file)
    problems += monitor.map(Problem.monitor)
    return problems + [.vantageFailed("a", detail: nil)]
}()

extension EvidenceSuite {
    @Suite("Catalogue of findings")
    struct FindingCatalogueTests {
        @Test("there is a sample of every kind")
        func complete() {
            #expect(Set(problems.compactMap(\.kind)) == Set(FindingKind.allCases))
        }

        @Test("a finding has a short message and a short fix that begins with a verb", arguments: problems)
        func words(_ problem: Problem) {
            var finding = Finding(problem)
            finding.place = .addresses(["192.0.2.1"], of: 2, othersAnswer: true)
            let text = finding.text
            let lead = "At 192.0.2.1 only (1 of 2 addresses): "
            #expect(text.message.hasPrefix(lead))
            for part in [String(text.message.dropFirst(lead.count)), text.fix] {
                #expect(part.hasSuffix(".") && !part.hasSuffix("..") && !part.contains("  "), "\(part)")
                #expect(isSentence(part), "\(part)")
                #expect(part.count <= 230, "\(part.count): \(part)")
            }
            #expect(CatalogueTests.verbs.contains(String(text.fix.prefix { $0.isLetter })), "\(text.fix)")
            #expect(text.reference.hasPrefix("https://") && text.rule.rawValue.contains("."))
        }

        @Test("a stored finding can be read again, and contains no sentence of ours", arguments: problems)
        func stored(_ problem: Problem) throws {
            var finding = Finding(problem, evidence: ["a": "b"])
            finding.doubt = .appleCopy
            let data = try JSONEncoder().encode(finding)
            #expect(try JSONDecoder().decode(Finding.self, from: data) == finding)
            // Findings of the linter store its words.
            if case .file(.lint) = problem { return }
            let text = String(decoding: data, as: UTF8.self)
            for sentence in [finding.text.message, finding.text.fix] where sentence.count > 8 {
                #expect(!text.contains(sentence), "\(text)")
            }
        }

        @Test("evidence is cleaned when it is taken, text when it is made")
        func clean() {
            let problem = Problem.origin(.contentType("a\u{202E}b", isPage: true, holdsFile: true, nil))
            let text = Finding(problem, evidence: ["a": "b\u{1B}[2J"]).text
            #expect(!text.message.contains("\u{202E}") && text.evidence == ["a": "b\u{FFFD}[2J"])
        }
    }
}
