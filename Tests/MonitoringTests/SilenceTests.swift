import Evidence
import Foundation
import Testing

@testable import Monitoring

extension MonitoringSuite {
    @Suite("Silences")
    struct SilenceTests {
        static let now = Date(timeIntervalSince1970: 1_795_244_400)

        static func silence(
            _ scope: SilenceScope = SilenceScope(domains: [.all]), from start: Double = -60, to end: Double = 3600
        ) -> Silence {
            Silence(
                id: "1", scope: scope, startsAt: now + start, endsAt: now + end, author: "eva@host", reason: "upgrade")
        }

        @Test(
            "a scope matches by domain, by labels and by kind together",
            arguments: [
                (["*"], [:], nil, true), (["all"], [:], nil, true), (["links.example.com"], [:], nil, true),
                (["example.com"], [:], nil, false), (["*.example.com"], [:], nil, true),
                (["*.links.example.com"], [:], nil, false), (["*.ample.com"], [:], nil, false),
                (["LINKS.example.com."], [:], nil, true), ([], [:], nil, false), ([], ["team": "growth"], nil, true),
                ([], ["team": "*"], nil, true), ([], ["tier": "*"], nil, false), ([], ["team": "other"], nil, false),
                (["*"], ["team": "other"], nil, false),
                (["other.test", "links.example.com"], ["team": "growth"], nil, true),
                (["*"], [:], [.cdnStale], true), (["*"], [:], [.originBroken], false), (["*"], [:], [], false),
            ] as [([String], [String: String], [IncidentKind]?, Bool)])
        func scopes(domains: [String], labels: [String: String], kinds: [IncidentKind]?, matches: Bool) throws {
            let scope = SilenceScope(domains: try domains.map { try DomainPattern($0) }, labels: labels, kinds: kinds)
            let domain = try Domain("links.example.com")
            #expect(scope.matches(domain: domain, labels: ["team": "growth"], kind: .cdnStale) == matches)
            let again = try JSONDecoder().decode(SilenceScope.self, from: JSONEncoder().encode(scope))
            #expect(again == scope)
        }

        @Test(
            "invalid patterns are refused",
            arguments: ["", "*.", "*x.com", "a.*.com", "https://example.com", "**", "*.com"])
        func patterns(text: String) {
            #expect(throws: DomainFault.self) { try DomainPattern(text) }
        }

        @Test("a silence lasts from its start until just before its end")
        func bounds() throws {
            let silences = Silences(silences: [Self.silence(from: 0, to: 60)])
            func until(_ offset: Double) throws -> Date? {
                silences.end(
                    domain: try Domain("example.com"), labels: [:], kind: .cdnStale, at: Self.now + offset)
            }
            #expect(try until(-1) == nil)
            #expect(try until(0) == Self.now + 60)
            #expect(try until(59) == Self.now + 60)
            #expect(try until(60) == nil)
        }

        @Test("silences and windows without a gap count as one period")
        func chain() throws {
            // A Saturday, 07:00 UTC.
            let window = MaintenanceWindow(
                name: "w", scope: SilenceScope(domains: [.all]), days: [.sat], start: try #require(TimeOfDay("08:00")),
                extent: .lasting(.seconds(3600)), zone: .gmt, reason: "weekly")
            let silences = Silences(
                silences: [
                    Self.silence(to: 1800), Self.silence(from: 1700, to: 3600), Self.silence(from: 7201, to: 9000),
                ], windows: [window])
            let end = silences.end(domain: try Domain("example.com"), labels: [:], kind: .cdnStale, at: Self.now)
            #expect(end == Self.now + 7200)
        }

        @Test("permanent windows do not cause an endless search")
        func endless() throws {
            let window = MaintenanceWindow(
                name: "w", scope: SilenceScope(domains: [.all]), days: Set(Weekday.allCases),
                start: try #require(TimeOfDay("00:00")), extent: .lasting(.seconds(86_400)), zone: .gmt, reason: "r")
            let end = Silences(windows: [window]).end(
                domain: try Domain("example.com"), labels: [:], kind: .cdnStale, at: Self.now)
            #expect(try #require(end) > Self.now + 86_400)
        }

        @Test(
            "invalid silences are refused with a reason",
            arguments: [
                (SilenceScope(), 60, "r", "a", "a silence needs a domain or a label; `all` means every domain"),
                (SilenceScope(domains: [.all]), 0, "r", "a", "the end is not after the beginning"),
                (SilenceScope(domains: [.all]), -60, "r", "a", "the end is not after the beginning"),
                (
                    SilenceScope(domains: [.all]), 367 * 86_400, "r", "a",
                    "a silence lasts 366 days at most; stop watching the domain instead"
                ),
                (SilenceScope(domains: [.all]), 60, " \n", "a", "a silence needs a reason; others will ask for it"),
                (SilenceScope(domains: [.all]), 60, "r", " ", "a silence needs an author"),
                (
                    SilenceScope(domains: [.all], kinds: []), 60, "r", "a",
                    "the list of kinds is empty; leave it out for all kinds"
                ),
            ] as [(SilenceScope, Double, String, String, String)])
        func requests(scope: SilenceScope, length: Double, reason: String, author: String, message: String) {
            #expect(throws: SilenceFault(message)) {
                try Silence(
                    scope: scope, startsAt: Self.now, endsAt: Self.now + length, author: author, reason: reason)
            }
        }
    }
}
