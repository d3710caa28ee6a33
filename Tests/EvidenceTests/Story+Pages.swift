// Stories in which something else than the file comes, with status 200 or behind a redirect: which page it is.

import Evidence
import Foundation
import TestSupport

extension Story {
    static let pages = placeholders + otherJSON + titled

    private static let welcome = Reply.page(200, "<!doctype html><html><title>Welcome</title><h1>Hello</h1>")

    /// Every path of the site leads to one page, which comes with status 200.
    private static func sent(to target: String) -> Story {
        Story(
            "every path is sent to \(target)", origin: welcome.redirected(to: target, status: 302), cdn: good,
            scene: .calm(Reply.status(302).redirected(to: target, status: 302), cdn: good),
            findings: ["origin.redirect error", "origin.content-type error", "aasa.json-syntax error"],
            id: .originFault,
            words: [target, "titled 'Welcome'", "/.well-known/apple-app-site-association from the redirect"]
        ) { $0.unsaid = ["not allowed"] }
    }

    private static let targets = [
        "https://example.com/", "https://www.example.com/", "https://example.com/de/index.html",
        "https://example.com/maintenance.html", "https://example.com/errors/404",
    ]

    private static let placeholders =
        targets.map(sent) + [
            Story(
                "a redirect to a download of the site's own",
                origin: good.redirected(to: "https://example.com/downloads/aasa"), cdn: good,
                scene: .calm(Reply.status(301).redirected(to: "https://example.com/downloads/aasa"), cdn: good),
                findings: ["origin.redirect warning"], id: .redirectSameSite, words: ["/downloads/aasa"]
            ) { $0.unsaid = ["HTML page"] },
            Story(
                "the file comes back from the root all the same",
                origin: good.redirected(to: "https://www.example.com/"),
                cdn: good, scene: .calm(Reply.status(301).redirected(to: "https://www.example.com/"), cdn: good),
                findings: ["origin.redirect warning"], id: .redirectSameSite, words: ["https://www.example.com/"]
            ) { $0.unsaid = ["HTML page"] },
            Story(
                "a page of another site",
                origin: welcome.redirected(to: "https://example.net/"), cdn: good,
                scene: .calm(Reply.status(301).redirected(to: "https://example.net/"), cdn: good),
                findings: ["origin.redirect error", "origin.content-type error", "aasa.json-syntax error"],
                id: .originFault, words: ["to another site, https://example.net/"]),
        ]

    /// JSON in the file's place, and what is quoted of it.
    private static let answers: [(body: String, quote: String)] = [
        (#"{"error":"Not found"}"#, #"'{"error":"Not found"}'"#),
        (#"{"message":"Not Found","statusCode":404}"#, #""statusCode":404"#),
        (#"{ "ok" : false ,\#n "reason" : "closed" }"#, #"'{ "ok" : false , "reason" : "closed" }'"#),
        (#"{"message":"Welcome to the API"}"#, "Welcome to the API"), (#"{"version":1}"#, #"'{"version":1}'"#),
    ]

    private static let otherJSON: [Story] =
        answers.map { body, quote in
            Story(
                "JSON without a service, with status 200: \(body)", origin: .file(body), cdn: good,
                findings: ["aasa.no-service error"], id: .pageInsteadOfFile,
                words: ["JSON that is not an association file", quote, "from the API's routes"]
            ) { $0.unsaid = ["The file has an error"] }
        } + [
            Story(
                "the same as an array", origin: .file(#"[{"errorCode":"NOT_FOUND","message":"no such page"}]"#),
                cdn: good, findings: ["aasa.root-not-object error"], id: .pageInsteadOfFile,
                words: ["JSON that is not an association file", "no such page"]),
            Story(
                "the same under a page's type",
                origin: .file(#"{"error":"Not found"}"#).with { $0.headers["Content-Type"] = "text/html" }, cdn: good,
                findings: ["origin.content-type error", "aasa.no-service error"], id: .pageInsteadOfFile,
                words: ["JSON that is not an association file"]),
        ]
        + ["{}", #"{"AppLinks":{"details":[]},"status":404}"#].map { body in
            Story(
                "an object that is meant to be the file: \(body)", origin: .file(body), cdn: good,
                findings: ["aasa.no-service error"], id: .fileFault, words: ["The file has an error"]
            ) { $0.unsaid = ["JSON that is not an association file"] }
        }

    private static func page(_ title: String, _ body: String = "<h1>Hello</h1><p>Some text of this page.</p>") -> String
    {
        "<!DOCTYPE html>\n<html lang=en><head><title>\(title)</title></head><body>\(body)</body></html>"
    }

    /// A page with status 200, and what is quoted of it.
    private static let shown: [(html: String, words: [String])] = [
        (page("Page not found"), ["titled 'Page not found'"]),
        (page("\n  Error 404 &amp; more\n "), ["titled 'Error 404 & more'"]),
        (page("", "<h1 class=x>Sorry, we can't find that page</h1>"), ["titled 'Sorry, we can't find that page'"]),
        (page("ログイン"), ["titled 'ログイン'"]), (page(String(repeating: "long ", count: 90)), ["long long", "…'"]),
        (page("\u{202E}evil\u{7}"), ["evil"]),
    ]

    private static let titled: [Story] = shown.map { html, words in
        Story(
            "a page with status 200: \(words.joined(separator: ", "))", origin: .page(200, html), cdn: good,
            findings: ["origin.content-type error", "aasa.json-syntax error"], id: .pageInsteadOfFile,
            words: words + ["HTML page", "catch-all route"])
    }
}
