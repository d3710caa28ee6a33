import Evidence
import Facts
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("Depth")
    struct DepthTests {
        static let file = Reply.file(SampleFile.version(1))
        private static let hour: Duration = .seconds(3600)

        /// A domain that was healthy at a full check at the beginning.
        private func calm() throws -> Course {
            var course = try Course()
            try course.probed(at: 0, Self.file, Self.file)
            return course
        }

        @Test("the first check is light; the first full checks of many domains are spread over the interval")
        func firstResult() throws {
            let unseen = DomainState(domain: try Domain("example.com"))
            #expect(unseen.depth(fullEvery: Self.hour, now: .testing) == .light)
            var minutes: [Int] = []
            for number in 0..<200 {
                var course = try Course("site\(number).test")
                let first = try course.glance(Self.file, Self.file)
                #expect(first.isNews && !course.state.wantsFullProbe(after: first))
                try course.probed(at: 0, Self.file, Self.file, full: nil)
                let due = (0...60).first {
                    course.state.depth(fullEvery: Self.hour, now: .testing + Double($0) * 60) == .full
                }
                minutes.append(try #require(due))
            }
            for quarter in 0..<4 { #expect((30...70).contains(minutes.count { ($0 - 1) / 15 == quarter })) }
        }

        @Test(
            "a problem at first sight gets a full check immediately",
            arguments: [Reply.status(404), .failed(.timedOut)])
        func firstTrouble(_ reply: Reply) throws {
            let course = try Course()
            #expect(course.state.wantsFullProbe(after: try course.glance(Self.file, reply)))
            #expect(course.state.wantsFullProbe(after: try course.glance(reply, Self.file)))
        }

        @Test(
            "a healthy domain gets a full check once it is due",
            arguments: [
                (0.0, Depth.light), (3599, .light), (3600, .full), (86400, .full),
            ])
        func time(_ seconds: Double, _ depth: Depth) throws {
            #expect(try calm().state.depth(fullEvery: Self.hour, now: .testing + seconds) == depth)
        }

        @Test("a light check does not delay the next full one")
        func lightCheck() throws {
            var course = try calm()
            try course.probed(at: 0.9, Self.file, Self.file, full: nil)
            #expect(course.state.lastFullAt == .testing)
            #expect(course.state.depth(fullEvery: Self.hour, now: .testing + 3600) == .full)
        }

        @Test(
            "a problem gets a full check every five minutes, but not long-lasting notes or our own trouble",
            arguments: [
                (.origin(.fault(.tlsVersion)), .full), (.origin(.falseEncoding("utf-8")), .full),
                (.cdn(.divergent()), .full), (.cdn(.propagating(OriginChange(at: .testing - 60))), .light),
                (.file(.lint(lint(.warning))), .light), (.file(.lint(lint(.error))), .light),
                (.origin(.certificateExpiring(.testing)), .light),
                (.vantageFailed("a", detail: nil), .light),
            ] as [(Problem, Depth)])
        func findings(_ problem: Problem, _ depth: Depth) throws {
            var state = try calm().state
            state.verdict?.findings = [Finding(problem)]
            #expect(state.depth(fullEvery: Self.hour, now: .testing + 239) == .light)
            #expect(state.depth(fullEvery: Self.hour, now: .testing + 240) == depth)
            #expect(state.depth(fullEvery: .seconds(60), now: .testing + 60) == .full)
        }

        private static func lint(_ severity: Severity) -> LintFinding {
            LintFinding(
                rule: "a", severity: severity, message: "", fix: "", reference: "", range: 0..<1,
                start: .init(line: 1, column: 1), end: .init(line: 1, column: 2), pointer: "")
        }

        @Test(
            "while an incident is open, pending or recovering, full checks are frequent, except near a certificate's expiry",
            arguments: IncidentKind.ofDomains, [Incident.State.pending, .firing, .recovering])
        func incidents(_ kind: IncidentKind, _ stage: Incident.State) throws {
            var state = try calm().state
            state.open[kind] = TrackedIncident(
                incident: Incident(
                    id: "1", subject: .domain(state.domain), kind: kind, severity: .error, state: stage,
                    since: .testing,
                    openedAt: .testing))
            // A copy within its time is on its way, which is not a problem.
            let isOnItsWay = kind == .cdnStale && stage == .pending
            // A file looks the same to each request.
            let isStanding = kind == .certificateExpiring || kind == .fileBroken
            let expected: Depth = isStanding || isOnItsWay ? .light : .full
            #expect(state.depth(fullEvery: Self.hour, now: .testing + 60) == .light)
            #expect(state.depth(fullEvery: Self.hour, now: .testing + 240) == expected)
        }

        static let second = Reply.file(SampleFile.version(2))
        static let followed: [(origin: Reply, cdn: Reply?, Bool)] = [
            (file, file, false), (.file(SampleFile.spaced(1)), file, false), (second, file, true),
            (second, second, true), (file, second, true), (file, .status(404), true), (file, .failed(.timedOut), true),
            (.status(404), file, true), (.failed(.timedOut), file, true), (.certificate(.expired), file, true),
            (.failed(.own), file, false),
        ]

        @Test(
            "a light check is followed by a full one if it shows a change or a problem", arguments: 0..<followed.count)
        func following(_ index: Int) throws {
            let (origin, cdn, isFollowed) = Self.followed[index]
            let state = try calm().state
            let now = Date.testing + 300
            let light = try Observation.of(at: now, origin: origin, cdn: cdn)
            let judged = evaluate(state, light, Policy(), now: now, wall: now)
            #expect(state.wantsFullProbe(after: judged) == isFollowed)
        }

        @Test("a problem that a light check sees again is confirmed, with the evidence of the full check")
        func confirmation() throws {
            var course = try calm()
            let fault = Reply.status(500)
            try course.probed(at: 0.1, fault, Self.file)
            let full = try #require(course.state.verdict)
            let light = try course.glance(fault, Self.file)
            #expect(!light.isNews && !course.state.wantsFullProbe(after: light))
            #expect(light.state.open[.originBroken]?.incident.state == .firing)
            #expect(light.verdict == full)
        }

        static let otherTrouble: [(origin: Reply, cdn: Reply?, Bool)] = [
            (.failed(.timedOut), file, false), (.status(502), .status(404), false), (file, file, true),
            (second, file, true), (file, .status(404), true),
        ]

        @Test(
            "a problem in another form waits for the next full check; its end does not",
            arguments: 0..<otherTrouble.count)
        func inAnotherForm(_ index: Int) throws {
            let (origin, cdn, isFollowed) = Self.otherTrouble[index]
            var course = try calm()
            for minute in 1...2 { try course.probed(at: Double(minute) / 60, .status(500), Self.file) }
            let light = try course.glance(origin, cdn)
            #expect(light.isNews)
            #expect(course.state.wantsFullProbe(after: light) == isFollowed)
            #expect(light.state.verdict == light.verdict)
        }

        @Test("after a light check that saw something else, the verdict of the earlier full check no longer holds")
        func interrupted() throws {
            var course = try calm()
            try course.probed(at: 0.1, .status(500), Self.file)
            try course.probed(at: 0.11, .failed(.timedOut), Self.file, full: nil)
            let light = try course.glance(.status(500), Self.file)
            #expect(light.isNews && light.state.lightFingerprint == nil)
        }

        @Test("an end that needs one more good check gets a full check")
        func recovering() throws {
            var course = try calm()
            for minute in 1...2 { try course.probed(at: Double(minute) / 60, .status(500), Self.file) }
            course.policy.checks.recoveryThreshold = 2
            try course.probed(at: 0.1, Self.file, Self.file)
            #expect(course.open(.originBroken)?.incident.state == .recovering)
            let light = try course.glance(Self.file, Self.file)
            #expect(!light.isNews && course.state.wantsFullProbe(after: light))
        }

        @Test("a stale copy grows older in a verdict that is kept")
        func aging() throws {
            var course = try calm()
            try course.probed(at: 1, Self.second, Self.file)
            let light = try course.glance(Self.second, Self.file)
            #expect(!light.isNews)
            #expect(light.verdict.comparison.lagSeconds == 60)
        }

        @Test("a full check that replaces a light one counts as one check, and knows what the light one saw")
        func replacing() throws {
            let state = try calm().state
            let now = Date.testing + 300
            let light = try Observation.of(at: now, origin: Self.second, cdn: Self.file)
            var full = try Observation.of(at: now, origin: Self.file, cdn: Self.file)
            full.full = FullCheck(resolution: Resolution(source: .proxy))
            let evaluation = evaluate(state, full, Policy(), now: now, wall: now, replacing: light)
            #expect(evaluation.state.recentContents.count == 3)
            #expect(evaluation.state.originPeriods.count == 3)
            #expect(evaluation.state.lastFullAt == now)
            #expect(evaluation.state.open.isEmpty)

            let fault = try Observation.of(at: now, origin: .status(503), cdn: Self.file)
            let well = evaluate(
                state, full, Policy(CheckSettings(failureThreshold: 1)), now: now, wall: now, replacing: fault)
            #expect(well.changes.isEmpty && well.state.originValidSince == .testing)
        }
    }
}
