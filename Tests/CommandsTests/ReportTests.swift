// The report of a full check, from observations in memory.

import Evidence
import Facts
import Foundation
import TestSupport
import Testing

@testable import Commands
@testable import FileCommands

extension CommandsTests {
    @Suite struct ReportTests {
        // MARK: - Observations

        private static let good = Data(SampleFile.version(2).utf8)
        private static let old = Data(SampleFile.version(1).utf8)

        private static func answer(
            _ body: Data, status: Int = 200, at address: String = "192.0.2.1", _ headers: [String: String] = [:]
        ) -> Retrieval {
            var fields = headers.map { HeaderField(name: $0.key, value: $0.value) }.sorted { $0.name < $1.name }
            if headers["Content-Type"] == nil {
                fields.append(HeaderField(name: "Content-Type", value: "application/json"))
            }
            return Retrieval(
                url: "https://example.com/.well-known/apple-app-site-association",
                outcome: .answered(
                    Answer(
                        status: status, headers: fields,
                        body: .init(
                            hash: ContentHash(of: body), decodedBytes: body.count, wireBytes: body.count, end: .complete
                        ))),
                connection: Connection(
                    address: address, port: 443, httpVersion: "2", tls: tls,
                    timings: Timings(dns: 1, connect: 12.1, tls: 20, firstByte: 30, total: 31)))
        }

        private static let tls = TLSFacts(
            version: "TLSv1.3",
            chain: [
                CertificateFacts(
                    subject: "CN = example.com", issuer: "C = US, O = Let's Encrypt, CN = R11",
                    notBefore: .testing - 86_400, notAfter: .testing + 60 * 86_400, names: ["example.com"]),
                CertificateFacts(
                    subject: "C = US, O = Let's Encrypt, CN = R11", issuer: "C = US, O = ISRG, CN = ISRG Root X1",
                    notBefore: nil, notAfter: nil, names: []),
            ], trusted: true)

        private static func silence(_ detail: String = "Connection timed out after 10000 milliseconds") -> Retrieval {
            Retrieval(
                url: "https://example.com/.well-known/apple-app-site-association",
                outcome: .failed(Failure(kind: .timedOut, phase: .connecting, detail: detail)))
        }

        private static func address(_ text: String, _ retrieval: Retrieval, _ scope: AddressScope = .public)
            -> AddressResult
        {
            AddressResult(address: ResolvedAddress(address: text, scope: scope), retrieval: retrieval)
        }

        private static func edge(_ address: String, _ body: Data = good, age: Int = 120) -> EdgeResult {
            EdgeResult(
                address: address,
                retrieval: answer(
                    body, at: address,
                    [
                        "Age": "\(age)", "Cache-Control": "max-age=21600,public",
                        "Apple-From": "https://example.com/a, https://www.example.com/a",
                        "Via":
                            "http/1.1 usnyc3-vp-vst-001.ts.apple.com (acdn/1), https/1.1 usqas4-vp-vfe-002.ts.apple.com (acdn/1)",
                    ]))
        }

        private static func report(
            origin: Retrieval = answer(good), _ full: FullCheck?, ignoring rules: [Rule] = [], reason: String = "known"
        ) -> CheckReport {
            var contents: [ContentHash: Data] = [:]
            for body in [good, old] { contents[ContentHash(of: body)] = body }
            guard let domain = try? Domain("example.com") else { preconditionFailure("example.com is a domain") }
            let cdn = full?.edges.first?.retrieval ?? answer(good)
            let observation = Observation(
                domain: domain, checkedAt: .testing, origin: origin, cdn: .asked(cdn), full: full, contents: contents)
            let readings = Readings(observation)
            let verdict = Verdict(
                of: readings, history: .none,
                checks: CheckSettings(
                    certificateWarning: .seconds(86_400), ignore: rules.map { IgnoredRule($0, reason: reason) }),
                now: .testing)
            return CheckReport(
                observation: observation, readings: readings, verdict: verdict,
                cdnURL: "https://app-site-association.cdn-apple.com/a/v1/example.com")
        }

        private static func full(
            addresses: [AddressResult] = [], agents: [AgentResult] = [], root: Retrieval? = nil,
            vantages: [VantageResult] = [], edges: [EdgeResult] = [], pages: [PageResult] = []
        ) -> FullCheck {
            FullCheck(
                resolution: Resolution(source: .system, addresses: addresses.map(\.address), milliseconds: 1.5),
                addresses: addresses, agents: agents, rootCopy: root, vantages: vantages, edges: edges, pages: pages)
        }

