// Stories about hosting platforms, what is in front of a site, and the effects of our own requests.

import Evidence
import Facts
import Foundation
import TestSupport

extension Reply {
    /// An error of a storage service.
    static func xml(_ status: Int, _ code: String, _ headers: [String: String]) -> Reply {
        page(
            status,
            #"<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>\#(code)</Code><Message>x</Message></Error>"#,
            headers.merging(["Content-Type": "application/xml"]) { $1 })
    }

    static func page(_ status: Int, _ text: String, _ headers: [String: String] = [:]) -> Reply {
        Reply.status(status, ["Content-Type": "text/html"].merging(headers) { $1 }).with { $0.body = Data(text.utf8) }
    }
}

extension Story {
    static let hosts = platforms + aliases + protections + ownLoad + statuses

    private static let status = ["origin.status error"]

    private static let platforms: [Story] = [
        Story(
            "a bucket of S3 without the file", origin: .xml(403, "AccessDenied", ["Server": "AmazonS3"]), cdn: nil,
            findings: status, id: .notDeployed,
            words: [
                "missing or not public", "Amazon S3", "403: AccessDenied", "let everybody read it",
                "did not ask Apple's CDN",
            ]
        ) { $0.unsaid = ["firewall", "geo rule"] },
        Story(
            "the same, asked all the same", origin: .xml(403, "AccessDenied", ["Server": "AmazonS3"]),
            cdn: forbidden, findings: status + failing, id: .notDeployed, words: ["Amazon S3", "08:00 UTC"]
        ) { $0.unsaid = ["firewall"] },
        Story(
            "a Google bucket without the file",
            origin: .xml(403, "AccessDenied", ["X-GUploader-UploadID": "A"]),
            cdn: nil, findings: status, id: .notDeployed, words: ["Google Cloud Storage"]),
        Story(
            "the file is at the root of the bucket", origin: .xml(403, "AccessDenied", ["Server": "AmazonS3"]),
            cdn: nil,
            scene: Scene.calm(Reply.xml(403, "AccessDenied", ["Server": "AmazonS3"])).with { $0.rootCopy = good },
            findings: ["origin.status error", "origin.root-only warning"], id: .rootOnly,
            words: ["/.well-known/apple-app-site-association too"]),
        Story(
            "the bucket was deleted", origin: .xml(404, "NoSuchBucket", ["Server": "AmazonS3"]), cdn: nil,
            findings: status, id: .siteUnknown,
            words: ["leads to Amazon S3, which has no bucket for it", "NoSuchBucket", "claim it"]
        ) { $0.unsaid = ["begin with a dot"] },
        Story(
            "the app was deleted at Heroku", origin: .page(404, "<title>No such app</title>"), cdn: nil,
            findings: status, id: .siteUnknown, words: ["Heroku, which has no app for it"]),
        Story(
            "Fastly does not know the domain", origin: .page(500, "Fastly error: unknown domain: example.com."),
            cdn: nil, findings: status, id: .siteUnknown, words: ["Fastly, which has no service for it"]
        ) { $0.unsaid = ["error log"] },
        Story(
            "a site that Vercel paused", origin: .status(503, ["X-Vercel-Error": "DEPLOYMENT_PAUSED"]), cdn: good,
            findings: status, id: .siteStopped, words: ["Vercel has switched the site off", "DEPLOYMENT_PAUSED"]),
        Story(
            "a function that fails at Vercel", origin: .status(500, ["X-Vercel-Error": "FUNCTION_INVOCATION_FAILED"]),
            cdn: good, findings: status, id: .siteFailing, words: ["program at Vercel fails", "static file"]),
        Story(
            "Firebase leaves out dot folders", origin: .status(404, ["Vary": "x-fh-requested-host, accept-encoding"]),
            cdn: nil, findings: status, id: .dotFolderDropped, words: ["Firebase Hosting", "firebase.json"]),
        Story(
            "Netlify publishes dot folders", origin: .status(404, ["Server": "Netlify"]), cdn: nil, findings: status,
            id: .notDeployed, words: ["Netlify", "publish directory"]
        ) { $0.unsaid = ["begin with a dot"] },
    ]

