import Facts
import Foundation
import TestSupport
import Testing

@testable import Evidence

/// One matter of each kind; that each has words, a rule and a reference, the compiler sees to.
private let matters: [Matter] = {
    let domain = Domain.sample
    let dead = [GivenAt(["192.0.2.1"], .failed(.timedOut, .connecting))]
    let groups = [
        GivenAt(["192.0.2.1", "192.0.2.2"], .status(404)), GivenAt([], .file("00112233"), again: "192.0.2.2"),
    ]
    let word = AppleWord(code: "SWCERR00301", reason: "Timeout")
    let edges = EdgePlaces(["198.51.100.1", "198.51.100.2", "198.51.100.3"], of: 4)
    let lint = LintMatter(
        rule: "json-syntax", severity: .error, line: 1, column: 2, message: "a", fix: "b", reference: "https://a.test/")
    let refusals = AgentRefusals(
        agents: [.init(agent: .crawler, given: .status(403)), .init(agent: .device, given: .page)],
        plain: .file("00112233"), first: .status(403), addresses: ["192.0.2.1"], tried: 2)
    let vantages: [OriginMatter] = VantageFault.allCases.map {
        .vantageDiffers($0, dead, here: .file("00112233"), domain)
    }
    let hops: [OriginMatter] = redirects.map { .redirect($0, domain) }
    let origin: [OriginMatter] = [
        .redirectSameSite("https://www.example.com/", domain), .falseEncoding("utf-8"),
        .status(StatusAnswer(fault: .status(404), status: 404, target: "https://example.com/a"), domain),
        .contentType(
            "text/html", isPage: true, holdsFile: false, BotProtection(.cloudflare, .challenge, sign: "a: b")),
        .contentType("", isPage: false, holdsFile: true, nil),
        .notPublic([ResolvedAddress(address: "10.0.0.1", scope: .private)], of: 1, domain),
        .addressesUnreachable(dead, of: 2, othersAnswer: true, domain), .ipv6Broken(dead, domain),
        .ipv6Unchecked(["2001:db8::1"]), .stalls(dead), .singleFamily(4, domain), .addressesDiffer(groups, domain),
        .addressAnswersDifferently(groups, domain), .formattingsDiffer(groups, domain),
        .alternates(files: 2, changes: 3, checks: 8), .certificateExpiring(.testing, left: 86_400),
        .chainExpiring(.testing, left: 86_400, name: "CN=a"), .chainExpired(.testing, name: "CN=a"),
        .crawlerRefused(refusals),
        .agentDiffers([.init(agent: .crawler, given: .file("00112233"))], plain: .file("44556677")),
        .rateLimited(2, of: 9, statuses: [429, 503]), .rootCopyDiffers,
        .rootOnly(domain),
    ]
    let cdn: [CDNMatter] = [
        .unreachable(.failed(.own, .connecting), host: "a.test", detail: "out of memory"),
        .unreachable(.failed(.certificate, .handshaking), host: "a.test", detail: nil, by: .clockIsWrong(ahead: nil)),
        .unreachable(.notApple(status: 511), host: "a.test", detail: nil, by: .gateAnswers(status: 511)),
        .stale(lag: 90_000),
        .propagating(lag: 60), .divergent, .formattingDiffers,
        .crawlerFails(word, .silence, asksAgainIn: 3600, at: edges), .crawlerFailsBesideCopy(word, .silence, at: nil),
        .missing(status: 404, at: nil), .badCopy(at: edges),
        .edgesDiffer(
            [
                EdgeGroup(held: .originFile("00112233"), places: ["198.51.100.1"]),
                EdgeGroup(held: .nothing(codes: ["SWCERR00301"]), places: ["198.51.100.2"]),
            ], of: 2, isPropagating: false),
        .edgesInTrouble(.ownTrouble(status: 503, pause: 300), at: edges, addresses: ["198.51.100.1"], host: "a.test"),
        .edgesSilent(dead, of: 4),
    ]
    let pages: [FileMatter] = redirects.map { .pageMissing("https://example.com/a", .redirect($0)) }
    let file: [FileMatter] = [
        .lint(lint), .moreLint(3, domain), .serviceMissing("applinks"), .appMissing("A.b", from: nil),
        .opensUnexpectedly("https://example.com/a", by: "A.b", domain),
        .opensNothing("https://example.com/a", expected: "A.b", domain),
        .opensOther("https://example.com/a", by: "A.b", expected: "A.c", domain),
        .pageMissing("https://example.com/a", .given(.status(404), behind: "https://example.com/b")),
    ]
    let monitor: [MonitorCause] = [
        .ownFault(detail: "a"), .nameServerFailed(host: "a.example", answer: "a"),
        .nameServerFailed(host: "a.example", answer: nil), .tlsIntercepted(host: "a.example", authority: "CN = a"),
        .networkSuspect, .networkLost(domains: 5, of: 9, canaries: ["a"]), .manyFailing(domains: 5, of: 9),
        .cdnWide(.stale, domains: 5, of: 9), .scheduleBehind(domains: 5, of: 9, intervals: 3),
        .configReloadFailed(fault: "a"), .deliveryFailing(channel: "a", isDisabled: true, answer: "a"),
    ]
    var matters: [Matter] = faults.map { .origin(.fault($0, at: "example.com")) }
    matters += (hops + vantages + origin).map(Matter.origin)
    matters += cdn.map(Matter.cdn)
    matters += (pages + file).map(Matter.file)
    matters += monitor.map(Matter.monitor)
    return matters + [.vantageFailed("a", detail: nil)]
}()