        private static let mixed = full(
            addresses: [
                address("192.0.2.1", answer(good)), address("198.51.100.77", answer(old, at: "198.51.100.77")),
                address("2001:db8:1234:5678:9abc:def0:1234:5678", silence()),
                address("100.64.0.7", answer(Data("no".utf8), status: 403, at: "100.64.0.7"), .carrierGrade),
            ],
            agents: [
                AgentResult(
                    agent: .crawler, retrieval: answer(Data("<html>".utf8), status: 403, ["Content-Type": "text/html"])),
                AgentResult(agent: .device, retrieval: answer(good)),
            ], root: answer(old), vantages: [VantageResult(name: "tokyo", retrieval: silence())],
            edges: [
                edge("17.253.1.1"), edge("2620:149:a44:f00::4", old, age: 7200),
                EdgeResult(
                    address: "17.253.1.3",
                    retrieval: answer(
                        Data("Not Found".utf8), status: 404, at: "17.253.1.3",
                        ["Apple-Failure-Reason": "SWCERR00301 Timeout", "Cache-Control": "max-age=3600,public"])),
                EdgeResult(address: "17.253.1.4", retrieval: silence()),
            ],
            pages: [
                PageResult(url: "https://example.com/help", retrieval: answer(Data(), status: 404)),
                PageResult(
                    url: "https://example.com/app", retrieval: answer(Data()),
                    appStore: "https://apps.apple.com/app/id1"),
            ])

        private func text(_ report: CheckReport, width: Int = 100) -> String {
            report.text(style: TextStyle(isColoured: false, width: width), isVerbose: true)
        }

        // MARK: - Text

        @Test("servers that answer alike take one line")
        func alike() {
            let results = ["192.0.2.1", "192.0.2.2"].map { Self.address($0, Self.answer(Self.good, at: $0)) }
            let report = Self.report(
                Self.full(
                    addresses: results,
                    agents: AgentResult.Agent.allCases.map {
                        AgentResult(agent: $0, retrieval: Self.answer(Self.good))
                    },
                    root: Self.answer(Data("no".utf8), status: 404),
                    vantages: [VantageResult(name: "tokyo", retrieval: Self.answer(Self.good))],
                    edges: (1...8).map { Self.edge("17.253.1.\($0)") }))
            let text = text(report)
            #expect(text.contains("           2 addresses, all serve the same\n"))
            #expect(text.contains("           8 edges, all serve the same"))
            #expect(text.contains("           chain: example.com ← R11 ← (ISRG Root X1)\n"))
            #expect(text.contains("           from tokyo: the same\n"))
            for word in ["AASA-Bot", "CFNetwork", "/apple-app-site-association:", "198.51", "17.253.1.2"] {
                #expect(!text.contains(word), "\(word)")
            }
        }

        @Test("in a pipe or a file, each part of the diagnosis is one line; on a terminal it wraps")
        func diagnosis() throws {
            let report = Self.report(Self.mixed)
            let parts = report.diagnosis
            let style = TextStyle(isColoured: false, width: 60, breaksDiagnosis: false)
            let whole = report.text(style: style).split(separator: "\n").map(String.init)
            let labelled = [("why   ", parts.cause), ("do    ", parts.action), ("until ", parts.outlook)]
                .compactMap { label, part in part.map { "    " + label + $0 } }
            #expect(whole.first == "example.com  FAILING  \(parts.effect)")
            #expect(Array(whole[1...].prefix(labelled.count)) == labelled)
            let broken = report.text(style: TextStyle(isColoured: false, width: 60)).split(separator: "\n")
            #expect(broken.count > whole.count && broken.allSatisfy { $0.count <= 60 })
        }

        // MARK: - Every state on every terminal

        private static func refusal(_ address: String) -> EdgeResult {
            EdgeResult(
                address: address,
                retrieval: answer(
                    Data(), status: 404, at: address,
                    [
                        "Apple-Failure-Reason": "SWCERR00101 Bad HTTP Response: 403 Forbidden",
                        "Apple-Failure-Details": #"{"cause":"Forbidden"}"#, "Cache-Control": "max-age=3600,public",
                    ]))
        }

        private static func changed(_ date: String) -> Retrieval { answer(good, ["Last-Modified": date]) }

