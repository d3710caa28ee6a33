// Who may be blamed: the whole space of what the site was seen to do, and of what the control says of this machine at each step.

import Facts
import Foundation
import TestSupport
import Testing

@testable import Evidence

/// Who is blamed.
enum Blame: Equatable {
    /// Tested: the same step works for others.
    case site(isTested: Bool)
    case machine
    case nobody
}

/// What this machine's requests to others met, by the step that fails there.
enum ControlCase: String, CaseIterable {
    case passes, noNameServer, noName, nameServerFails, noIPv6, noConnection, trust, interception, dates, clockAhead,
        portal, gate
    case untested

    private static let apple = Story.good.with { $0.headers["Apple-From"] = "https://example.com/x" }

    /// The answer of Apple's CDN; nil: it was not asked.
    var cdn: Reply? {
        switch self {
        case .passes, .noIPv6, .clockAhead: Self.apple
        case .noNameServer: .failed(.noNameServer, .resolving)
        case .noName: .failed(.nameNotFound, .resolving)
        case .nameServerFails: .failed(.nameServerFailure, .resolving)
        case .noConnection: .failed(.timedOut, .connecting)
        case .trust: Self.shown("CN=Apple Root", .untrustedRoot, for: "app-site-association.cdn-apple.com")
        case .interception: Self.shown("CN=Issuer", .untrustedRoot, for: "app-site-association.cdn-apple.com")
        case .dates: Self.shown("CN=Apple Root", .expired, for: "app-site-association.cdn-apple.com")
        case .portal: Self.shown("CN=Issuer", .nameMismatch, for: "login.example.net")
        case .gate: .status(511, ["Content-Type": "text/html"])
        case .untested: nil
        }
    }

    static func shown(_ issuer: String, _ problem: CertificateProblem, for name: String) -> Reply {
        Reply.certificate(problem).with {
            $0.tls?.chain[0].subject = "CN=\(name)"
            $0.tls?.chain[0].issuer = issuer
        }
    }

    var result: ControlResult {
        var result = ControlResult(families: self == .noIPv6 ? [4] : [4, 6])
        switch self {
        case .clockAhead: result.clock = ClockResult(apple: .testing - 400 * 86_400, own: .testing)
        case .untested: result.families = nil
        default: break
        }
        return result
    }
}