extension EvidenceSuite {
    @Suite("Catalogue of findings")
    struct FindingCatalogueTests {
        @Test("a finding is one sentence and what to do, in small letters, without a full stop", arguments: matters)
        func words(_ matter: Matter) {
            var finding = Finding(matter)
            finding.place = .addresses(["192.0.2.1"], of: 2, othersAnswer: true)
            let text = finding.text
            #expect(text.message.hasPrefix("at 192.0.2.1 only (1 of 2 addresses): "))
            for part in [text.message, text.fix] where !matter.isInSentencesOfDiagnoses {
                #expect(!part.isEmpty && !part.hasSuffix(".") && !part.contains("  "), "\(part)")
            }
            #expect(text.reference.hasPrefix("https://") && text.rule.rawValue.contains("."))
        }

        @Test("a finding is stored as identifier and arguments, and read again", arguments: matters)
        func stored(_ matter: Matter) throws {
            var finding = Finding(matter, evidence: ["a": "b"])
            finding.counterevidence = .appleCopy
            let data = try JSONEncoder().encode(finding)
            #expect(try JSONDecoder().decode(Finding.self, from: data) == finding)
            // No sentence is stored, but what others say.
            if case .file(.lint) = matter { return }
            let text = String(decoding: data, as: UTF8.self)
            for sentence in [finding.text.message, finding.text.fix] where sentence.count > 8 {
                #expect(!text.contains(sentence), "\(text)")
            }
        }

        @Test("evidence is cleaned where it is taken, words where they are made")
        func clean() {
            let matter = Matter.origin(.contentType("a\u{202E}b", isPage: true, holdsFile: true, nil))
            let text = Finding(matter, evidence: ["a": "b\u{1B}[2J"]).text
            #expect(!text.message.contains("\u{202E}") && text.evidence == ["a": "b\u{FFFD}[2J"])
        }
    }
}

extension Matter {
    /// Faults of which other matters tell.
    fileprivate var isInSentencesOfDiagnoses: Bool {
        guard case .origin(.fault(let fault, _)) = self else { return false }
        return switch fault {
        case .redirect, .status, .busy, .behindCloudflare, .pageType: true
        default: false
        }
    }
}
