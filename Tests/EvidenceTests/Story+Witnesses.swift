// Stories in which several witnesses speak at once: Apple's word of one thing, this machine of another, a copy of a third.

import Evidence
import Facts
import Foundation
import TestSupport

extension Story {
    static let witnesses: [Story] = [
        Story(
            "Apple is refused, and this machine meets an expired certificate", origin: .certificate(.expired),
            cdn: forbidden, scene: .calm(.certificate(.expired), cdn: forbidden),
            findings: ["origin.certificate-expired error", "cdn.crawler-error error"], id: .originFault,
            words: [
                "403 Forbidden\".", "This machine sees a different problem", "Allow AASA-Bot through the firewall",
                "For the problem seen here: Renew the certificate",
            ]),
        Story(
            "Apple met 404, and this machine meets 500", origin: .status(500), cdn: notFound,
            scene: .calm(.status(500), cdn: notFound),
            findings: ["origin.status error", "cdn.crawler-error error"], id: .originFault,
            words: [
                "404 Not Found", "This machine sees a different problem", "Make sure that every server has the file",
            ]),
        Story(
            "Apple gets 404, and so does its agent here", cdn: notFound,
            scene: .calm(good, cdn: notFound).refusing(.status(404)),
            findings: ["origin.crawler-refused error", "cdn.crawler-error error"], id: .crawlerRefusedByAgent,
            words: [
                "AASA-Bot and CFNetwork get 404", "Serve the file to every user agent",
            ]
        ) { $0.unsaid = ["Wait", "firewall"] },
        Story(
            "a redirect to another site, whose name does not resolve",
            origin: Reply.failed(.nameNotFound, .resolving).redirected(to: "https://sso.corp.test/"), cdn: .status(404),
            scene: .calm(Reply.status(302).redirected(to: "https://sso.corp.test/"), cdn: .status(404)),
            findings: ["origin.dns-failed error", "origin.redirect error"], id: .originFault,
            words: [
                "redirects to", "sso.corp.test", "Serve the file at /.well-known/apple-app-site-association itself",
            ]
        ) { $0.unsaid = ["entitlements"] },
        Story(
            "Apple says that the certificate has expired", cdn: .crawler("SWCERR00303 x509: certificate has expired"),
            findings: failing, id: .crawlerCause, words: ["has expired", "Renew the certificate on every server"]
        ) { $0.unsaid = ["full certificate chain"] },
        Story(
            "Apple refuses an address that is public from here",
            cdn: .crawler("SWCERR00202 Connections to private/reserved IP addresses are not allowed"),
            findings: failing, id: .crawlerPrivateAddress,
            words: ["From here every address is public", "each of the domain's name servers"]
        ) { $0.unsaid = ["Publish the domain"] },
        Story(
            "the origin's file no longer has applinks",
            origin: .file(#"{"webcredentials":{"apps":["ABCDE12345.com.example.app"]}}"#), cdn: good,
            findings: ["aasa.links-removed error", "cdn.divergent warning"], id: .originLosesLinks,
            words: ["no longer opens any links", "only covers webcredentials", "Put the apps back under applinks"]
        ) { $0.unsaid = ["make sure that AASA-Bot"] },
        Story(
            "Apple's copy is a greeting", cdn: .file(#"{"message":"Welcome"}"#),
            findings: ["cdn.bad-copy error", "cdn.divergent warning"], id: .badCopy,
            words: ["not an apple-app-site-association file"]),
        Story(
            "a certificate that expired before Apple got the file", origin: expiredLongAgo,
            cdn: good.with { $0.headers["Age"] = "60" },
            scene: .calm(expiredLongAgo, cdn: good.with { $0.headers["Age"] = "60" }),
            findings: ["origin.certificate-expired error"], id: .originFault,
            words: [
                "Apple's crawler got the file since then: its copy is 60 s old",
                "First check from another network",
            ]),
        Story(
            "one address answers with 503 and with the file in turn", origin: .status(503), cdn: good,
            scene: .calm(good, cdn: good).addresses([good]),
            findings: ["origin.status error"], id: .originFault,
            words: ["At 192.0.2.1", "Another request of this check got the file there"]),
        Story(
            "one address refuses, the other one has an old certificate", origin: .status(403), cdn: forbidden,
            scene: .calm(.status(403), cdn: forbidden).addresses([.status(403), .certificate(.expired)]),
            findings: ["origin.certificate-expired error", "origin.status error", "cdn.crawler-error error"],
            id: .addressesFailVariously,
            words: ["None of the 2 addresses", "192.0.2.2 shows a certificate", "status 403"]),
        Story(
            "a redirect to the page for what is not there",
            origin: Reply.page(200, "<html><title>Oops</title>").redirected(to: "https://example.com/404", status: 302),
            cdn: .status(404),
            scene: .calm(Reply.status(302).redirected(to: "https://example.com/404", status: 302), cdn: .status(404)),
            findings: ["origin.redirect error", "origin.content-type error", "aasa.json-syntax error"],
            id: .originFault,
            words: ["redirects to https://example.com/404, an HTML page", "from the redirect"]),
        Story(
            "a private address here beside a copy of ten days",
            cdn: good.with { $0.headers["Age"] = "864000" },
            scene: Scene.calm(good, cdn: good.with { $0.headers["Age"] = "864000" }).with {
                $0.addresses = [("10.1.2.3", .private, good)]
            },
            findings: ["origin.not-public-address error"], id: .privateAddress,
            words: ["no public address", "10.1.2.3"]
        ) { $0.unsaid = ["Nothing needs to be done at the site"] },
        Story(
            "Apple finds the file too large, and so it is here", origin: large, cdn: tooLarge,
            scene: .calm(large, cdn: tooLarge),
            findings: ["origin.too-large error", "cdn.crawler-error error"], id: .originFault,
            words: ["File too large\"; we see the same.", "Use wildcard patterns"]
        ) { $0.unsaid = ["a different problem"] },
    ]

    private static let large = Reply.file(SampleFile.version(1) + String(repeating: " ", count: 140_000))
    private static let tooLarge = Reply.crawler("SWCERR00402 File too large")

    private static let expiredLongAgo = Reply.certificate(.expired).with {
        $0.tls?.chain = [
            CertificateFacts(
                subject: "CN = example.com", issuer: "CN = a", notBefore: .testing - 90 * 86_400,
                notAfter: .testing - 24 * 86_400, names: ["example.com"])
        ]
    }
}
