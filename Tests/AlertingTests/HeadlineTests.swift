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
            (.origin(.privateForApple(seen: [])), "the domain has an address that is not public"),
            (
                .origin(.fault(.redirectToPrivateAddress("https://a.test/"), place: FaultPlace())),
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
            (.origin(.fault(.redirectLoop, place: FaultPlace())), "the origin redirects in place of the file"),
            (.origin(.fault(.status(503), place: FaultPlace())), "the origin is in trouble"),
            (.origin(.fault(.behindCloudflare(status: 522), place: FaultPlace())), "the origin is in trouble"),
            (.origin(.fault(.status(403), place: FaultPlace())), "the origin refuses this machine"),
            (.file(.fault(Rule(rawValue: "aasa.json-syntax"))), "the origin serves no valid file"),
        ]

        private func alert(_ cause: Cause, rule: String) throws -> Alert {
            var alert = try AlertingTests.alert()
            alert.incident.kind = .originBroken
            let finding = Finding(
                rule: Rule(rawValue: rule), severity: .error, message: "words that say nothing", fix: "x",
                reference: "https://example.test/r")
            return Alert(
                reason: .firing, at: noon, incident: alert.incident,
                facts: IncidentFacts(
                    diagnosis: Diagnosis(effect: Effect(.work(seen: nil)), cause: cause), findings: [finding]),
                labels: [:], links: .init(statusPage: nil))
        }

        @Test("the headline follows from the cause, and from no sentence", arguments: causes)
        func headline(_ cause: Cause, _ words: String) throws {
            let alert = try alert(cause, rule: "aasa.json-syntax")
            #expect(alert.trouble == words)
            #expect(alert.summary.contains(words))
        }

        @Test(
            "where the cause is about another problem, the incident's own finding tells",
            arguments: [
                ("origin.crawler-refused", "the origin refuses Apple's user agents"),
                ("origin.vantage-refused", "the origin gives other places something else"),
                ("origin.not-public-address", "the domain has an address that is not public"),
                ("origin.redirect", "the origin redirects in place of the file"),
                ("aasa.no-service", "the origin serves no valid file"),
            ])
        func finding(_ rule: String, _ words: String) throws {
            #expect(try alert(.copy(.missing), rule: rule).trouble == words)
        }
    }
}