/// What a request to the site met, and which cases of the control fail alike.
struct SiteCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reply: Reply
    let alike: Set<ControlCase>
    /// The cases in which the step is seen to work for others.
    let passing: Set<ControlCase>
    /// The addresses that it was tried at.
    var six = false

    static let reached: Set<ControlCase> = [
        .passes, .noIPv6, .trust, .interception, .dates, .clockAhead, .portal, .gate,
    ]
    private static let verified: Set<ControlCase> = [.passes, .noIPv6, .clockAhead, .gate]

    static let all: [SiteCase] =
        [
            SiteCase("no such name", .failed(.nameNotFound, .resolving), [.noName], reached.union([.noConnection])),
            SiteCase(
                "a name without address", .failed(.noAddress, .resolving), [.noName], reached.union([.noConnection])),
            SiteCase("a time-out", .failed(.timedOut), [.noConnection], reached),
            SiteCase("no route", .failed(.unreachable), [.noConnection], reached),
            SiteCase("a refused connection", .failed(.connectionRefused), [], reached),
            SiteCase("a handshake that breaks off", .failed(.connectionReset, .handshaking), [], reached),
            SiteCase("a time-out over IPv6", .failed(.timedOut), [.noConnection, .noIPv6], reached, six: true),
            SiteCase("an expired certificate", expired, [.dates, .clockAhead], verified.subtracting([.clockAhead])),
            SiteCase(
                "an authority that is not trusted", .certificate(.untrustedRoot), [.trust, .interception], verified),
            SiteCase("a certificate of its own", .certificate(.selfSigned), [.interception], verified),
            SiteCase(
                "a chain without an intermediate", .certificate(.incompleteChain), [.trust, .interception], verified),
            SiteCase(
                "a certificate for another name",
                ControlCase.shown("CN=Issuer", .nameMismatch, for: "login.example.net"),
                [.portal], [.passes, .noIPv6, .clockAhead]),
        ] + answers

    /// Beside a stranger in Apple's place an answer may be the stranger's.
    private static let beside = Set(ControlCase.allCases).subtracting([.gate])

    /// Who answers was met.
    private static let answers: [SiteCase] =
        [
            SiteCase("status 403", .status(403), [], beside),
            SiteCase("status 404", .status(404), [], beside),
            SiteCase("status 500", .status(500), [], beside),
            SiteCase("no answer to the request", .failed(.timedOut, .waiting), [], Set(ControlCase.allCases)),
            SiteCase(
                "a page", .file("<html>").with { $0.headers["Content-Type"] = "text/html" }, [],
                beside),
            // Whatever else this machine can do: no site can know that a network wants a login.
            SiteCase(
                "a network that wants a login", .status(511, ["Content-Type": "text/html"]), Set(ControlCase.allCases),
                []),
        ]

    private static let expired = Reply.certificate(.expired).with {
        $0.tls?.chain[0].notBefore = .testing - 500 * 86_400
        $0.tls?.chain[0].notAfter = .testing - 86_400
    }

    init(_ name: String, _ reply: Reply, _ alike: Set<ControlCase>, _ passing: Set<ControlCase>, six: Bool = false) {
        testDescription = name
        self.reply = reply
        self.alike = alike
        self.passing = passing
        self.six = six
    }

    func verdict(_ control: ControlCase, isFull: Bool) throws -> Verdict {
        var observation =
            isFull
            ? try Observation.of(origin: reply, cdn: control.cdn, scene: scene(control))
            : try Observation.of(origin: reply, cdn: control.cdn)
        observation.control = control.result
        if reply.failure?.phase == .connecting { observation.origin.triedFamilies = six ? [6] : [4] }
        return Verdict(
            of: Readings(observation), history: .none, now: .testing)
    }

    private func scene(_ control: ControlCase) -> Scene {
        Scene.calm(reply, cdn: control.cdn).addresses(six ? [] : [reply], six: six ? [reply] : []).with {
            if control == .noIPv6 { $0.edges = $0.edges.filter { !$0.address.contains(":") } }
        }
    }

    /// A light check asks no edge over IPv6, so that nothing shows whether that works.
    func expected(_ control: ControlCase, _ isFull: Bool) -> Blame {
        alike.contains(control) ? .machine : .site(isTested: passing.contains(control) && (isFull || !six))
    }
}

extension Verdict {
    /// By the findings that are errors.
    var blame: Blame {
        let errors = findings.filter { $0.severity >= .warning && !$0.rule.rawValue.hasPrefix("cdn.") }
        if errors.contains(where: \.isOfThisMachine) { return .machine }
        guard let first = errors.first else { return .nobody }
        return .site(isTested: first.doubt != .untested)
    }
}

extension EvidenceSuite {
    @Suite("The control")
    struct ControlTests {
        /// What the tests here come to.
        static let reached: [DiagnosisID] = [
            .trustStoreLacksRoot, .clockIsWrong, .gateAnswers, .nameServerSlow, .noWayOut, .familyMissingHere,
        ]

        @Test("a site is blamed only where the same step works for others", arguments: SiteCase.all, [true, false])
        func blame(_ site: SiteCase, _ isFull: Bool) throws {
            for control in ControlCase.allCases {
                let verdict = try site.verdict(control, isFull: isFull)
                #expect(
                    verdict.blame == site.expected(control, isFull),
                    "\(control): \(verdict.told), \(verdict.text.oneLine)")
            }
        }

