import Evidence
import Foundation
import Monitoring
import Testing

@testable import Alerting

extension AlertingSuite {
    /// `origin.broken` gathers many troubles.
    @Suite("Headlines of a broken origin")
    struct HeadlineTests {
        private static let refusal = AgentRefusal(agent: .crawler, given: .status(403))
        private static let seen = [GivenAt(["abroad"], .status(403))]

        static let causes: [(Cause, String)] = [
            (.access(.agentRefused(refusal)), "the origin refuses Apple's user agents"),
            (
                .access(.agentRefusedAsApple(refusal, AppleWord(code: nil, reason: "403"))),
                "the origin refuses Apple's user agents"
            ),
            (.access(.vantageRefused(seen, nil)), "the origin refuses other places"),
            (
                .access(.vantageDiffers(.otherFile, seen, nil)), "the origin gives other places something else"
            ),
            (.access(.refusedHereOnly(.crawler, here: .status(403))), "the origin refuses this machine"),
            (.access(.elsewhereFine("home", here: .status(403))), "the origin refuses this machine"),
            (
                .access(
                    .challengedHere(
                        BotProtection(.cloudflare, .challenge, sign: "a: b"), status: 403, passes: nil, elsewhere: nil)),
                "a bot protection answers in place of the origin"
            ),
            (.origin(.privateAddress(["10.1.2.3"], of: 1)), "the domain has an address that is not public"),
            (.origin(.privateForApple(seen: [], of: 0)), "the domain has an address that is not public"),
            (
                .origin(.fault(.redirect(.privateAddress("https://a.test/")), place: FaultPlace())),
                "the domain has an address that is not public"
            ),
            (.origin(.notDeployed(status: 404)), "the origin has no file"),
            (
                .origin(.hosting(HostingFault(.amazonS3, .missingOrPrivate), status: 403)), "the origin has no file"
            ),
            (
                .origin(.hosting(HostingFault(.heroku, .unknownSite), status: 404)),
                "the domain leads to a host that does not know it"
            ),
            (.origin(.fault(.redirect(.circle), place: FaultPlace())), "the origin redirects in place of the file"),
            (.origin(.fault(.status(503), place: FaultPlace())), "the origin is in trouble"),
            (.origin(.fault(.behindCloudflare(status: 522), place: FaultPlace())), "the origin is in trouble"),
            (.origin(.fault(.status(403), place: FaultPlace())), "the origin refuses this machine"),
            (.file(.fault(Rule(rawValue: "aasa.json-syntax"))), "the origin serves no valid file"),
        ]

        private func alert(_ cause: Cause, matter: Matter) throws -> Alert {
            var alert = try AlertingTests.alert()
            alert.incident.kind = .originBroken
            return Alert(
                reason: .firing, at: noon, incident: alert.incident,
                facts: IncidentFacts(
                    diagnosis: Diagnosis(effect: Effect(.work(seen: nil)), cause: cause), findings: [Finding(matter)]),
                labels: [:], links: .init(statusPage: nil), instance: "monitor-1")
        }

        @Test("the headline follows from the cause, and from no sentence", arguments: causes)
        func headline(_ cause: Cause, _ words: String) throws {
            let alert = try alert(cause, matter: Self.noService)
            #expect(alert.trouble == words)
            #expect(alert.summary.contains(words))
        }

        private static let noService = Matter.file(
            .lint(
                LintMatter(
                    rule: "no-service", severity: .error, line: 1, column: 1, message: "", fix: "", reference: "")))

        private static let refusals = AgentRefusals(
            agents: [], plain: .file(""), first: .status(403), addresses: [], tried: 1)

        private static let vantages = [try? Domain("example.com")].compactMap { domain in
            domain.map { Matter.origin(.vantageDiffers(.refused, [], here: .file(""), $0)) }
        }

        private static let findings: [(Matter, String)] =
            vantages.map { ($0, "the origin gives other places something else") } + [
                (.origin(.crawlerRefused(refusals)), "the origin refuses Apple's user agents"),
                (.origin(.fault(.privateAddress)), "the domain has an address that is not public"),
                (.origin(.fault(.redirect(.circle))), "the origin redirects in place of the file"),
                (noService, "the origin serves no valid file"),
            ]

        @Test("where the cause is about another problem, the incident's own finding tells", arguments: findings)
        func finding(_ matter: Matter, _ words: String) throws {
            #expect(try alert(.copy(.missing), matter: matter).trouble == words)
        }
    }
}
