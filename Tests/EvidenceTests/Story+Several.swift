// Stories in which one fault could hide another, or in which it is not the site that is at fault.

import Evidence
import Facts
import Foundation
import TestSupport

extension Story {
    private static let odd = Reply.crawler("SWCERR00999 Something new", maxAge: 1800)
    private static let moved = Reply.crawler(
        "SWCERR00101 Bad HTTP Response: 308 Permanent Redirect", details: #"{"status":"308 Permanent Redirect"}"#)

    private static func broken(_ cause: String) -> Reply {
        .crawler("SWCERR00302 Connection failed", details: #"{"cause":"\#(cause)"}"#)
    }

    private static func edges(_ edges: Reply...) -> Scene { Scene.calm(good, cdn: good).edges(edges) }

    private static func addresses(_ four: Reply..., six: [Reply] = [], origin: Reply = good, cdn: Reply? = good)
        -> Scene
    {
        Scene.calm(origin, cdn: cdn).addresses(four, six: six)
    }

    static let several = severalEdges + severalAddresses + crawlersWords + elsewhere

    private static let severalEdges: [Story] = [
        Story(
            "edges without a copy give several reasons", cdn: good, scene: edges(good, forbidden, timeout, good),
            findings: ["cdn.crawler-error error", "cdn.crawler-error error", "cdn.edges-differ warning"],
            id: .edgesWithoutCopy,
            words: [
                "2 of Apple's 4 edges have no copy", "1 Bad HTTP Response: 403 Forbidden, 1 Timeout",
                "Allow AASA-Bot", "geo rule", "08:00 UTC",
            ]),
        Story(
            "an edge is refused, another is in trouble", cdn: good, scene: edges(good, .status(502), forbidden),
            findings: ["cdn.crawler-error error", "cdn.edges-differ warning", "cdn.edge-unreachable warning"],
            id: .edgesWithoutCopy,
            words: ["1 of Apple's 3 edges has no copy (Bad HTTP Response: 403", "Allow AASA-Bot"]),
        Story(
            "an edge has no copy and does not say why", cdn: good, scene: edges(good, .status(404)),
            findings: ["cdn.missing error", "cdn.edges-differ warning"], id: .edgesWithoutCopy,
            words: ["(no reason given)", "rule by country or address", "Report it to Apple"]),
        Story(
            "no edge has a copy, for several reasons", cdn: forbidden, scene: edges(forbidden, timeout, timeout),
            findings: ["cdn.crawler-error error", "cdn.crawler-error error"], id: .crawlerSaysVarious,
            words: ["2 Timeout, 1 Bad HTTP Response: 403 Forbidden", "Allow AASA-Bot", "08:00 UTC"]),
        Story(
            "an edge is in trouble itself", cdn: good, scene: edges(good, .status(503, ["Retry-After": "600"])),
            findings: ["cdn.edge-unreachable warning"], id: .edgeTrouble,
            words: [
                "1 of Apple's 2 edges fails: an outage (status 503)", "Nothing needs to be done at the site",
                "10 min",
            ]),
        Story(
            "edges are in trouble themselves", cdn: good, scene: edges(good, .status(500), .status(500)),
            findings: ["cdn.edge-unreachable warning"], id: .edgeTrouble,
            words: ["2 of Apple's 3 edges fail", "in 5 min"]),
        Story(
            "an edge could not be asked from here", cdn: good, scene: edges(good, .failed(.timedOut)), findings: [],
            id: .inSync, words: ["on the 1 of Apple's 2 edges that answered"]),
    ]

    private static let severalAddresses: [Story] = [
        Story(
            "one address is dead, another has an old file", cdn: good, scene: addresses(good, old, .failed(.timedOut)),
            findings: ["origin.address-unreachable error", "origin.address-differs error"],
            id: .addressesFailVariously,
            words: [
                "192.0.2.3 does not accept the connection in time, 192.0.2.1 serves a file", "192.0.2.2 serves a file",
                "Fix the dead address", "same file to every server",
            ]),
        Story(
            "one address is dead, another has no file", cdn: good,
            scene: addresses(good, good, .status(404), .failed(.connectionRefused)),
            findings: ["origin.address-unreachable error", "origin.address-differs error"],
            id: .addressesFailVariously,
            words: [
                "Only 2 of the 4 addresses of the domain give the file",
                "192.0.2.4 refuses connections, 192.0.2.3 answers with status 404",
            ]),
        Story(
            "IPv6 is dead, and IPv4 addresses differ", cdn: good,
            scene: addresses(good, old, six: [.failed(.timedOut)]),
            findings: ["origin.address-differs error", "origin.ipv6-broken warning"], id: .addressesFailVariously,
            words: ["2001:db8::1 does not accept", "192.0.2.2 serves a file", "AAAA records"]),
        Story(
            "all but one are dead, and that one has an old certificate", origin: .certificate(.expired), cdn: good,
            scene: addresses(
                .certificate(.expired), .failed(.timedOut), .failed(.timedOut), origin: .certificate(.expired)),
            findings: ["origin.address-unreachable error", "origin.certificate-expired error"],
            id: .addressesFailVariously,
            words: [
                "None of the 3 addresses of the domain gives the file", "192.0.2.2, 192.0.2.3 each does not accept",
                "192.0.2.1 shows a certificate that is refused (expired)", "Renew the certificate",
                "Fix the dead address",
                "Apple does not say how long it keeps the copy",
            ]
        ),
        Story(
            "the request by name meets no file, another address has it", origin: .status(404), cdn: nil,
            scene: addresses(.status(404), good, origin: .status(404), cdn: nil),
            findings: ["origin.status error", "origin.address-differs error"], id: .addressesDiffer,
            words: ["192.0.2.2 serves a file", "did not ask Apple's CDN", "cache the failure"]),
    ]

    private static let crawlersWords: [Story] = [
        Story(
            "a code that nobody knows", cdn: odd, findings: failing, id: .crawlerUnknown,
            words: [
                "SWCERR00999 Something new", "does not document", "Let every client", "07:30 UTC",
                "Report it to Apple",
            ]),
        Story(
            "a redirect that Apple's crawler does not follow",
            origin: good.redirected(to: "https://www.example.com/x", status: 308), cdn: moved,
            scene: .calm(Reply.status(308).redirected(to: "https://www.example.com/x", status: 308), cdn: moved),
            findings: ["cdn.crawler-error error", "origin.redirect warning"], id: .crawlerRedirected,
            words: ["redirects to https://www.example.com/x", "Serve the file at", "08:00 UTC"]),
        Story(
            "a redirect that only Apple's crawler gets", cdn: moved, findings: failing, id: .crawlerRedirected,
            words: ["redirects Apple's crawler", "by country, language or user agent"]),
        Story(
            "Apple does not trust the certificate",
            cdn: broken("tls: failed to verify certificate: x509: unknown authority"),
            findings: failing, id: .crawlerCause, words: ["x509: unknown authority", "full certificate chain"]),
        Story(
            "Apple cannot resolve the name", cdn: broken("dial tcp: lookup example.com: no such host"),
            findings: failing,
            id: .crawlerCause, words: ["no such host", "name servers", "08:00 UTC"]),
        Story(
            "Apple is refused connections, one address refuses them here too",
            cdn: broken("dial tcp 192.0.2.2:443: connect: connection refused"),
            scene: Scene.calm(good, cdn: broken("dial tcp 192.0.2.2:443: connect: connection refused"))
                .addresses([good, .failed(.connectionRefused)]),
            findings: ["origin.address-unreachable error", "cdn.crawler-error error"], id: .crawlerTimeoutAddress,
            words: ["192.0.2.2 refuses connections", "Fix the server"]),
        Story(
            "details that are no JSON are quoted all the same",
            cdn: .crawler("SWCERR00301 Timeout", details: #"{"cause":"Connection timed"#), findings: failing,
            id: .crawlerTimeoutFirewall, words: ["Connection timed"]),
    ]

    private static let elsewhere: [Story] = [
        Story(
            "the server behind a redirect has an old certificate",
            origin: Reply.certificate(.expired).redirected(to: "https://www.example.com/x"), cdn: good,
            scene: .calm(Reply.status(301).redirected(to: "https://www.example.com/x"), cdn: good),
            findings: ["origin.certificate-expired error", "origin.redirect warning"], id: .originFault,
            words: ["Behind the redirect to www.example.com", "Renew"]),
        Story(
            "the redirect leads to no file", origin: Reply.status(404).redirected(to: "https://www.example.com/x"),
            cdn: good, scene: .calm(Reply.status(301).redirected(to: "https://www.example.com/x"), cdn: good),
            findings: ["origin.status error", "origin.redirect warning"], id: .originFault,
            words: ["Behind the redirect to www.example.com: The server answers with status 404 in place of 200"]),
        Story(
            "everybody is sent to a login page",
            origin: Reply.file("<!doctype html><html>").redirected(to: "https://example.com/login", status: 302),
            cdn: good,
            scene: .calm(Reply.status(302).redirected(to: "https://example.com/login", status: 302), cdn: good),
            findings: ["origin.redirect error", "aasa.json-syntax error"], id: .originFault,
            words: ["redirects to a login page, https://example.com/login", "Serve the file"]),
        Story(
            "only devices are refused by their agent", cdn: good,
            scene: edges(good).with { $0.agents[1].reply = .status(406) }, findings: ["origin.crawler-refused error"],
            id: .agentRefused, words: ["Apple's devices", "CFNetwork gets 406"]),
        Story(
            "the name is gone", origin: .failed(.nameNotFound, .resolving), cdn: nil,
            scene: Scene.calm(.failed(.nameNotFound, .resolving)).with {
                $0.addresses = []
                $0.agents = []
            }, findings: ["origin.dns-failed error"], id: .noSuchName,
            words: ["does not resolve", "Check its spelling", "did not ask Apple's CDN"]),
    ]
}
