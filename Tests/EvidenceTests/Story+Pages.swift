// Stories in which something else than the file comes, with status 200 or behind a redirect: which page it is.

import Evidence
import Foundation
import TestSupport

extension Story {
    static let pages = placeholders

    private static let welcome = Reply.page(200, "<!doctype html><html><title>Welcome</title><h1>Hello</h1>")

    /// Every path of the site leads to one page, which comes with status 200.
    private static func sent(to target: String, _ words: [String], cdn: Reply = good, unsaid: [String] = []) -> Story {
        Story(
            "every path is sent to \(target)", origin: welcome.redirected(to: target, status: 302), cdn: cdn,
            scene: .calm(Reply.status(302).redirected(to: target, status: 302), cdn: cdn),
            findings: ["origin.redirect error", "origin.content-type error", "aasa.json-syntax error"],
            id: .originFault, words: words + [target, "/.well-known/apple-app-site-association out of"]
        ) { $0.unsaid = unsaid + ["not allowed"] }
    }

    private static let homes = [
        "https://example.com/", "https://example.com", "https://www.example.com/", "https://example.com/index.html",
        "https://example.com/en/", "https://www.example.com/de-DE", "https://example.com/us/en/home",
        "https://example.com/home", "https://example.com/?from=404", "https://en.example.com/zh_hant_tw/index.php",
    ]

    private static let closed = [
        "https://example.com/maintenance.html", "https://maintenance.example.com/", "https://example.com/wartung/",
        "https://www.example.com/site-offline", "https://example.com/errors/503.html", "https://sorry.example.net/",
        "https://example.com/coming_soon", "https://example.com/service-unavailable", "https://example.com/en/down",
    ]

    private static let placeholders =
        homes.map { sent(to: $0, ["to its home page"], unsaid: ["maintenance", "login"]) }
        + closed.map { sent(to: $0, ["to a maintenance page", "out of maintenance mode"], unsaid: ["home page"]) } + [
            // None of these is named by its words.
            Story(
                "a redirect to a download of the site's own",
                origin: good.redirected(to: "https://example.com/downloads/aasa"), cdn: good,
                scene: .calm(Reply.status(301).redirected(to: "https://example.com/downloads/aasa"), cdn: good),
                findings: ["origin.redirect warning"], id: .redirectSameSite, words: ["/downloads/aasa"]
            ) { $0.unsaid = ["maintenance", "home page"] },
            Story(
                "the file comes back from the root all the same",
                origin: good.redirected(to: "https://www.example.com/"),
                cdn: good, scene: .calm(Reply.status(301).redirected(to: "https://www.example.com/"), cdn: good),
                findings: ["origin.redirect warning"], id: .redirectSameSite, words: ["https://www.example.com/"]
            ) { $0.unsaid = ["home page"] },
            Story(
                "the root of another site is nobody's home page here",
                origin: welcome.redirected(to: "https://example.net/"), cdn: good,
                scene: .calm(Reply.status(301).redirected(to: "https://example.net/"), cdn: good),
                findings: ["origin.redirect error", "origin.content-type error", "aasa.json-syntax error"],
                id: .originFault, words: ["to another site, https://example.net/"]
            ) { $0.unsaid = ["home page"] },
            Story(
                "words of the domain's own name say nothing",
                origin: good.redirected(to: "https://www.offline.example/x"), cdn: good,
                scene: .calm(Reply.status(301).redirected(to: "https://www.offline.example/x"), cdn: good),
                findings: ["origin.redirect warning"], id: .redirectSameSite, words: ["https://www.offline.example/x"]
            ) {
                $0.domain = "offline.example"
                $0.unsaid = ["maintenance"]
            },
        ]
}
