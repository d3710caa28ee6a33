// Stories that look like another one, and must not be told as it.

import Evidence
import Facts
import Foundation
import TestSupport

extension Story {
    /// An exclusion behind the rule that takes all its URLs.
    private static let lateExclusion = Reply.file(
        #"{"applinks":{"details":[{"appIDs":["D7KQ4ZW2MX.com.acme.shop"],"components":[{"/":"/a/*"},"#
            + #"{"/":"/a/b","exclude":true}]}]}}"#)

    private static let lint = ["aasa.exclude-after-include error"]
    private static let calming = "Links work."
    private static let atRisk = "Links work now, but can break when Apple fetches the file again."

    private static func status(_ status: String) -> Reply {
        .crawler("SWCERR00101 Bad HTTP Response: \(status)", details: #"{"status":"\#(status)"}"#)
    }

    private static func withReason(_ reply: Reply, _ reason: String) -> Reply {
        reply.with { $0.headers["Apple-Failure-Reason"] = reason }
    }

    private static let slash = "https://example.com/.well-known/apple-app-site-association/"

    private static func slashed(_ reply: Reply, _ target: String) -> Story.Both {
        (reply.redirected(to: target), Reply.status(301).redirected(to: target))
    }

    /// With the redirect followed, and not.
    private typealias Both = (followed: Reply, noted: Reply)

    static let neighbours = faultsOfTheFile + wordsBesideACopy + silences + redirectsToNothing + moments

    private static let faultsOfTheFile: [Story] = [
        Story(
            "a fault of the file, which Apple's copy has too", origin: lateExclusion,
            cdn: lateExclusion.with { $0.headers["Cache-Control"] = "max-age=21600" }, findings: lint,
            id: .fileFault,
            words: ["Phones use this file", "within a week"]
        ) { $0.unsaid = [calming, "how long it keeps the copy"] },
        Story(
            "a fault of the new file, which Apple has not taken yet", origin: lateExclusion, cdn: old,
            findings: lint + ["cdn.divergent warning"], id: .fileFault,
            words: ["Phones use a different file than the origin's"]
        ) { $0.unsaid = [calming, "it has an error."] },
        Story(
            "a fault of the file that Apple has not got", origin: lateExclusion, cdn: .status(404),
            findings: lint + ["cdn.missing error"], id: .fileFault, words: ["up to 24 h"]
        ) { $0.unsaid = [calming, "it has an error."] },
        Story(
            "a fault of the answer, not of the file", origin: good.with { $0.firstByte = 6000 }, cdn: good,
            findings: ["origin.slow error"], id: .originFault,
            words: ["Apple does not say how long it keeps the copy"]
        ) { $0.unsaid = ["it has an error."] },
        Story(
            "the file cannot be read, the copy can", origin: .status(500), cdn: good,
            findings: ["origin.status error"], id: .originFault,
            words: [atRisk, "Apple does not say how long it keeps the copy"]
        ) { $0.unsaid = [calming] },
    ]

    private static let wordsBesideACopy: [Story] = [
        Story(
            "the copy is served, and Apple's crawler failed", cdn: withReason(good, "SWCERR00301 Timeout"),
            findings: ["cdn.crawler-error warning"], id: .crawlerFailsBesideCopy,
            words: [
                atRisk, "crawler failed at its last request (SWCERR00301 Timeout)",
                "Apple does not say how long it keeps the copy",
            ]
        ) { $0.unsaid = ["gets no answer"] },
        Story(
            "an old copy is served, and Apple says why",
            cdn: withReason(old, "SWCERR00101 Bad HTTP Response: 403 Forbidden"),
            findings: ["cdn.crawler-error warning", "cdn.divergent warning"], id: .crawlerFailsBesideCopy,
            words: ["Phones use a different file than the origin's", "403 Forbidden", "Allow AASA-Bot"]
        ) { $0.unsaid = ["08:00 UTC"] },
        Story(
            "a copy that lags, and Apple says why",
            origin: good.with {
                $0.headers["Last-Modified"] = "Sat, 21 Nov 2026 01:00:00 GMT"
            }, cdn: withReason(old, "SWCERR00301 Timeout"), findings: ["cdn.crawler-error warning"],
            id: .crawlerFailsBesideCopy,
            words: ["Phones use the old file", "crawler failed at its last request (SWCERR00301 Timeout)"]),
        Story(
            "one edge of two says so", cdn: good,
            scene: Scene.calm(good, cdn: good).edges([good, withReason(good, "SWCERR00301 Timeout")]),
            findings: ["cdn.crawler-error warning"], id: .crawlerFailsBesideCopy, words: ["(SWCERR00301 Timeout)"]),
    ]

    private static let silences: [Story] = [
        Story(
            "8b: a host that sleeps longer than this machine waits", origin: .failed(.timedOut, .waiting),
            cdn: timeout, findings: ["origin.timeout error", "cdn.crawler-error error"], id: .hostSleeps,
            words: ["accepts the request", "sleeps between visits", "--max-time 60", "07:30 UTC"]
        ) { $0.unsaid = ["down or gone", "entitlements", "firewall"] },
        Story(
            "a handshake that hangs is no host that is gone", origin: .failed(.timedOut, .handshaking), cdn: timeout,
            findings: ["origin.timeout error", "cdn.crawler-error error"], id: .originFault,
            words: ["did not finish the TLS handshake"]
        ) { $0.unsaid = ["down or gone"] },
        Story(
            "nobody takes a connection", origin: .failed(.connectionRefused), cdn: timeout,
            findings: ["origin.unreachable error", "cdn.crawler-error error"], id: .hostDown,
            words: ["down or gone"]),
    ]

    private static let redirectsToNothing: [Story] = [
        story("a rule that adds a slash hides the file", slash, ["(301) to \(slash)", "adds a slash"]),
        story(
            "a redirect to nothing", "https://example.com/missing",
            ["(301) to https://example.com/missing", "no file (404)", "from the redirect"]),
    ]

    private static func story(_ name: String, _ target: String, _ words: [String]) -> Story {
        let (followed, noted) = slashed(.status(404), target)
        return Story(
            name, origin: followed, cdn: good, scene: .calm(noted, cdn: good),
            findings: ["origin.status error", "origin.redirect warning"], id: .redirectToNothing, words: words
        ) { $0.unsaid = ["there is no file at the origin"] }
    }

    private static let moments: [Story] =
        ["500 Internal Server Error", "502 Bad Gateway", "503 Service Unavailable"]
        .map { words in
            Story(
                "Apple met a server in trouble: \(words)", cdn: status(words), findings: failing,
                id: .crawlerMetOutage, words: [words, "08:00 UTC", "log"]
            ) { $0.unsaid = ["firewall", "by source address"] }
        } + [
            Story(
                "Apple met a rate limit", cdn: status("429 Too Many Requests"), findings: failing,
                id: .crawlerRateLimited, words: ["rate limit", "from the limit", "log of that time", "08:00 UTC"]
            ) { $0.unsaid = ["firewall"] },
            Story(
                "503 to Apple's agents, here as for Apple, is no rule about agents",
                cdn: status("503 Service Unavailable"),
                scene: Scene.calm(good, cdn: status("503 Service Unavailable")).refusing(.status(503)),
                findings: failing, id: .crawlerMetOutage, words: ["503 Service Unavailable"]
            ) { $0.unsaid = ["user agent", "bot"] },
            Story(
                "503 to Apple's agents, 429 to Apple: both may be moments", cdn: status("429 Too Many Requests"),
                scene: Scene.calm(good, cdn: status("429 Too Many Requests")).refusing(.status(503)),
                findings: failing, id: .crawlerRateLimited, words: ["429 Too Many Requests"]
            ) { $0.unsaid = ["user agent", "bot"] },
            Story(
                "Apple is refused, and its agent was redirected here, as this program was: not known to pass",
                origin: good.redirected(to: "https://www.example.com/x"), cdn: forbidden,
                scene: Scene.calm(Reply.status(301).redirected(to: "https://www.example.com/x"), cdn: forbidden),
                findings: ["cdn.crawler-error error", "origin.redirect warning"], id: .crawlerRefused,
                words: ["answers Apple's crawler with 403"]
            ) { $0.unsaid = ["by source address"] },
            Story(
                "a bot rule answers 403, and Apple met 503", cdn: status("503 Service Unavailable"),
                scene: Scene.calm(good, cdn: status("503 Service Unavailable")).refusing(.status(403)),
                findings: ["origin.crawler-refused error", "cdn.crawler-error error"], id: .agentRefused,
                words: ["CFNetwork get 403"]
            ) { $0.unsaid = ["as for Apple"] },
        ]
}
