import Foundation
import TestSupport
import Testing

@testable import Evidence

extension EvidenceSuite {
    @Suite("Diagnosis")
    struct DiagnosisTests {
        struct Row: Sendable, CustomTestStringConvertible {
            /// The row of the table that must be the first to fit.
            let name: String
            let origin: Reply
            let cdn: Reply?
            var unasked = CDNLook.Reason.originHasNoFile
            /// Words that the sentence must hold.
            let words: String

            var testDescription: String { "\(name): \(words)" }
        }

        static let good = Reply.file(SampleFile.version(1))
        static let other = Reply.file(SampleFile.version(2))
        static let page = Reply.file("<html>")

        static func modified(_ date: String) -> Reply { good.with { $0.headers["Last-Modified"] = date } }

        static let rows: [Row] = [
            Row(
                name: "crawler-refused", origin: good, cdn: .crawler("SWCERR00101 Bad HTTP Response: 403 Forbidden"),
                words: "answers Apple's crawler with 403"),
            Row(
                name: "crawler-refused", origin: good, cdn: .crawler("SWCERR00101 Bad HTTP Response: 403 Forbidden"),
                words: "allow about 60 min"),
            Row(
                name: "crawler-remembers-absence", origin: good,
                cdn: .crawler("SWCERR00101 Bad HTTP Response: 404 Not Found", maxAge: 1800),
                words: "asks again in about 30 min"),
            Row(
                name: "crawler-other-status", origin: good, cdn: .crawler("SWCERR00101 Bad HTTP Response: 418 No"),
                words: "418 No"),
            Row(
                name: "crawler-private-address", origin: good, cdn: .crawler("SWCERR00202 Connections to private"),
                words: "private or reserved"),
            Row(
                name: "crawler-private-address", origin: .failed(.timedOut),
                cdn: .crawler("SWCERR00202 Connections to private"), words: "publish it on a public address"),
            Row(
                name: "crawler-timeout", origin: good,
                cdn: .crawler("SWCERR00301 Timeout", details: #"{"cause":"deadline"}"#),
                words: "no answer from your server (deadline)"),
            Row(name: "crawler-content", origin: good, cdn: .crawler("SWCERR00401 Bad JSON content"), words: "no JSON"),
            Row(name: "crawler-unknown", origin: good, cdn: .crawler("SWCERR00777 Odd"), words: "SWCERR00777 Odd"),
            Row(name: "own-fault", origin: .failed(.own), cdn: nil, words: "could not be made from here"),
            Row(
                name: "no-such-name", origin: .failed(.nameNotFound, .resolving), cdn: .status(404),
                words: "example.com does not resolve"),
            Row(name: "not-deployed", origin: .status(404), cdn: nil, words: "--ask-cdn"),
            Row(name: "not-deployed", origin: .status(404), cdn: nil, unasked: .mode, words: "no phone gets it"),
            Row(name: "not-deployed", origin: .status(410), cdn: .status(404), words: "no phone gets it"),
            Row(name: "not-deployed", origin: .status(404), cdn: good, words: "still serves the last copy"),
            Row(name: "page-instead-of-file", origin: page, cdn: good, words: "HTML page"),
            Row(name: "origin-fault", origin: .status(403), cdn: good, words: "still serves a copy"),
            Row(
                name: "origin-fault", origin: .certificate(.expired), cdn: .status(404),
                words: "the certificate expired"),
            Row(name: "cdn-missing", origin: good, cdn: .status(404), words: "gives no reason"),
            Row(
                name: "cdn-stale", origin: modified("Thu, 19 Nov 2026 07:00:00 GMT"), cdn: other,
                words: "48 h after the change"),
            Row(
                name: "cdn-propagating", origin: modified("Sat, 21 Nov 2026 05:00:00 GMT"), cdn: other,
                words: "changed 2 h ago"),
            Row(name: "bad-copy", origin: good, cdn: page, words: "is no apple-app-site-association file"),
            Row(name: "cdn-divergent", origin: good, cdn: other, words: "another file than the origin"),
            Row(
                name: "cdn-unreachable", origin: good, cdn: .failed(.timedOut),
                words: "the origin is fine, but Apple's CDN"),
            Row(
                name: "redirect-same-site", origin: good.redirected(to: "https://www.example.com/"), cdn: good,
                words: "with a risk: the origin redirects"),
            Row(
                name: "warning", origin: good.with { $0.firstByte = 3000 }, cdn: good,
                words: "with a risk: the first byte came after 3 s"),
            Row(name: "in-sync", origin: good, cdn: good, words: "serves the same"),
            Row(name: "other-mode", origin: good, cdn: nil, unasked: .mode, words: "in developer mode"),
        ]

        @Test("the most specific row speaks, in its words", arguments: rows)
        func sentence(_ row: Row) throws {
            let mode: AssociationMode = row.unasked == .mode ? .developer : .production
            let observation = try Observation.of(mode: mode, origin: row.origin, cdn: row.cdn, unasked: row.unasked)
            let verdict = Verdict(
                of: Readings(observation), history: .none, staleAfter: .seconds(86400),
                certificateWarning: .seconds(14 * 86400), now: .testing)
            let context = DiagnosisContext(
                check: CheckContext(
                    readings: Readings(observation), comparison: verdict.comparison,
                    certificateWarning: .seconds(14 * 86400), now: .testing), findings: verdict.findings)
            #expect(Diagnosis.rows.first { $0.sentence(context) != nil }?.name == row.name)
            #expect(verdict.diagnosis.contains(row.words))
            #expect(!verdict.diagnosis.hasSuffix("."))
        }

        @Test("every row of the table is reached by a test here or by a story, and named once")
        func covered() {
            let names = Diagnosis.rows.map(\.name)
            #expect(Set(names).count == names.count)
            #expect(Set(names) == Set(Self.rows.map(\.name) + Story.all.map(\.row)))
        }

        @Test("where nothing was found, the sentence says that all is well, whatever headers came along")
        func sentenceAndFindings() throws {
            let healthy = Diagnosis.healthyRows.map(\.name)
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
                        of: readings, history: .none, staleAfter: .seconds(86400),
                        certificateWarning: .seconds(14 * 86400), now: .testing)
                    guard verdict.findings.isEmpty else { continue }
                    silent += 1
                    let context = DiagnosisContext(
                        check: CheckContext(
                            readings: readings, comparison: verdict.comparison,
                            certificateWarning: .seconds(14 * 86400), now: .testing), findings: [])
                    let row = Diagnosis.rows.first { $0.sentence(context) != nil }?.name
                    #expect(row.map(healthy.contains) ?? true, "\(row ?? ""): \(verdict.diagnosis)")
                }
            }
            #expect(silent > 0)
        }

        @Test("Apple's word about a file that is broken here too does not hide what this machine sees")
        func brokenHere() throws {
            let verdict = try verdict(
                origin: Self.page, cdn: .crawler("SWCERR00101 Bad HTTP Response: 403 Forbidden"))
            #expect(verdict.diagnosis.contains("HTML page"))
        }
    }
}
