import Evidence
import Facts
import Foundation
import Monitoring
import Testing

@testable import Alerting

extension AlertingSuite {
    /// `origin.broken` covers many different faults.
    @Suite("Headlines of a broken origin")
    struct HeadlineTests {
        private static let refusals = AgentRefusals(
            agents: [], plain: .noFile, first: .status(403), addresses: [], tried: 1)

        private static func vantage(_ fault: VantageFault) -> Problem {
            .origin(.vantageDiffers(fault, [ServedAt(["abroad"], .status(403))], here: .noFile))
        }

        private static func status(_ fault: OriginFault, _ status: Int, _ hosting: HostingFault? = nil) -> Cause {
            Cause(.origin(.status(StatusAnswer(fault: fault, status: status, hosting: hosting))))
        }

        static let causes: [(Cause, String)] = [
            (Cause(.origin(.crawlerRefused(refusals))), "the origin refuses Apple's user agents"),
            (
                Cause(.origin(.crawlerRefused(refusals)), as: .crawlerRefusedByAgent),
                "the origin refuses Apple's user agents"
            ),
            (Cause(vantage(.refused)), "the origin refuses other locations"),
            (Cause(vantage(.otherFile)), "the origin answers other locations differently"),
            (.access(.refusedHereOnly(.crawler, here: .status(403))), "the origin refuses this machine"),
            (.access(.elsewhereFine("home", here: .status(403))), "the origin refuses this machine"),
            (
                .access(
                    .challengedHere(
                        BotProtection(.cloudflare, .challenge, sign: "a: b"), status: 403, passes: nil, elsewhere: nil)),
                "bot protection answers instead of the origin"
            ),
            (
                Cause(.origin(.notPublic([ResolvedAddress(address: "10.1.2.3", scope: .private)], of: 1))),
                "the domain has an address that is not public"
            ),
            (.origin(.privateForApple(seen: [], of: 0)), "the domain has an address that is not public"),
            (
                Cause(.origin(.redirect(.privateAddress("https://a.test/")))),
                "the domain has an address that is not public"
            ),
            (status(.status(404), 404), "the origin has no file"),
            (status(.status(403), 403, HostingFault(.amazonS3, .missingOrPrivate)), "the origin has no file"),
            (
                status(.status(404), 404, HostingFault(.heroku, .unknownSite)),
                "the domain points to a host that does not know it"
            ),
            (Cause(.origin(.redirect(.circle))), "the origin redirects instead of serving the file"),
            (status(.status(503), 503), "the origin is in trouble"),
            (status(.behindCloudflare(status: 522), 522), "the origin is in trouble"),
            (status(.status(403), 403), "the origin refuses this machine"),
            (Cause(noService), "the origin serves no valid file"),
        ]

        private func alert(_ cause: Cause, problem: Problem) throws -> Alert {
            var alert = try AlertingTests.alert()
            alert.incident.kind = .originBroken
            return Alert(
                reason: .firing, at: noon, incident: alert.incident,
                facts: IncidentFacts(
                    diagnosis: Diagnosis(effect: Effect(.work(seen: nil)), cause: cause), findings: [Finding(problem)]),
                labels: [:], links: .init(statusPage: nil), instance: "monitor-1")
        }

        @Test("the headline follows from the cause, not from any text", arguments: causes)
        func headline(_ cause: Cause, _ words: String) throws {
            let alert = try alert(cause, problem: Self.noService)
            #expect(alert.trouble == words)
            #expect(alert.summary.contains(words))
        }

        private static let noService = Problem.file(
            .lint(
                LintFinding(
                    rule: "no-service", severity: .error, message: "", fix: "", reference: "", range: 0..<1,
                    start: .init(line: 1, column: 1), end: .init(line: 1, column: 2), pointer: "")))

        private static let findings: [(Problem, String)] = [
            (vantage(.refused), "the origin answers other locations differently"),
            (.origin(.crawlerRefused(refusals)), "the origin refuses Apple's user agents"),
            (.origin(.fault(.privateAddress)), "the domain has an address that is not public"),
            (.origin(.redirect(.circle)), "the origin redirects instead of serving the file"),
            (noService, "the origin serves no valid file"),
        ]

        @Test("if the cause is another problem, the headline comes from the finding", arguments: findings)
        func finding(_ problem: Problem, _ words: String) throws {
            #expect(try alert(Cause(.cdn(.missing(status: 404, at: nil))), problem: problem).trouble == words)
        }
    }
}