        /// Each scene's name and report, its number of lines at 80 columns, and its first words.
        static var scenes: [(name: String, report: CheckReport, lines: ClosedRange<Int>, begin: String)] {
            let addresses = ["192.0.2.1", "192.0.2.2"].map { address($0, answer(good, at: $0)) }
            let refused = (1...8).map { refusal("17.253.1.\($0)") }
            let current = (1...8).map { edge("17.253.1.\($0)") }
            let behind = (1...3).map { edge("17.253.1.\($0)", old) } + current.dropFirst(3)
            let silent = full(addresses: [address("192.0.2.1", silence())])
            return [
                (
                    "healthy", report(full(addresses: addresses, edges: current)), 1...1,
                    "✓ example.com  Up to date on 8 edges"
                ),
                (
                    "403 for the crawler",
                    report(
                        full(
                            addresses: addresses,
                            agents: [AgentResult(agent: .crawler, retrieval: answer(Data("no".utf8), status: 403))],
                            edges: refused)), 5...12, "✗ example.com  Links open the website, not the app."
                ),
                (
                    "propagating", report(origin: changed("Sat, 21 Nov 2026 04:00:00 GMT"), full(edges: behind)), 1...2,
                    "~ example.com  Propagating: 5 of 8 edges have the new file, 3 h after the change"
                ),
                (
                    "divergent",
                    report(
                        origin: answer(good),
                        full(edges: (1...8).map { edge("17.253.1.\($0)", old) })), 6...11,
                    "~ example.com  Phones use a different file"
                ),
                ("mixed", report(mixed), 8...30, "✗ example.com  "),
                ("silent", report(origin: silence(), silent), 3...14, "✗ example.com  "),
            ]
        }