        @Test(
            "where this machine alone is at fault the level is unknown, and nothing is advised for the site",
            arguments: SiteCase.all)
        func level(_ site: SiteCase) throws {
            for control in site.alike {
                let verdict = try site.verdict(control, isFull: true)
                #expect(verdict.level == .unknown, "\(control): \(verdict.told)")
                let text = verdict.text.oneLine
                for advice in [
                    "Renew", "Install a certificate", "full chain", "entitlements", "geo rule", "Publish", "Restart it",
                ] {
                    #expect(!text.contains(advice), "\(control): \(text)")
                }
            }
        }

        @Test("a healthy site stays healthy whatever the control says, but where a gate stands in between")
        func healthy() throws {
            for control in ControlCase.allCases {
                let site = SiteCase("the file", Story.good, [], Set(ControlCase.allCases))
                let verdict = try site.verdict(control, isFull: false)
                #expect(verdict.blame == .nobody, "\(control): \(verdict.told)")
                #expect(verdict.level != .unknown && verdict.level != .failing, "\(control): \(verdict.told)")
            }
        }

        struct Row: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let site: Reply
            let control: ControlCase
            let words: [String]
            var six = false
            var result: (@Sendable (inout ControlResult) -> Void)?

            init(
                _ name: String, _ site: Reply, _ control: ControlCase, _ words: [String], six: Bool = false,
                result: (@Sendable (inout ControlResult) -> Void)? = nil
            ) {
                testDescription = name
                self.site = site
                self.control = control
                self.words = words
                self.six = six
                self.result = result
            }
        }

        static let rows: [Row] = [
            Row(
                "no IPv6 here", .failed(.unreachable), .noIPv6, ["This machine has no IPv6", "what Apple sees"],
                six: true),
            Row(
                "a trust store without roots", .certificate(.incompleteChain), .trust,
                ["trust store has no root", "also refuses Apple's CDN", "--cacert"]),
            Row(
                "a clock that is ahead", SiteCase.all[7].reply, .clockAhead,
                ["clock is 400 days ahead", "Set this machine's clock"]),
            Row("a clock that nobody dates", SiteCase.all[7].reply, .dates, ["clock is most likely wrong"]),
            Row(
                "a captive portal", ControlCase.shown("CN=Issuer", .nameMismatch, for: "login.example.net"), .portal,
                ["A login page or filter of this network", "Log in to this network"]),
            Row(
                "no way out", .failed(.timedOut), .noConnection,
                ["cannot connect to the site or to Apple's CDN", "route, firewall"]),
            Row(
                "no way out but a proxy", .failed(.timedOut), .noConnection,
                ["cannot connect to the site or to Apple's CDN", "--proxy", "https_proxy is set"]
            ) { $0.unusedProxy = "https_proxy" },
            Row(
                "every name fails", .failed(.nameServerFailure, .resolving), .nameServerFails,
                ["does not find example.com or Apple's CDN", "/etc/resolv.conf"]),
            Row(
                "no name server", .failed(.noNameServer, .resolving), .noNameServer,
                ["No name server answers this machine"]),
            Row(
                "a proxy that wants a login", proxy(407), .untested, ["proxy of this machine requires a login", "407"]),
            Row("a proxy that does not allow the host", proxy(403), .passes, ["does not allow this host", "403"]),
        ]

        private static func proxy(_ status: Int) -> Reply {
            Reply.failed(.proxy).with { $0.failure?.proxyStatus = status }
        }

        @Test("what this machine lacks is said by its name", arguments: rows)
        func words(_ row: Row) throws {
            var observation = try Observation.of(origin: row.site, cdn: row.control.cdn)
            var result = row.control.result
            row.result?(&result)
            observation.control = result
            observation.origin.triedFamilies = row.six ? [6] : [4]
            let verdict = Verdict(
                of: Readings(observation), history: .none, now: .testing)
            #expect(verdict.level == .unknown, "\(verdict.told)")
            for words in row.words {
                #expect(
                    verdict.text.oneLine.lowercased().contains(words.lowercased()),
                    "no '\(words)' in: \(verdict.text.oneLine)")
            }
            #expect(!verdict.text.oneLine.contains("DNSSEC"), "\(verdict.text.oneLine)")
        }

        @Test(
            "a stranger in Apple's place is the site's neighbour only where both give the same answer",
            arguments: [
                (403, "no", true), (403, "other", false), (503, "no", false),
            ])
        func filter(_ status: Int, _ body: String, _ isSame: Bool) throws {
            let filter = Reply.status(403, ["Content-Type": "text/plain"]).with { $0.body = Data("no".utf8) }
            let site = Reply.status(status, ["Content-Type": "text/plain"]).with { $0.body = Data(body.utf8) }
            let verdict = try verdict(origin: site, cdn: filter)
            #expect((verdict.level == .unknown) == isSame, "\(verdict.told)")
            #expect(verdict.blame == (isSame ? .machine : .site(isTested: false)), "\(verdict.told)")
        }

        @Test("in developer mode what this machine alone met says nothing of phones")
        func developerMode() throws {
            let login = try #require(ControlCase.gate.cdn)
            let verdict = Verdict(
                of: Readings(try Observation.of(mode: .developer, origin: login, cdn: nil, unasked: .mode)),
                history: .none, now: .testing)
            #expect(verdict.level == .unknown && verdict.diagnosis.id == .gateAnswers, "\(verdict.told)")
            #expect(verdict.diagnosis.effect == Effect(.unknown(.originNotRead), phones: .developer))
        }

        @Test("a network that wants a login is no trouble of Apple's CDN")
        func loginAtCDN() throws {
            let verdict = try verdict(origin: Story.good, cdn: ControlCase.gate.cdn)
            #expect(verdict.told == ["cdn.unreachable warning"])
            #expect(
                verdict.findings.first?.message
                    == "The origin is fine, but Apple's CDN says nothing about the file: another server answers in its place (status 511)."
            )
        }

        @Test("the look-up of the name is no time of the server's")
        func slowNameServer() throws {
            var observation = try Observation.of(origin: Story.good, cdn: ControlCase.passes.cdn)
            observation.origin.connection?.timings = Timings(
                dns: 2003, connect: 2004, tls: 2006, firstByte: 2011, total: 2012)
            let verdict = Verdict(
                of: Readings(observation), history: .none, now: .testing)
            #expect(verdict.told == ["monitor.name-server-slow warning"])
            #expect(verdict.text.oneLine.contains("took 2 s to find the address. The server answered in 7 ms"))
        }

        @Test("a clock that is a little off excuses no certificate that is bad at the true time")
        func clockAndExpired() throws {
            var observation = try Observation.of(origin: SiteCase.all[7].reply, cdn: ControlCase.passes.cdn)
            observation.control = ControlResult(clock: ClockResult(apple: .testing - 3600, own: .testing))
            let verdict = Verdict(
                of: Readings(observation), history: .none, now: .testing)
            #expect(verdict.level == .failing)
            #expect(verdict.diagnosis.id == .originFault)
        }

        private static func judged(
            _ observation: Observation, families: [Int]?, change: (inout ControlResult) -> Void = { _ in }
        ) -> Verdict {
            var observation = observation
            var result = ControlResult(families: families)
            change(&result)
            observation.control = result
            return Verdict(
                of: Readings(observation), history: .none, now: .testing)
        }

        @Test(
            "of two families the one that this machine lacks says nothing of the site",
            arguments: [Failure.Kind.unreachable, .timedOut], [([4], "IPv4"), ([6], "IPv6")])
        func dualStack(_ kind: Failure.Kind, _ own: (families: [Int], name: String)) throws {
            var observation = try Observation.of(origin: .failed(kind), cdn: ControlCase.passes.cdn)
            observation.origin.triedFamilies = [4, 6]
            if own.families == [6] { observation.cdn = observation.cdn.at("2001:db8:e::1") }
            let verdict = Self.judged(observation, families: own.families)
            let text = verdict.text.oneLine
            #expect(verdict.told == ["origin.unreachable error"])
            #expect(text.contains("accepts no connection over \(own.name)") && !text.contains("route"), "\(text)")
            #expect(verdict.blame == .site(isTested: true))
        }

        @Test("what an address of the own family gives counts for the name")
        func dualStackInFull() throws {
            let refused = Reply.failed(.connectionRefused)
            var observation = try Observation.of(
                origin: .failed(.unreachable), cdn: ControlCase.passes.cdn,
                scene: Scene.calm(refused, cdn: ControlCase.passes.cdn).addresses(
                    [refused], six: [.failed(.unreachable)]
                )
                .edges([ControlCase.passes.cdn ?? Story.good]))
            observation.origin.triedFamilies = [4, 6]
            let verdict = Self.judged(observation, families: [4])
            let text = verdict.text.oneLine
            #expect(verdict.told.first == "origin.unreachable error", "\(verdict.told)")
            #expect(text.contains("refuses connections") && !text.contains("route"), "\(text)")
            #expect(verdict.blame == .site(isTested: true))
        }

        @Test("where both families are there, no route is no route")
        func bothFamilies() throws {
            let apple = try #require(ControlCase.passes.cdn)
            var observation = try Observation.of(
                origin: .failed(.unreachable), cdn: apple,
                scene: Scene.calm(.failed(.unreachable), cdn: apple))
            observation.origin.triedFamilies = [4, 6]
            #expect(Self.judged(observation, families: [4, 6]).text.oneLine.contains("no route"))
        }

        @Test(
            "in developer mode a redirect to another site is the network's where a stranger has Apple's place",
            arguments: [
                ("https://login.example.net/", true, true), ("https://login.example.net/", false, false),
                ("https://www.example.com/x", true, false),
            ])
        func portalInDeveloperMode(_ target: String, _ isIntercepted: Bool, _ isMachine: Bool) throws {
            let login = Reply.page(200, "<html><title>Welcome to this network</title>").redirected(
                to: target, status: 302)
            let observation = try Observation.of(mode: .developer, origin: login, cdn: nil, unasked: .mode)
            let stranger = ControlCase.shown("CN=Issuer", .nameMismatch, for: "login.example.net")
            let seen = (isIntercepted ? stranger : Story.good)
                .connectionResult
            let verdict = Self.judged(observation, families: [4]) { $0.reference = seen }
            #expect((verdict.level == .unknown) == isMachine, "\(verdict.told)")
            #expect((verdict.diagnosis.id == .gateAnswers) == isMachine, "\(verdict.text.oneLine)")
        }

        @Test(
            "what Apple's CDN could not be asked for is not put on a machine that others clear, or do not witness against",
            arguments: [Control.Witness.proven, .unfit])
        func cleared(_ witness: Control.Witness) throws {
            var observation = try Observation.of(origin: Story.good, cdn: .failed(.timedOut))
            observation.control = ControlResult(families: [4], unusedProxy: "https_proxy")
            func fix(_ witness: Control.Witness) throws -> String {
                let verdict = Verdict(of: Readings(observation, witness: witness), now: .testing)
                return try #require(verdict.findings.first { $0.rule.rawValue == "cdn.unreachable" }).fix
            }
            #expect(try fix(.asSeen).contains("--proxy"))
            #expect(try !fix(witness).contains("--proxy"))
        }

        struct CDNRow: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let cdn: Reply
            var origin = Story.good
            var six = false
            /// Words of the finding's fix and, where the origin is fine, of the diagnosis.
            let words: String
            var result: (@Sendable (inout ControlResult) -> Void)?
        }

        static let cdnRows: [CDNRow] = [
            CDNRow(
                testDescription: "no name server", cdn: .failed(.noNameServer, .resolving),
                origin: .failed(.noNameServer, .resolving), words: "heck the name servers in /etc/resolv.conf"),
            CDNRow(
                testDescription: "no name server answers for the CDN alone", cdn: .failed(.noNameServer, .resolving),
                words: "ix this machine's DNS"),
            CDNRow(
                testDescription: "a clock that is ahead",
                cdn: ControlCase.shown("CN=Apple Root", .expired, for: "app-site-association.cdn-apple.com"),
                words: "et this machine's clock"
            ) { $0.clock = ClockResult(apple: .testing - 400 * 86_400, own: .testing) },
            CDNRow(
                testDescription: "dates that the site's certificate passes",
                cdn: ControlCase.shown("CN=Apple Root", .notYetValid, for: "app-site-association.cdn-apple.com"),
                words: "xempt Apple's CDN from TLS inspection"),
            CDNRow(
                testDescription: "no IPv6", cdn: .failed(.unreachable), six: true,
                words: "heck from a machine with IPv6, or add a vantage that has it"),
            CDNRow(
                testDescription: "a login page's certificate",
                cdn: ControlCase.shown("CN=Issuer", .nameMismatch, for: "login.example.net"),
                words: "og in to this network, or check from another one"),
            CDNRow(
                testDescription: "a login page", cdn: .status(511, ["Content-Type": "text/html"]),
                words: "og in to this network, or check from another one"),
            CDNRow(
                testDescription: "no way out", cdn: .failed(.timedOut), origin: .failed(.timedOut),
                words: "heck this machine's network"),
            CDNRow(
                testDescription: "no way out but a proxy", cdn: .failed(.timedOut), origin: .failed(.timedOut),
                words: "et the proxy with --proxy"
            ) { $0.unusedProxy = "https_proxy" },
            CDNRow(
                testDescription: "no way to Apple's CDN but a proxy", cdn: .failed(.timedOut),
                words: "et the proxy with --proxy"
            ) { $0.unusedProxy = "https_proxy" },
            CDNRow(
                testDescription: "a name server that fails", cdn: .failed(.nameServerFailure, .resolving),
                words: "ix this machine's DNS"),
            CDNRow(
                testDescription: "traffic that is read", cdn: ControlCase.interception.cdn ?? Story.good,
                origin: .certificate(.untrustedRoot), words: "xempt this machine from the inspection"),
        ]

        @Test("what Apple's CDN could not be asked for is said as the control says it", arguments: cdnRows)
        func cdn(_ row: CDNRow) throws {
            var observation = try Observation.of(origin: row.origin, cdn: row.cdn)
            if row.six { observation.cdn = observation.cdn.at("2001:db8:e::1", tried: [6]) }
            let verdict = Self.judged(observation, families: [4], change: row.result ?? { _ in })
            let finding = try #require(verdict.findings.first { $0.rule.rawValue == "cdn.unreachable" })
            #expect(finding.fix.contains(row.words), "\(finding.fix)")
            #expect(!finding.fix.contains("Apple's CDN over HTTPS"), "\(finding.fix)")
            #expect(finding.fix.contains("TLS inspection") == row.words.contains("TLS inspection"), "\(finding.fix)")
            let action = try #require(verdict.text.action)
            #expect(action.contains(row.words), "\(verdict.text.oneLine)")
            if row.origin.failure == nil {
                #expect(verdict.diagnosis.id == .cdnUnreachable)
                for text in [finding.fix, verdict.text.oneLine] {
                    #expect(!text.contains("othing is known about the site"))
                }
            }
        }
    }
}

extension CDNResult {
    /// Asked at this address.
    fileprivate func at(_ address: String, tried: [Int]? = nil) -> CDNResult {
        guard case .asked(var retrieval) = self else { return self }
        retrieval.connection?.address = address
        retrieval.triedFamilies = tried
        return .asked(retrieval)
    }
}

extension Reply {
    /// A handshake without a request.
    fileprivate var connectionResult: ConnectionResult {
        ConnectionResult(
            failure: failure,
            connection: Connection(
                address: "198.51.100.1", port: 443, httpVersion: nil, tls: tls, timings: Timings(total: 1)))
    }
}