    private static func alias(_ target: String) -> Reply {
        Reply.failed(.nameNotFound, .resolving).with { $0.failure?.alias = target }
    }

    private static let aliases: [Story] = [
        Story(
            "a dangling alias of a site that was given up", origin: alias("site.azurewebsites.net"), cdn: nil,
            scene: Scene(), findings: ["origin.dns-failed error"], id: .danglingAlias,
            words: [
                "an alias (CNAME) of site.azurewebsites.net at Azure App Service",
                "most likely the site there was removed", "remove it",
            ]),
        Story(
            "a dangling alias of a name of one's own", origin: alias("www.example.net"), cdn: nil, scene: Scene(),
            findings: ["origin.dns-failed error"], id: .danglingAlias,
            words: ["(CNAME) of www.example.net, which does not resolve.", "A and AAAA records of that name"]
        ) { $0.unsaid = ["removed", "renamed", "given up", "somebody else"] },
    ]

    private static let protections: [Story] = [
        Story(
            "Cloudflare challenges this machine alone", origin: challenge, cdn: good,
            scene: .calm(challenge, cdn: good), findings: ["origin.status warning"], id: .challengedHere,
            words: [
                "Bot protection from Cloudflare sends this machine a challenge", "cf-mitigated: challenge",
                "Apple's crawler got the file",
                "Links work.",
                "Allow this machine's address",
            ]
        ) { $0.unsaid = ["Bot Fight Mode", "Exempt"] },
        Story(
            "Cloudflare challenges this machine, and Apple has no copy", origin: challenge, cdn: forbidden,
            findings: ["origin.status error", "cdn.crawler-error error"], id: .challengedHere,
            words: ["Bot protection from Cloudflare sends this machine a challenge", "Exempt", "Bot Fight Mode"]
        ) { $0.unsaid = ["got the file", "this machine's address"] },
        Story(
            "Cloudflare challenges this machine and not Apple's agents", origin: challenge, cdn: good,
            scene: Scene.calm(challenge, cdn: good).refusing(good), findings: ["origin.status warning"],
            id: .challengedHere,
            words: ["cf-mitigated: challenge", "The user agent AASA-Bot gets the file", "Exempt"]),
        Story(
            "AWS WAF challenges this machine", origin: .status(202, ["X-Amzn-Waf-Action": "challenge"]), cdn: good,
            findings: ["origin.status warning"], id: .challengedHere,
            words: ["AWS WAF", "x-amzn-waf-action: challenge", "status 202"]),
        Story(
            "Imperva's page comes with 200",
            origin: .file(#"<html><script src="/_Incapsula_Resource?CWUDNSAI=9"></script></html>"#).with {
                $0.headers["Content-Type"] = "text/html"
            }, cdn: good, findings: ["origin.content-type warning", "aasa.json-syntax warning"], id: .challengedHere,
            words: ["Imperva", "_Incapsula_Resource"]
        ) { $0.unsaid = ["catch-all"] },
        Story(
            "a challenge with status 429 to Apple's agents alone", cdn: good,
            scene: Scene.calm(good, cdn: good).refusing(.status(429, ["CF-Mitigated": "challenge"])),
            findings: ["origin.crawler-refused error"], id: .agentRefused, words: ["Bot Fight Mode"]),
    ]

