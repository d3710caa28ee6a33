// Stories in which this machine, or its network, meets what Apple does not.

import Evidence
import Facts
import Foundation
import TestSupport

extension Story {
    private static func aged(_ reply: Reply, _ seconds: Int) -> Reply {
        reply.with { $0.headers["Age"] = "\(seconds)" }
    }

    /// Refused here alike at every address, under every agent.
    private static func refused(
        _ name: String, _ origin: Reply, cdn: Reply = good, scene: Scene? = nil, _ findings: [String],
        _ id: DiagnosisID, _ words: [String], unsaid: [String] = []
    ) -> Story {
        Story(name, origin: origin, cdn: cdn, scene: scene, findings: findings, id: id, words: words) {
            $0.unsaid = unsaid
        }
    }

    static let ownNetwork = turnedAway + privateAddresses + interception

    private static let alone = ["only this machine", "another network", "Links work."]

    private static let turnedAway: [Story] =
        [401, 403, 451].map { status in
            refused(
                "only this machine meets \(status), as Apple's copy shows", .status(status), cdn: aged(good, 300),
                ["origin.status warning"], .turnedAwayHere,
                ["From here your server answers with status \(status)", "5 min old"] + alone,
                unsaid: ["login", "geo rule"])
        } + [
            refused(
                "this machine asks too often", .status(429), ["origin.status warning"], .turnedAwayHere,
                ["status 429", "Check less often"]),
            refused(
                "a challenge that only this machine meets", challenge, ["origin.status warning"], .challengedHere,
                ["status 403", "Cloudflare", "Links work."]),
            refused(
                "a challenge with status 200",
                Reply.file("<!doctype html><html>").with {
                    $0.headers = ["CF-Mitigated": "challenge", "Content-Type": "text/html"]
                },
                ["origin.content-type warning", "aasa.json-syntax warning"], .challengedHere,
                ["status 200", "Cloudflare"]),
            refused(
                "refused here and elsewhere", .status(403),
                scene: .calm(.status(403), cdn: good).with { $0.vantages = [("home", .status(403))] },
                ["origin.status error"], .originFault, ["no geo rule"], unsaid: alone.dropLast()),
            refused(
                "refused here, and an edge says that Apple was refused", .status(403),
                scene: .calm(.status(403), cdn: good).edges([good, forbidden]),
                ["origin.status error", "cdn.crawler-error error", "cdn.edges-differ warning"], .originFault,
                ["status 403"]),
            refused(
                "refused here, and the copy comes with Apple's word of failure", .status(403),
                cdn: good.with { $0.headers["Apple-Failure-Reason"] = "SWCERR00301 Timeout" },
                ["origin.status error", "cdn.crawler-error warning"], .originFault, ["status 403"]),
            refused(
                "refused here, and Apple's copy is days old", .status(403), cdn: aged(good, 300_000),
                ["origin.status error"], .turnedAwayForLong,
                ["status 403", "its copy may be old", "3 days", "Let every client"], unsaid: ["only this machine"]),
            refused(
                "no other status is a matter of who asks", .status(503), ["origin.status error"], .originFault,
                ["status 503"]),
        ]

    private static func placed(_ address: String, _ scope: AddressScope, _ origin: Reply = good, cdn: Reply) -> Scene {
        Scene.calm(origin, cdn: cdn).with { $0.addresses = [(address, scope, origin)] }
    }

    private static let privateAddresses: [Story] =
        [("10.1.2.3", .private), ("198.18.0.7", .reserved), ("100.64.1.1", .carrierGrade), ("127.0.0.1", .loopback)]
        .map { (address: String, scope: AddressScope) in
            Story(
                "\(address) from here, while Apple has the file", cdn: good, scene: placed(address, scope, cdn: good),
                findings: ["origin.not-public-address warning"], id: .privateAddressHere,
                words: [
                    "From here the domain has no public address (\(address))", "hosts file or VPN",
                    "Nothing needs to be done at the site",
                ]
            ) { $0.unsaid = ["refuses to connect"] }
        } + [
            Story(
                "a private address from here, and a change that Apple has not picked up yet",
                origin: modified(good, "Sat, 21 Nov 2026 05:00:00 GMT"), cdn: old,
                scene: placed("10.1.2.3", .private, modified(good, "Sat, 21 Nov 2026 05:00:00 GMT"), cdn: old),
                findings: ["origin.not-public-address warning"], id: .cdnPropagating, words: ["2 h ago"])
        ] + atInternalServer

