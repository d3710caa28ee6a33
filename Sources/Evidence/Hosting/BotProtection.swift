// Bot protections that answer in place of the site: a challenge that only browsers pass, or a refusal at the edge.

import Facts
import Foundation

package struct BotProtection: Codable, Equatable, Sendable {
    package var vendor: Vendor
    package var kind: Kind
    /// What identified it, such as `cf-mitigated: challenge`.
    package var sign: String

    package init(_ vendor: Vendor, _ kind: Kind, sign: String) {
        self.vendor = vendor
        self.kind = kind
        self.sign = sign
    }

    package enum Vendor: String, Codable, Sendable, CaseIterable {
        case cloudflare = "Cloudflare"
        case awsWAF = "AWS WAF"
        case vercel = "Vercel"
        case akamai = "Akamai"
        case imperva = "Imperva"
        case siteGround = "SiteGround"
        case dataDome = "DataDome"
        case human = "HUMAN"
        case sucuri = "Sucuri"
        case ddosGuard = "DDoS-Guard"
        case f5 = "F5"
        case unknown = "an unknown vendor"
    }

    package enum Kind: String, Codable, Sendable, CaseIterable {
        case challenge
        /// Refused before the request reached the site.
        case refusal
    }
}

extension BotProtection {
    struct Row: Sendable {
        let vendor: Vendor
        let kind: Kind
        let sign: AnswerPattern
    }

    /// A challenge may have any status: 403 or 429 from Cloudflare and Vercel, 202 from AWS WAF, 405 for its captcha,
    /// 200 from Imperva.
    static let rows: [Row] = named + unnamed

    private static let named: [Row] = [
        row(
            .cloudflare, .challenge, 200...599, .init("cf-mitigated", "challenge"),
            documented: "https://developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/"
                + "detect-response"),
        // The site's owner or Cloudflare refused the request: by signature, country, address or firewall rule.
        row(
            .cloudflare, .refusal, 403...403, .init("server", "cloudflare"),
            words: [1005, 1006, 1007, 1008, 1009, 1010, 1012, 1020].map { "error code: \($0)" },
            documented:
                "https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-1xxx-errors/"),
        row(.awsWAF, .challenge, 202...202, .init("x-amzn-waf-action", "challenge"), documented: awsActions),
        row(.awsWAF, .challenge, 405...405, .init("x-amzn-waf-action", "captcha"), documented: awsActions),
        row(.vercel, .challenge, 400...599, .init("x-vercel-mitigated", "challenge")),
        row(.vercel, .refusal, 400...599, .init("x-vercel-mitigated", "deny")),
        row(.akamai, .challenge, 200...428, words: ["sec-cp-challenge", "/_sec/cp_challenge/"]),
        row(.akamai, .refusal, 403...403, words: ["Reference #18.", "Reference&#32;&#35;18"]),
        // X-Iinfo is in every answer that passes Imperva, so alone it says nothing.
        row(
            .imperva, .challenge, 200...599,
            words: ["_Incapsula_Resource?CWUDNSAI", "_Incapsula_Resource?SWUDNSAI", "Incapsula incident ID"]),
        row(.siteGround, .challenge, 200...599, .init("sg-captcha", "challenge")),
        row(.siteGround, .challenge, 200...599, words: ["/.well-known/sgcaptcha/"]),
        // With other statuses the header alone says nothing: it is in every answer.
        row(.dataDome, .challenge, 403...403, .init("x-dd-b")),
        row(.dataDome, .challenge, 403...403, .init("x-datadome")),
        row(.dataDome, .challenge, 401...429, words: ["captcha-delivery.com"]),
        row(.human, .challenge, 403...429, words: ["px-captcha", "_pxCaptcha"]),
        row(.sucuri, .refusal, 403...403, .init("x-sucuri-id"), words: ["Access Denied - Sucuri Website Firewall"]),
        row(.sucuri, .challenge, 200...599, words: ["sucuri_cloudproxy_js"]),
        row(.ddosGuard, .challenge, 403...403, .init("server", "ddos-guard"), words: ["ddos-guard"]),
        // The refusal page may also have status 200.
        row(
            .f5, .refusal, 200...599, words: ["The requested URL was rejected. Please consult with your administrator"]),
    ]

    private static let awsActions =
        "https://docs.aws.amazon.com/waf/latest/developerguide/waf-captcha-and-challenge-actions.html"

    /// Any vendor: a page that asks for a captcha, with a status that the site's own pages do not have.
    private static let unnamed: [Row] =
        [202, 403, 429, 503].map { status in
            row(
                .unknown, .challenge, status...status, .init("content-type", "html"),
                words: [
                    "g-recaptcha", "h-captcha", "cf-turnstile", "captcha", "verify you are human",
                    "verify that you are human", "checking your browser", "are you a robot",
                ])
        } + [row(.unknown, .refusal, 403...403, .init("content-type", "html"), words: ["Request unsuccessful"])]

    private static func row(
        _ vendor: Vendor, _ kind: Kind, _ statuses: ClosedRange<Int>, _ header: AnswerPattern.Header? = nil,
        words: [String] = [], documented page: String? = nil
    ) -> Row {
        Row(vendor: vendor, kind: kind, sign: AnswerPattern(statuses, header, words: words, documented: page))
    }
}

/// A protection and what identified it.
struct ProtectionMatch {
    let protection: BotProtection
    let matches: [HeaderField]

    init?(_ answer: Answer, _ content: Data?) {
        // A body that begins as an object is the file, or at least not a page.
        let start = content?.first { !($0 == 0x20 || (0x09...0x0D).contains($0)) }
        guard answer.status != 200 || start != UInt8(ascii: "{") else { return nil }
        let body = AnswerBody(content)
        for row in BotProtection.rows {
            // Any page may have such a word, and a challenge does not have these statuses.
            if row.sign.headers.isEmpty, [404, 410].contains(answer.status) { continue }
            guard let matches = row.sign.matches(in: answer, body), let first = matches.first else { continue }
            let sign =
                first.name == "body"
                ? "'\(first.value.replacing("&#32;", with: " ").replacing("&#35;", with: "#"))'"
                : "\(first.name): \(first.value.inSentence)"
            protection = BotProtection(row.vendor, row.kind, sign: sign)
            self.matches =
                matches
                + ["x-iinfo", "cf-ray", "server"].compactMap { name in
                    answer.header(name).map { HeaderField(name: name, value: $0.shortened(to: 200)) }
                }
            return
        }
        return nil
    }
}

extension Readings {
    /// The bot protection that answered in place of the site.
    func protection(of retrieval: Retrieval) -> ProtectionMatch? {
        retrieval.answer.flatMap { ProtectionMatch($0, content(of: $0)) }
    }
}

extension English {
    static func why(_ protection: BotProtection, _ status: Int) -> String {
        switch protection.kind {
        case .challenge:
            "Bot protection from \(protection.vendor.rawValue) sends this machine a challenge instead of the file (status "
                + "\(status), \(protection.sign))."
        case .refusal:
            "Bot protection from \(protection.vendor.rawValue) refuses this machine (status \(status), "
                + "\(protection.sign))."
        }
    }

    /// Bot Fight Mode, of the free plan, cannot be skipped: https://developers.cloudflare.com/bots/get-started/bot-fight-mode/
    static let skippedInCloudflare =
        " In Cloudflare add a skip rule for this path, and switch off Bot Fight Mode: rules cannot skip it."

    static func action(_ protection: BotProtection) -> String {
        "Exempt /.well-known/apple-app-site-association from challenges and bot protection, for every client."
            + (protection.vendor == .cloudflare ? skippedInCloudflare : "")
    }
}