        @Test("no line is wider than the terminal; a cause is shown once", arguments: [40, 80, 120])
        func terminals(_ width: Int) {
            for (name, report, lines, begin) in Self.scenes {
                for isUnicode in [true, false] {
                    for isColoured in [true, false] {
                        for isVerbose in [true, false] {
                            let style = TextStyle(isColoured: isColoured, width: width, isUnicode: isUnicode)
                            let text = report.text(style: style, isVerbose: isVerbose)
                            let plain = text.replacing(/\u{1B}\[[0-9;]*m/, with: "")
                            let found = plain.split(separator: "\n", omittingEmptySubsequences: false)
                            #expect(text.contains("\u{1B}") == isColoured)
                            for line in found where !line.contains("/") {
                                #expect(line.count <= width, "\(name): \(line)")
                            }
                            #expect(isUnicode || plain.utf8.allSatisfy { $0 < 0x80 }, "\(name): \(plain)")
                            if isUnicode, width >= 80 { #expect(plain.hasPrefix(begin), "\(name): \(plain)") }
                            if width >= 80, !isVerbose { #expect(lines.contains(found.count), "\(name): \(plain)") }
                            let words = plain.split { $0.isWhitespace }.joined(separator: " ")
                            let said = report.diagnosis.cause.map {
                                words.ranges(of: style.signs($0).split { $0.isWhitespace }.joined(separator: " ")).count
                            }
                            #expect(report.isCalm || said ?? 1 == 1, "\(name): \(plain)")
                        }
                    }
                }
            }
        }

        @Test("domains with trouble come first, and a line counts the domains")
        func several() {
            var output = ReportOutput(
                format: .text, isSingle: false, names: ["example.com"], style: TextStyle(isColoured: false, width: 80))
            let order = ["healthy", "propagating", "403 for the crawler"]
            for name in order {
                for scene in Self.scenes where scene.name == name {
                    output.add(scene.report, isBad: false, isShown: true)
                }
            }
            let lines = output.text.split(separator: "\n", omittingEmptySubsequences: false)
            let heads = lines.filter { $0.first.map { "✗~✓".contains($0) } ?? false }.map { $0.prefix(1) }
            #expect(heads == ["✗", "~", "✓"], "\(output.text)")
            #expect(lines.last == "3 domains: 1 failing, 1 propagating, 1 up to date")
        }

        @Test("after a name longer than half a line, the sentence starts on a new line")
        func longNames() {
            let name = "links.example.com  applinks  ABCDE12345.com.example.app"
            let words = "This iPhone uses an older copy: /sub2 opens Safari."
            let style = TextStyle(isColoured: false, width: 80)
            #expect(style.heading(TextStyle.Sign(.failing), name, words) == ["✗ \(name)", "    \(words)"])
        }

        @Test("without Unicode in the locale, bars, arrows and dashes are ASCII")
        func signs() {
            let style = TextStyle(isColoured: false, isUnicode: false)
            let lines = HistoryText.plot([("a", 7200, ""), ("b", 100, "")], width: 10) + ["  ↕ x, 603a95c5… → y · z"]
            let text = style.signs(lines.joined(separator: "\n"))
            #expect(text.utf8.allSatisfy { $0 < 0x80 } && text.contains("  ^ x, 603a95c5... -> y - z"), "\(text)")
        }

        @Test("the reports of several services are aligned in one column")
        func services() throws {
            let subjects = ["webcredentials:example.com", "applinks:example.com"]
            var output = ReportOutput(
                format: .text, isSingle: false, names: subjects,
                style: TextStyle(isColoured: false, breaksDiagnosis: false))
            for service in ["webcredentials", "applinks"] {
                var report = Self.report(Self.full(edges: [Self.edge("17.253.1.1")]))
                report.service = service
                output.add(report, isBad: false, isShown: true)
            }
            let lines = output.text.split(separator: "\n").prefix(2)
            let columns = Set(lines.map { $0.prefix { !$0.isUppercase }.count })
            #expect(lines.count == 2 && columns == [subjects[0].count + 2], "\(output.text)")
        }

        @Test("a report that is OK because of ignored findings says so first, and keeps its warning sign")
        func ignored() {
            let full = Self.full(
                addresses: [Self.address("192.0.2.1", Self.answer(Self.good))],
                agents: [AgentResult(agent: .crawler, retrieval: Self.answer(Data("no".utf8), status: 403))],
                edges: (1...8).map { Self.refusal("17.253.1.\($0)") })
            let rules = Set(Self.report(full).verdict.findings.filter { $0.severity > .note }.map(\.rule))
            let report = Self.report(full, ignoring: rules.sorted { $0.rawValue < $1.rawValue }, reason: "ticket 12")
            #expect(report.verdict.level == .ok && !report.isCalm)
            let style = TextStyle(isColoured: false, breaksDiagnosis: false)
            let lines = report.text(style: style).split(separator: "\n")
            #expect(lines[0] == "example.com  OK  Links open the website, not the app.")
            let note = "    note  OK because the configuration ignores "
            #expect(lines[1].hasPrefix(note) && lines[1].hasSuffix(": ticket 12"), "\(lines)")
            #expect(report.text(style: TextStyle(isColoured: false)).hasPrefix("~ example.com  "))
            #expect(report.markdown.contains("OK because the configuration ignores "), "\(report.markdown)")
            var output = ReportOutput(format: .text, isSingle: false, names: ["example.com"], style: style)
            output.add(report, isBad: false, isShown: true)
            #expect(output.text.hasSuffix("1 domain: 1 OK with ignored findings"), "\(output.text)")
        }

        @Test("if the origin has no file, a copy is not counted as wrong")
        func copies() {
            let report = Self.report(
                origin: Self.silence(),
                Self.full(
                    addresses: [Self.address("192.0.2.1", Self.silence())],
                    edges: (1...3).map { Self.edge("17.253.1.\($0)") }))
            let text = report.text(style: TextStyle(isColoured: false, breaksDiagnosis: false))
            #expect(text.contains(" · Apple has a file on 3 of 3 edges"), "\(text)")
        }

        @Test("the requested service is in the heading, the JSON and the JUnit report")
        func asked() throws {
            var report = Self.report(Self.full(edges: [Self.edge("17.253.1.1")]))
            report.service = "webcredentials"
            #expect(text(report).hasPrefix("✓ webcredentials:example.com  "))
            #expect(try json(report)["service"] as? String == "webcredentials")
            var junit = JUnit(command: "check")
            junit.add(report, isBad: false)
            #expect(junit.xml.contains(#"name="webcredentials:example.com""#), "\(junit.xml)")
            report.service = nil
            #expect(try json(report)["service"] is NSNull)
        }

        @Test("if servers differ, the report says which one has what")
        func different() {
            let text = text(Self.report(Self.mixed), width: 120)
            for words in [
                "4 addresses, not all alike:", "carrier grade nat", "4 edges, not all alike:",
                "the origin's file, age 120 s of 21600 s, from usqas4", "status 404, Apple says: SWCERR00301 Timeout",
                "as Apple's crawler (AASA-Bot): status 403",
                "at /apple-app-site-association: another file", "from tokyo: no answer: Connection timed out",
                "https://example.com/help", "leads to the App Store",
            ] { #expect(text.contains(words), "\(words)\n\(text)") }
            #expect(!text.contains("(CFNetwork)"))
        }

        @Test("no line of the evidence is wider than the terminal", arguments: [60, 80, 100, 120])
        func width(_ width: Int) {
            let report = Self.report(Self.mixed)
            let lines = EvidenceText(report: report, style: TextStyle(isColoured: false, width: width)).lines
            for line in lines where !line.contains("https://") { #expect(line.count <= width, "\(line)") }
        }

        @Test("text from servers cannot control the terminal")
        func hostile() {
            let evil = "\u{1B}[31m\u{202E}\u{07}\u{9B}2J"
            var result = Self.mixed
            result.edges[0].retrieval = Self.answer(Self.good, ["Via": "1.1 \(evil)", "Age": "1", "Apple-From": evil])
            result.edges[1].retrieval = Self.answer(Data(), status: 404, ["Apple-Failure-Reason": "SWCERR1 \(evil)"])
            result.vantages = [VantageResult(name: evil, retrieval: Self.silence(evil))]
            result.agents[0].retrieval = Self.answer(Data(), ["Content-Type": evil])
            result.pages[0].url = evil
            var origin = Self.answer(Self.good)
            origin.connection?.tls?.chain[0].subject = "CN = \(evil)"
            origin.redirects = [RedirectHop(status: 302, from: evil, location: evil, target: evil)]
            let report = Self.report(origin: origin, result)
            for text in [text(report), report.json.text(isPretty: true)] {
                let bad = text.unicodeScalars.filter { scalar in
                    scalar != "\n" && [.control, .format].contains(scalar.properties.generalCategory)
                }
                #expect(bad.isEmpty)
            }
        }

        // MARK: - JSON

        private func json(_ report: CheckReport) throws -> [String: Any] {
            let object = try JSONSerialization.jsonObject(with: Data(report.json.text(isPretty: false).utf8))
            return try #require(object as? [String: Any])
        }

        @Test("each address is listed with its response")
        func addresses() throws {
            let origin = try #require(json(Self.report(Self.mixed))["origin"] as? [String: Any])
            let addresses = try #require(origin["addresses"] as? [[String: Any]])
            try #require(addresses.map { $0["family"] as? Int } == [4, 4, 6, 4])
            #expect(addresses.map { $0["reachable"] as? Bool } == [true, true, false, true])
            #expect(addresses.map { $0["status"] as? Int } == [200, 200, nil, 403])
            #expect(addresses.map { $0["scope"] as? String } == ["public", "public", "public", "carrier_grade_nat"])
            #expect(addresses[0]["meaning"] as? String == origin["meaning"] as? String)
            #expect((addresses[2]["error"] as? String)?.hasPrefix("timed_out: ") == true)
            #expect((origin["resolution"] as? [String: Any])?["ms"] as? Double == 1.5)
            let chain = try #require((origin["tls"] as? [String: Any])?["chain"] as? [[String: Any]])
            #expect(
                chain.map { $0["issuer"] as? String } == [
                    "C = US, O = Let's Encrypt, CN = R11", "C = US, O = ISRG, CN = ISRG Root X1",
                ])
        }

        @Test("each edge is listed with Apple's reason")
        func edges() throws {
            let report = try json(Self.report(Self.mixed))
            let cdn = try #require(report["cdn"] as? [String: Any])
            #expect(cdn["from"] as? String == "https://example.com/a, https://www.example.com/a")
            let edges = try #require(cdn["edges"] as? [[String: Any]])
            try #require(edges.map { $0["age_seconds"] as? Int } == [120, 7200, nil, nil])
            #expect(edges.map { $0["max_age_seconds"] as? Int } == [21_600, 21_600, 3600, nil])
            #expect((edges[2]["failure"] as? [String: Any])?["code"] as? String == "SWCERR00301")
            #expect(edges[3]["error"] is String)
            let pages = try #require(report["pages"] as? [[String: Any]])
            #expect(pages.map { $0["app_store"] as? String } == [nil, "https://apps.apple.com/app/id1"])
        }

        @Test("a light check reports its only connection")
        func light() throws {
            let report = try json(Self.report(nil))
            #expect(report["depth"] as? String == "light")
            let origin = try #require(report["origin"] as? [String: Any])
            #expect((origin["addresses"] as? [[String: Any]])?.map { $0["address"] as? String } == ["192.0.2.1"])
            #expect(origin["resolution"] is NSNull)
            #expect(((report["cdn"] as? [String: Any])?["edges"] as? [Any])?.count == 1)
        }
    }
}
