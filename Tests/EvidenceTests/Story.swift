// Failures as people met them in the wild, and what a check must make of each: the findings, and a first sentence after
// which somebody who never heard of Apple's codes does the right thing. The numbers are only for telling them apart.

import Evidence
import Facts
import Foundation
import TestSupport
import Testing

struct Story: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var domain = "example.com"
    var mode = AssociationMode.production
    let origin: Reply
    let cdn: Reply?
    let scene: Scene
    var expectations = Expectations()
    /// Errors and warnings, `rule severity`, worst first.
    let findings: [String]
    /// The cause that the rows decide for.
    let id: DiagnosisID
    /// Words that the text must hold: the arguments of the cause, what to do, how long to wait.
    let words: [String]
    /// What phones do, word for word; nil: not asked.
    var effect: String?
    /// Words of a neighbouring story, which it must not hold.
    var unsaid: [String] = []

    init(
        _ name: String, origin: Reply = good, cdn: Reply?, scene: Scene? = nil, findings: [String], id: DiagnosisID,
        words: [String], change: (inout Story) -> Void = { _ in }
    ) {
        testDescription = name
        self.origin = origin
        self.cdn = cdn
        // Where a story says nothing else, all addresses, agents and edges are as the plain requests show.
        self.scene = scene ?? .calm(origin, cdn: cdn)
        self.findings = findings
        self.id = id
        self.words = words
        change(&self)
    }

    static let good = Reply.file(SampleFile.version(1))
    static let old = Reply.file(SampleFile.version(2))
    static let forbidden = Reply.crawler(
        "SWCERR00101 Bad HTTP Response: 403 Forbidden", details: #"{"status":"403 Forbidden"}"#)
    static let timeout = Reply.crawler(
        "SWCERR00301 Timeout", details: #"{"cause":"context deadline exceeded"}"#, maxAge: 1800)
    static let notFound = Reply.crawler("SWCERR00101 Bad HTTP Response: 404 Not Found").with {
        $0.headers["Age"] = "600"
    }
    static let challenge = Reply.status(
        403, ["Server": "cloudflare", "CF-Ray": "8f0-AMS", "CF-Mitigated": "challenge", "Content-Type": "text/html"])
    static let failing = ["cdn.crawler-error error"]

    static let all =
        refusals + absences + unreachable + copies + healthy + several + neighbours + ownNetwork + hosts + pages
        + disguises + versions + witnesses
}

extension Story {
    private static func scene(_ cdn: Reply) -> Scene { .calm(good, cdn: cdn) }

    static let refusals: [Story] = [
        Story(
            "1: a firewall refuses Apple's addresses", cdn: forbidden, findings: failing,
            id: .crawlerRefusedByAddress,
            words: ["answers Apple's crawler with 403", "by source address", "08:00 UTC"]),
        Story(
            "2: Cloudflare challenges Apple's crawler", cdn: forbidden, scene: scene(forbidden).refusing(challenge),
            findings: ["origin.crawler-refused error", "cdn.crawler-error error"], id: .crawlerRefusedByAgent,
            words: ["by user agent", "CFNetwork get 403", "Bot Fight Mode", "08:00 UTC"]),
        Story(
            "2b: a bot rule that Apple's CDN has not met yet", cdn: good,
            scene: scene(good).refusing(.file("<html>checking your browser")),
            findings: ["origin.crawler-refused error"], id: .agentRefused,
            words: ["HTML page", "AASA-Bot and CFNetwork", "Apple does not say how long it keeps the copy"]),
        Story(
            "3: packets of Apple's are dropped", cdn: timeout, findings: failing, id: .crawlerTimeoutFirewall,
            words: ["context deadline exceeded", "firewall or geo rule", "07:30 UTC"]),
        Story(
            "5: a bank that answers inside its country only", cdn: timeout,
            scene: scene(timeout).with { $0.vantages = [("abroad", .failed(.timedOut))] },
            findings: ["origin.vantage-refused error", "cdn.crawler-error error"], id: .vantageRefused,
            words: ["from abroad", "country or address", "Timeout", "07:30 UTC"]),
        Story(
            "another country still meets the old server", cdn: old,
            scene: scene(old).with { $0.vantages = [("abroad", old)] },
            findings: ["origin.address-differs error", "cdn.divergent warning"], id: .vantageDiffers,
            words: ["from abroad", "the one that Apple's CDN has", "same file to every server"]),
        Story(
            "6: staging behind the office's addresses", cdn: forbidden, findings: failing,
            id: .crawlerRefusedByAddress, words: ["staging host use ?mode=developer"]),
        Story(
            "our own agent is refused, Apple's is not", origin: .status(403), cdn: good,
            scene: scene(good).addresses([.status(403)]).with {
                $0.agents = AgentResult.Agent.allCases.map { ($0, good) }
            },
            findings: ["origin.status warning"], id: .refusedHereOnly,
            words: ["gives the file to the user agent AASA-Bot", "Let every user agent"]
        ) { $0.unsaid = ["is let in"] },
        Story(
            "only this machine is refused", origin: .status(403), cdn: good,
            scene: .calm(.status(403), cdn: good).with { $0.vantages = [("home", good)] },
            findings: ["origin.status warning"], id: .elsewhereFine, words: ["The vantage home gets the file"]),
    ]

    /// Put there after Apple asked, ten minutes ago.
    private static let deployed = modified(good, "Sat, 21 Nov 2026 06:55:00 GMT")

    static let absences: [Story] = [
        Story(
            "9: the firewall was opened, the failure stayed", origin: deployed, cdn: notFound, findings: failing,
            id: .crawlerRemembersAbsence, words: ["has cached", "07:50 UTC"]),
        Story(
            "10: Apple was asked before the file was there", origin: deployed, cdn: notFound, findings: failing,
            id: .crawlerRemembersAbsence, words: ["The file is there now"]),
        Story(
            "10c: the file is older than Apple's failure", origin: modified(good, "Sat, 21 Nov 2026 06:00:00 GMT"),
            cdn: notFound, findings: failing, id: .crawlerStillAbsent,
            words: ["Apple still gets 404 where this machine gets 200", "every server has the file"]
        ) { $0.unsaid = ["Wait"] },
        Story(
            "10d: nobody knows whether the file is older than Apple's failure", cdn: notFound, findings: failing,
            id: .crawlerStillAbsent,
            words: ["404 Not Found", "Wait if you deployed the file since then", "every server has it"]
        ) { $0.unsaid = ["Nothing else needs to be done"] },
        Story(
            "10b: Apple asks now, and gets another answer than this machine",
            cdn: notFound.with { $0.headers["Age"] = "0" }, findings: failing, id: .crawlerStillAbsent,
            words: ["Apple still gets 404 where this machine gets 200", "every server has the file", "08:00 UTC"]
        ) { $0.unsaid = ["has cached"] },
        Story(
            "11: a single-page app answers everything",
            origin: .file("<!doctype html><html>").with { $0.headers["Content-Type"] = "text/html" },
            cdn: .crawler("SWCERR00401 Bad JSON content"),
            findings: ["origin.content-type error", "aasa.json-syntax error", "cdn.crawler-error error"],
            id: .pageInsteadOfFile, words: ["HTML page", "catch-all route"]),
        Story(
            "11b: its page is larger than devices read",
            origin: .file("<!doctype html><html>" + String(repeating: "x", count: 131_072)).with {
                $0.headers["Content-Type"] = "text/html"
            },
            cdn: .crawler("SWCERR00401 Bad JSON content"),
            findings: ["origin.too-large error", "origin.content-type error", "cdn.crawler-error error"],
            id: .pageInsteadOfFile, words: ["HTML page", "catch-all route"]),
        Story(
            "11c: its page is larger than devices read, and sent as JSON",
            origin: .file("<!doctype html><html>" + String(repeating: "x", count: 131_072)),
            cdn: .crawler("SWCERR00401 Bad JSON content"),
            findings: ["origin.too-large error", "cdn.crawler-error error"],
            id: .pageInsteadOfFile, words: ["HTML page", "catch-all route"]),
        Story(
            "11d: a file that is too large, sent as a page",
            origin: .file("{\"x\": \"" + String(repeating: "x", count: 131_072) + "\"}").with {
                $0.headers["Content-Type"] = "text/html"
            },
            cdn: .crawler("SWCERR00401 Bad JSON content"),
            findings: ["origin.too-large error", "origin.content-type error", "cdn.crawler-error error"],
            id: .originFault, words: ["Use wildcard patterns"]),
        Story(
            "12: the host drops dot folders", origin: .status(404, ["Server": "GitHub.com"]), cdn: nil,
            findings: ["origin.status error"], id: .dotFolderDropped,
            words: ["GitHub Pages", ".nojekyll", "did not ask Apple's CDN"]),
        Story(
            "15: the deployment did not contain the change", cdn: good, findings: ["expect.app-missing error"],
            id: .expectationFailed, words: ["NEWTEAM123.com.example.app", "Deploy the intended file"]
        ) { $0.expectations = Expectations(apps: ["NEWTEAM123.com.example.app"]) },
        Story(
            "the file is at the root only", origin: .status(404), cdn: nil,
            scene: .calm(.status(404)).with { $0.rootCopy = good },
            findings: ["origin.status error", "origin.root-only warning"], id: .rootOnly,
            words: ["/.well-known/apple-app-site-association too"]),
        Story(
            "the file is below the root, where a person looked for it", origin: .status(404), cdn: nil,
            scene: .calm(.status(404)).with { $0.namedPlaces = ["https://example.com/shop/x": good] },
            findings: ["origin.status error", "origin.misplaced warning"], id: .misplaced,
            words: [
                "The file is at https://example.com/shop/x.", "only request https://example.com/.well-known/",
                "root of the host",
            ]),
        Story(
            "IIS and a file without extension", origin: .status(404, ["Server": "Microsoft-IIS/10.0"]), cdn: nil,
            findings: ["origin.status error"], id: .extensionRefused, words: ["has no extension", "mimeMap"]),
        Story(
            "the file is at the root only, and Apple's CDN has it", origin: .status(404), cdn: good,
            scene: .calm(.status(404), cdn: good).with { $0.rootCopy = good },
            findings: ["origin.status error", "origin.root-only warning"], id: .rootOnly,
            words: ["Apple's CDN has it, but Apple does", "not promise"]
        ) { $0.effect = "Links work now, but can break when Apple fetches the file again." },
        Story(
            "the file is at the root only, and Apple's crawler did not look there", origin: .status(404),
            cdn: notFound, scene: .calm(.status(404), cdn: notFound).with { $0.rootCopy = good },
            findings: ["origin.status error", "cdn.crawler-error error", "origin.root-only warning"], id: .rootOnly,
            words: ["Apple's CDN does not have it"]),
        Story(
            "the file is at the root only, and Apple's CDN has another", origin: .status(404), cdn: old,
            scene: .calm(.status(404), cdn: old).with { $0.rootCopy = good },
            findings: ["origin.status error", "origin.root-only warning"], id: .rootOnly,
            words: ["Apple's CDN has another file"]),
        Story(
            "no page behind the link", cdn: good,
            scene: scene(good).with { $0.pages = [("https://example.com/help", .status(404), nil)] },
            findings: ["expect.page-missing error"], id: .pageMissing, words: ["https://example.com/help", "404"]),
    ]

    static let unreachable: [Story] = [
        Story(
            "7: an internal host", cdn: .crawler("SWCERR00202 Connections to private/reserved IP addresses"),
            scene: scene(.crawler("SWCERR00202 Connections to private/reserved IP addresses")).with {
                $0.addresses = [("10.1.2.3", .private, good)]
            },
            findings: ["origin.not-public-address error", "cdn.crawler-error error"], id: .crawlerPrivateAddress,
            words: ["10.1.2.3", "?mode=developer"]),
        Story(
            "7b: an internal host that Apple was not asked about yet", cdn: .status(404),
            scene: scene(.status(404)).with { $0.addresses = [("100.64.1.1", .carrierGrade, good)] },
            findings: ["origin.not-public-address error", "cdn.missing error"], id: .privateAddress,
            words: ["100.64.1.1", "?mode=managed"]),
        Story(
            "8: a host that sleeps", origin: good.with { $0.firstByte = 21_000 }, cdn: timeout,
            findings: ["origin.slow error", "cdn.crawler-error error"], id: .crawlerTimeoutSlow,
            words: ["21 s", "does not sleep", "07:30 UTC"]),
        Story(
            "18: the service is gone", origin: .failed(.timedOut), cdn: timeout,
            findings: ["origin.timeout error", "cdn.crawler-error error"], id: .hostDown,
            words: ["down or gone", "entitlements"]),
        Story(
            "24: servers behind the name differ", cdn: good, scene: scene(good).addresses([good, old]),
            findings: ["origin.address-differs error"], id: .addressesDiffer,
            words: ["192.0.2.2", "may get any", "same file to every server"]),
        Story(
            "25: no intermediate certificate", origin: .certificate(.incompleteChain), cdn: forbidden,
            findings: ["origin.certificate-chain-incomplete error", "cdn.crawler-error error"],
            id: .chainIncomplete, words: ["(Issuer is missing", "full chain", "08:00 UTC"]),
        Story(
            "26: IPv6 is published and dead", cdn: timeout,
            scene: scene(timeout).addresses([good], six: [.failed(.timedOut)]),
            findings: ["cdn.crawler-error error", "origin.ipv6-broken warning"], id: .crawlerTimeoutIPv6,
            words: ["2001:db8::1", "AAAA", "07:30 UTC"]),
        Story(
            "26b: the same before Apple says so", cdn: good,
            scene: scene(good).addresses([good], six: [.failed(.timedOut)]),
            findings: ["origin.ipv6-broken warning"], id: .ipv6Broken, words: ["No IPv6 address", "AAAA"]),
        Story(
            "one address is dead, and Apple met it", cdn: timeout,
            scene: scene(timeout).addresses([good, .failed(.timedOut)]),
            findings: ["origin.address-unreachable error", "cdn.crawler-error error"], id: .crawlerTimeoutAddress,
            words: ["192.0.2.2", "07:30 UTC"]),
        Story(
            "one address is dead", cdn: good, scene: scene(good).addresses([good, .failed(.connectionRefused)]),
            findings: ["origin.address-unreachable error"], id: .addressUnreachable,
            words: ["192.0.2.2 refuses connections", "may use any"]),
        Story(
            "one address has an old certificate", cdn: good,
            scene: scene(good).addresses([good, .certificate(.expired)]),
            findings: ["origin.certificate-expired error"], id: .certificateAtAddress,
            words: ["At 192.0.2.2 only", "renew", "Apple does not say how long it keeps the copy"]),
    ]

    /// A file with web credentials, or without.
    private static func credentials(_ apps: String) -> Reply {
        .file(
            #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]}]}"#
                + (apps.isEmpty ? "" : #","webcredentials":{"apps":[\#(apps)]}"#) + "}")
    }

    private static func team(_ id: String) -> Reply {
        .file(#"{"applinks":{"details":[{"appIDs":["\#(id).com.example.app"],"components":[{"/":"/a"}]}]}}"#)
    }

    static func modified(_ reply: Reply, _ date: String) -> Reply {
        reply.with { $0.headers["Last-Modified"] = date }
    }

    static let copies: [Story] = [
        Story(
            "4: no copy in one country", cdn: good, scene: scene(good).edges([good, good, notFound]),
            findings: ["cdn.crawler-error error", "cdn.edges-differ warning"], id: .edgesWithoutCopy,
            words: ["1 of Apple's 3 edges", "on 1 of Apple's 3 edges", "07:50 UTC"]),
        Story(
            "13: passkeys fail, links work",
            origin: modified(credentials(#""ABCDE12345.com.example.app""#), "Sat, 21 Nov 2026 05:00:00 GMT"),
            cdn: credentials(""), findings: [], id: .copyLacksService,
            words: ["lacks the service webcredentials", "passkeys", "2 h ago"]),
        Story(
            "13b: one app of several",
            origin: credentials(#""ABCDE12345.com.example.app","ABCDE12345.com.example.two""#),
            cdn: credentials(#""ABCDE12345.com.example.app""#), findings: ["cdn.divergent warning"],
            id: .copyLacksService, words: ["ABCDE12345.com.example.two in webcredentials", "Wait a day"]),
        Story(
            "14: the team's id was wrong", origin: modified(team("ABCDE12345"), "Sat, 21 Nov 2026 05:00:00 GMT"),
            cdn: team("WRONG12345"), findings: [], id: .copyHasOtherApp,
            words: [
                "names the app WRONG12345.com.example.app", "in place of ABCDE12345.com.example.app", "within a week",
            ]),
        Story(
            "16: Apple's copy differs, and a date of two weeks ago tells nothing of it",
            origin: modified(good, "Sat, 07 Nov 2026 07:00:00 GMT"), cdn: old,
            findings: ["cdn.divergent warning"], id: .cdnDivergent,
            words: ["unknown since when", "Wait a day"]
        ) { $0.unsaid = ["14 days", "old file"] },
        Story(
            "17: just repaired", origin: modified(good, "Sat, 21 Nov 2026 04:00:00 GMT"),
            cdn: old.with {
                $0.headers["Cache-Control"] = "max-age=21600,public"; $0.headers["Age"] = "3600"
            },
            findings: [], id: .cdnPropagating,
            words: ["3 h ago", "within a week", "22 Nov 04:00 UTC"]),
        Story(
            "edges catch up one by one", origin: modified(good, "Sat, 21 Nov 2026 05:00:00 GMT"), cdn: good,
            scene: scene(good).edges([good, old, good]), findings: [], id: .edgesCatchingUp,
            words: ["2 h ago", "2 of Apple's 3 edges", "within a week"]),
        Story(
            "edges disagree, and nobody knows since when", cdn: good, scene: scene(good).edges([good, old]),
            findings: ["cdn.edges-differ warning"], id: .edgesDiffer, words: ["1 of 2", "Wait a day"]),
    ]

    static let healthy: [Story] = [
        Story(
            "19: a byte order mark", origin: .file("\u{FEFF}" + SampleFile.version(1)),
            cdn: .file("\u{FEFF}" + SampleFile.version(1)), findings: ["aasa.byte-order-mark warning"],
            id: .byteOrderMark, words: ["byte order mark", "UTF-8"]),
        Story(
            "20, 23: all is green, and people still complain", cdn: good, findings: [], id: .inSync,
            words: ["serves the same", "within a week"]),
        Story(
            "21: an internationalised name", cdn: good, findings: [], id: .inSyncInternational,
            words: ["the device"]
        ) { $0.domain = "xn--bcher-kva.example" },
        Story(
            "22: the apex redirects to www", origin: good.redirected(to: "https://www.example.com/x", status: 308),
            cdn: good.with { $0.headers["Apple-From"] = "https://example.com/x, https://www.example.com/x" },
            scene: Scene.calm(
                Reply.status(308).redirected(to: "https://www.example.com/x", status: 308),
                cdn: good.with { $0.headers["Apple-From"] = "https://example.com/x, https://www.example.com/x" }),
            findings: ["origin.redirect warning"], id: .redirectSameSite,
            words: ["https://www.example.com/x", "followed this one", "Serve the file"]),
        Story(
            "an error that no story tells", origin: .file(SampleFile.version(1)), cdn: nil, findings: [],
            id: .otherMode, words: ["developer mode"]
        ) { $0.mode = .developer },
    ]
}
