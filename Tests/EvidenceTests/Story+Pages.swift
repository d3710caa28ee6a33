// Stories in which something else than the file comes, with status 200 or behind a redirect: which page it is.

import Evidence
import Foundation
import TestSupport

extension Story {
    static let pages = placeholders + errorMessages + titled

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

    private static let errors: [(body: String, quote: String)] = [
        (#"{"error":"Not found"}"#, "'Not found'"), (#"{"error":{"code":401,"message":"No token"}}"#, "'No token'"),
        (#"{"message":"Not Found","statusCode":404}"#, "'Not Found'"), (#"{"message":"Forbidden"}"#, "'Forbidden'"),
        (#"{"errors":[{"title":"No such route"}]}"#, "'No such route'"), (#"{"errors":["gone"]}"#, "'gone'"),
        (#"{"status":"error","msg":"bad path"}"#, "'bad path'"), (#"{"code":404,"data":null}"#, #""code":404"#),
        (#"{"code":"rest_no_route","message":"No route was found"}"#, "'No route was found'"),
        (
            #"{"type":"https://example.com/probs/nf","title":"Resource missing","status":404,"instance":"/x"}"#,
            "'Resource missing'"
        ),
        (#"{"success":false}"#, #""success":false"#), (#"{ "ok" : false ,\#n "reason" : "closed" }"#, "'closed'"),
        (#"{"Message":"No HTTP resource was found"}"#, "'No HTTP resource was found'"),
        (
            #"{"detail":"Authentication credentials were not provided."}"#,
            "'Authentication credentials were not provided.'"
        ),
        (#"{"fault":{"faultstring":"Unable to identify proxy"}}"#, "'Unable to identify proxy'"),
        (#"{"errorCode":"E12","errorMessage":"no such page"}"#, "'no such page'"),
        (#"{"timestamp":"2026-11-21","status":404,"error":"Not Found","path":"/.well-known/x"}"#, "'Not Found'"),
    ]

    private static let errorMessages: [Story] =
        errors.map { body, quote in
            Story(
                "an API's error with status 200: \(body)", origin: .file(body), cdn: good,
                findings: ["aasa.no-service error"], id: .pageInsteadOfFile,
                words: ["an error message, no association file", quote, "out of the API's routes"]
            ) { $0.unsaid = ["The file has an error"] }
        } + [
            Story(
                "the same as an array", origin: .file(#"[{"errorCode":"NOT_FOUND","message":"no such page"}]"#),
                cdn: good,
                findings: ["aasa.root-not-object error"], id: .pageInsteadOfFile,
                words: ["an error message, no association file", "'no such page'"]),
            Story(
                "the same under a page's type",
                origin: .file(#"{"error":"Not found"}"#).with { $0.headers["Content-Type"] = "text/html" }, cdn: good,
                findings: ["origin.content-type error", "aasa.no-service error"], id: .pageInsteadOfFile,
                words: ["an error message, no association file"]),
        ]
        + [
            "{}", #"{"version":1}"#, #"{"AppLinks":{"details":[]},"status":404}"#,
            #"{"error":null,"errors":[],"code":200}"#,
            #"{"status":"ok"}"#, #"{"success":true,"data":{}}"#, #"{"message":"Welcome to the API"}"#,
        ].map { body in
            Story(
                "an object that is no error: \(body)", origin: .file(body), cdn: good,
                findings: ["aasa.no-service error"], id: .fileFault, words: ["The file has an error"]
            ) { $0.unsaid = ["error message"] }
        }

    private static func page(_ title: String, _ body: String = "<h1>Hello</h1><p>Some text of this page.</p>") -> String
    {
        "<!DOCTYPE html>\n<html lang=en><head><title>\(title)</title></head><body>\(body)</body></html>"
    }

    private static let shell =
        #"<noscript>You need to enable JavaScript.</noscript><div id="root"></div><script src="/main.js"></script>"#

    /// A page with status 200, and what is said of it.
    private static let shown: [(html: String, words: [String])] = [
        (page("Page not found"), ["titled 'Page not found'", "a not-found page", "Deploy the file"]),
        (page("\n  Error 404 &amp; more\n "), ["titled 'Error 404 & more'", "a not-found page"]),
        (page("Acme", "<h1 class=x>Sorry, we can't find that page</h1>"), ["titled 'Acme'", "a not-found page"]),
        (page("Seite nicht gefunden"), ["a not-found page"]),
        (page("Log in | Acme"), ["titled 'Log in | Acme'", "a login page", "without a login"]),
        (page("Acme", #"<form><input name=u><input type="password" name=p></form>"#), ["a login page"]),
        (page("Anmelden"), ["a login page"]),
        (page("We are under maintenance"), ["a maintenance page", "out of maintenance mode"]),
        (page("Coming soon"), ["a maintenance page"]),
        (page("My App", shell), ["titled 'My App'", "single-page app", "catch-all route"]),
        (page("Angular", "<app-root></app-root><script src=x.js></script>"), ["single-page app"]),
        (
            page("Acme shoes", "<a href=/login>Log in</a> <h1>Shoes</h1> and more"),
            ["titled 'Acme shoes'", "catch-all route"]
        ),
        (page(String(repeating: "long ", count: 90)), ["long long", "…'"]),
        (page("\u{202E}evil\u{7}"), ["evil"]),
    ]

    private static let titled: [Story] =
        shown.map { html, words in
            Story(
                "a page with status 200: \(words.joined(separator: ", "))", origin: .page(200, html), cdn: good,
                findings: ["origin.content-type error", "aasa.json-syntax error"], id: .pageInsteadOfFile,
                words: words + ["HTML page"])
        } + [
            Story(
                "a page of the site's own is none of these",
                origin: .page(200, page("Acme shoes", "<a href=/login>Log in</a> <h1>Shoes</h1> and more")), cdn: good,
                findings: ["origin.content-type error", "aasa.json-syntax error"], id: .pageInsteadOfFile, words: []
            ) { $0.unsaid = ["a login page", "a not-found page", "a maintenance page", "single-page app"] }
        ]
}
