// Stories in which this machine is turned away, and the status alone does not say so.

import Evidence
import Foundation
import TestSupport

extension Story {
    static let disguises = challenges + clientCertificates

    /// Refused here alike at every address, beside Apple's copy of five minutes ago.
    private static func alone(_ name: String, _ reply: Reply, _ id: DiagnosisID, _ words: [String]) -> Story {
        let copy = good.with { $0.headers["Age"] = "300" }
        return Story(
            "\(name), and Apple's crawler gets the file", origin: reply, cdn: copy,
            findings: [reply.status == 200 ? "origin.content-type warning" : "origin.status warning"]
                + (reply.status == 200 ? ["aasa.json-syntax warning"] : []), id: id,
            words: words + ["Links work.", "5 min old", "Allow this machine's address"]
        ) { $0.unsaid = ["how long it keeps the copy"] }
    }

    private static func html(_ body: String) -> String { "<!doctype html><html><body>\(body)</body></html>" }

    private static let signs: [(vendor: String, reply: Reply)] = [
        ("SiteGround", .page(202, html(""), ["SG-Captcha": "challenge"])),
        (
            "SiteGround",
            .page(202, #"<html><meta http-equiv="refresh" content="0;/.well-known/sgcaptcha/?r=%2F"></html>"#)
        ),
        ("DataDome", .page(403, html("x"), ["X-DataDome": "protected"])),
        ("DataDome", .status(403, ["X-DD-B": "3", "Content-Type": "application/json"])),
        ("HUMAN", .page(403, html(#"<div id="px-captcha"></div>"#))),
        ("HUMAN", .page(403, html("<script>window._pxCaptcha = {}</script>"))),
        (
            "Sucuri",
            .page(403, html("<title>Access Denied - Sucuri Website Firewall</title>"), ["X-Sucuri-ID": "15008"])
        ),
        ("DDoS-Guard", .page(403, html("<title>DDoS-Guard</title>"), ["Server": "ddos-guard"])),
        (
            "F5",
            .page(
                200,
                html("The requested URL was rejected. Please consult with your administrator. Your support ID is: 1"))
        ),
        ("an unknown vendor", .page(202, html(#"<div class="g-recaptcha"></div>"#))),
        ("an unknown vendor", .page(403, html(#"<div class="h-captcha"></div>"#))),
        ("an unknown vendor", .page(429, html(#"<div class="cf-turnstile"></div>"#))),
        ("an unknown vendor", .page(503, html("Please solve the CAPTCHA"))),
        ("an unknown vendor", .page(403, html("Verify you are human"))),
    ]

    private static let challenges: [Story] =
        signs.enumerated().map { index, sign in
            alone(
                "protection \(index + 1), of \(sign.vendor)", sign.reply, .challengedHere,
                ["Bot protection from \(sign.vendor)", "status \(sign.reply.status)"])
        } + [
            Story(
                "a captcha on a page that is there, with status 200, is no challenge",
                origin: .page(200, html(#"Contact<div class="g-recaptcha"></div>"#)), cdn: good,
                findings: ["origin.content-type error", "aasa.json-syntax error"], id: .pageInsteadOfFile,
                words: ["HTML page"]
            ) { $0.unsaid = ["bot protection"] },
            Story(
                "a word about captchas in a text that is no page",
                origin: .status(503, ["Content-Type": "text/plain"])
                    .with { $0.body = Data("captcha service down".utf8) }, cdn: good,
                findings: ["origin.status error"], id: .originFault, words: ["status 503"]
            ) { $0.unsaid = ["bot protection"] },
        ]

    private static let demands: [(server: String, status: Int, text: String)] = [
        ("nginx", 400, "<title>400 No required SSL certificate was sent</title>"),
        ("nginx, with a bad one", 400, "<title>400 The SSL certificate error</title>"),
        ("IIS", 403, "<h2>HTTP Error 403.7 - Forbidden</h2>"),
        ("Apache", 403, "Reason: Cannot perform Post-Handshake Authentication.<br />"),
        ("Envoy", 403, "client certificate required"),
        ("Kong", 401, "No required TLS certificate was sent"),
        ("a gateway", 401, "<p>Access requires a client certificate.</p>"),
        ("nginx's own status", 496, "<title>496 SSL Certificate Required</title>"),
    ]

    private static let clientCertificates: [Story] =
        demands.map { server, status, text in
            alone(
                "a client certificate that \(server) demands", .page(status, html(text)), .turnedAwayHere,
                ["requires a client certificate", "status \(status)", "only this machine"])
        }
        + demands.map { server, status, text in
            Story(
                "a client certificate that \(server) demands of everybody", origin: .page(status, html(text)),
                cdn: .status(404), findings: ["origin.status error"], id: .originFault,
                words: ["and requires a client certificate", "without a client certificate"])
        } + [
            Story(
                "another 400", origin: .page(400, html("Bad Request")), cdn: good, findings: ["origin.status error"],
                id: .originFault, words: ["status 400 in place of 200"]
            ) { $0.unsaid = ["certificate"] }
        ]
}