    private static let ownLoad: [Story] = [
        Story(
            "Apple's agents meet a rate limit, the plain request did not", cdn: good,
            scene: Scene.calm(good, cdn: good).refusing(.status(429)), findings: [], id: .inSync, words: ["Links work."]
        ) { $0.unsaid = ["429", "refuses"] },
        Story(
            "the same, while Apple reports a rate limit",
            cdn: .crawler("SWCERR00101 Bad HTTP Response: 429 Too Many Requests"),
            scene: Scene.calm(good, cdn: .crawler("SWCERR00101 Bad HTTP Response: 429 Too Many Requests"))
                .refusing(.status(429)), findings: failing, id: .crawlerRateLimited, words: ["rate limit"]
        ) { $0.unsaid = ["user agent"] },
        Story(
            "Apple is refused, and our agents met a rate limit: who is refused is not known", cdn: forbidden,
            scene: Scene.calm(good, cdn: forbidden).refusing(.status(429)), findings: failing, id: .crawlerRefused,
            words: ["answers Apple's crawler with 403"]
        ) { $0.unsaid = ["by source address"] },
        Story(
            "one address answered the request by name and stalled at another", cdn: good,
            scene: Scene.calm(good, cdn: good).addresses([.failed(.timedOut, .waiting), good]),
            findings: ["origin.address-stalls warning"], id: .finding,
            words: ["192.0.2.1 accepts the request but does not answer in time", "Links work."]
        ) { $0.unsaid = ["Fix", "may use any"] },
        Story(
            "the request by name stalled, its address gave the file", origin: .failed(.timedOut, .waiting), cdn: good,
            scene: Scene.calm(good, cdn: good), findings: ["origin.address-stalls warning"], id: .finding,
            words: ["192.0.2.1 accepts the request", "Links work."]
        ) { $0.unsaid = ["cold start", "unreachable"] },
        Story(
            "another place meets a rate limit", cdn: good,
            scene: Scene.calm(good, cdn: good).with { $0.vantages = [("abroad", .status(429))] },
            findings: ["origin.vantage-refused warning"], id: .vantageDiffers,
            words: ["from abroad your server answers with status 429"]
        ) { $0.unsaid = ["country"] },
    ]

    private static let cloudflares: [(Int, String)] = [
        (520, "does not understand"), (521, "refuses its connections"), (522, "does not accept its connection"),
        (523, "no route"), (524, "does not answer in time"), (525, "TLS handshake"), (526, "certificate"),
        (530, "does not find the server"),
    ]

    private static let statuses: [Story] =
        cloudflares.map { status, words in
            Story(
                "Cloudflare's \(status)", origin: .status(status, ["Server": "cloudflare", "CF-RAY": "8f0-AMS"]),
                cdn: good, findings: ["origin.status error"], id: .originFault,
                words: ["Cloudflare", "\(status)", words]
            ) { $0.unsaid = ["Your server answers"] }
        } + [
            Story(
                "522 of somebody else", origin: .status(522), cdn: good, findings: ["origin.status error"],
                id: .originFault, words: ["Your server answers with status 522"]
            ) { $0.unsaid = ["Cloudflare"] },
            Story(
                "503 with Retry-After", origin: .status(503, ["Retry-After": "120"]), cdn: good,
                findings: ["origin.status error"], id: .originFault,
                words: ["status 503 and asks clients to retry in 2 min (Retry-After)"]),
            Story(
                "503 with a date", origin: .status(503, ["Retry-After": "Sat, 21 Nov 2026 08:00:00 GMT"]), cdn: good,
                findings: ["origin.status error"], id: .originFault, words: ["in 60 min (Retry-After)"]),
            Story(
                "503 with a date that is over", origin: .status(503, ["Retry-After": "Sat, 21 Nov 2026 06:00:00 GMT"]),
                cdn: good, findings: ["origin.status error"], id: .originFault,
                words: ["status 503 in place of 200"]),
            Story(
                "a staging host with a login", origin: .status(401, ["WWW-Authenticate": "Basic realm=x"]),
                cdn: .failed(.timedOut), findings: ["origin.status error", "cdn.unreachable warning"], id: .originFault,
                words: ["status 401", "?mode=developer"]),
            Story(
                "XML with status 200 is no single-page app",
                origin: .xml(200, "NoSuchKey", ["Server": "nginx"]), cdn: good,
                findings: ["aasa.json-syntax error"], id: .fileFault, words: ["XML", "storage service"]
            ) { $0.unsaid = ["single-page", "catch-all", "HTML"] },
        ]
}