    /// What is wrong with a server that Apple does not ask is nothing that Apple meets, as its copy shows.
    private static let atInternalServer: [Story] = [
        internalServer("has no file", .status(404), ["origin.status warning"]),
        internalServer("fails", .status(500), ["origin.status warning"]),
        internalServer("is down", .failed(.timedOut), ["origin.timeout warning"]),
        internalServer(
            "has a certificate of its own", .certificate(.selfSigned), ["origin.certificate-untrusted warning"]),
        Story(
            "the internal server has no file, and neither has Apple", origin: .status(404), cdn: notFound,
            scene: placed("10.1.2.3", .private, .status(404), cdn: notFound),
            findings: ["origin.status error", "cdn.crawler-error error", "origin.not-public-address warning"],
            id: .crawlerStillAbsent, words: ["404 Not Found", "10.1.2.3", "does not see what Apple sees"]),
        Story(
            "Apple is refused, and this machine asks an internal server", cdn: forbidden,
            scene: placed("10.1.2.3", .private, cdn: forbidden),
            findings: ["cdn.crawler-error error", "origin.not-public-address warning"], id: .crawlerRefused,
            words: ["403 Forbidden", "10.1.2.3", "does not see what Apple sees", "Allow AASA-Bot"]
        ) { $0.unsaid = ["Publish", "refuses to connect"] },
        Story(
            "the internal server has no file, and neither has another place", origin: .status(404), cdn: good,
            scene: placed("10.1.2.3", .private, .status(404), cdn: good)
                .with { $0.vantages = [("outside", .status(404))] },
            findings: ["origin.status error", "origin.not-public-address warning"], id: .notDeployed,
            words: ["There is no file"]
        ) { $0.unsaid = ["Nothing needs to be done"] },
        Story(
            "one address of two is private, and the public one has no file", origin: .status(404), cdn: good,
            scene: .calm(.status(404), cdn: good).with {
                $0.addresses = [
                    ("192.0.2.1", .public, .status(404)), ("10.1.2.3", .private, .status(404)),
                ]
            }, findings: ["origin.status error", "origin.not-public-address warning"], id: .notDeployed,
            words: ["There is no file"]),
    ]

    private static func internalServer(_ name: String, _ origin: Reply, _ findings: [String]) -> Story {
        Story(
            "the internal server \(name)", origin: origin, cdn: good,
            scene: placed("10.1.2.3", .private, origin, cdn: good),
            findings: ["origin.not-public-address warning"] + findings, id: .privateAddressHere,
            words: ["10.1.2.3", "public DNS", "Links work."]
        ) { $0.unsaid = ["There is no file", "error log", "certificate"] }
    }

    private static func shown(by authority: String, _ problem: CertificateProblem = .untrustedRoot) -> Reply {
        Reply.certificate(problem).with {
            $0.tls?.chain[0].issuer = authority
            $0.tls?.chain[0].issuerURL = nil
            if problem == .expired { $0.tls?.chain[0].notAfter = .testing - 86_400 }
        }
    }

    private static let interception: [Story] = [
        Story(
            "a proxy reads all traffic", origin: shown(by: "CN=Corp Inspection"), cdn: shown(by: "CN=Corp Inspection"),
            findings: ["monitor.tls-intercepted error", "cdn.unreachable warning"], id: .tlsIntercepted,
            words: ["intercepts TLS", "from Corp Inspection", "Exempt this machine"]
        ) { $0.unsaid = ["public authority", "Install"] },
        Story(
            "origin and CDN are refused for different authorities", origin: shown(by: "CN=Corp Inspection"),
            cdn: shown(by: "CN=Apple Public Server"),
            findings: ["monitor.trust-store-lacks-root error", "cdn.unreachable warning"], id: .trustStoreLacksRoot,
            words: ["(Corp Inspection)", "--cacert"]),
        Story(
            "certificates of both that have expired are a matter of the clock", origin: shown(by: "CN=One", .expired),
            cdn: shown(by: "CN=One", .expired),
            findings: ["monitor.clock-is-wrong error", "cdn.unreachable warning"], id: .clockIsWrong,
            words: ["clock"]),
    ]
}
