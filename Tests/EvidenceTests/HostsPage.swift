// The text of docs/reference/hosts.md: the code's tables of hosting platforms and bot protections.

@testable import Evidence

enum HostsPage {
    static let text = """
        # Hosting platforms and bot protections

        How an answer is recognised as a platform's own, and what it means. The first row that fits decides: the platform's \
        error header, then the code in an XML error, then words of a page, then the server's name. *Documented* is what the \
        platform's own documentation says; *recorded* are answers that others met and published. This page is written from \
        the code.

        ## Hosting platforms

        Rests on the origin's own answer, with a status of 400 or more. It is not proof that the file was never uploaded, and \
        not Apple's word. "No such file", "not there, or not public", "folders that begin with a dot", "refused, since it has no \
        extension" and "no such site" count as no file, as 404 and 410 do: Apple's CDN is not asked unless the origin had a file before, since it would remember \
        the failure.

        | platform | answer | meaning | known from |
        |---|---|---|---|
        \(HostingTable.rows.map { row($0.platform.rawValue, $0.sign, meaning($0.meaning)) }.joined(separator: "\n"))

        Netlify, Vercel and S3 publish `.well-known` like any other folder. A 403 of CloudFront itself names CloudFront as \
        its server, and is a refusal.

        ## Bot protections

        Rests on the answer that this machine was given. It is not proof that Apple's crawler is challenged too: that shows in \
        Apple's copy, and in the answers to Apple's user agents. A challenge may come with any status, 429 and 503 included; \
        without one of these signs, 429 and 503 are never reported as a rule about agents. A word of a page counts for \
        nothing with 404 and 410: a site's own page may hold it.

        | protection | answer | meaning | known from |
        |---|---|---|---|
        \(BotProtection.rows.map { row($0.vendor.rawValue, $0.sign, $0.kind.rawValue) }.joined(separator: "\n"))

        ## Cloudflare's statuses

        Statuses 520 to 530 from Cloudflare (`Server: cloudflare` or `CF-RAY`) are about the server behind it, \
        [as documented](https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors/): \
        the diagnosis names that server and not Cloudflare.

        """

    private static func row(_ name: String, _ sign: AnswerPattern, _ meaning: String) -> String {
        var parts = sign.headers.map { $0.part.isEmpty ? "`\($0.name)`" : "`\($0.name): \($0.part)`" }
        if let code = sign.code { parts.append("`<Code>\(code)</Code>`") }
        if !sign.words.isEmpty { parts.append(sign.words.map { "“\($0)”" }.joined(separator: " or ")) }
        let (low, high) = (sign.statuses.lowerBound, sign.statuses.upperBound)
        let status = low == high ? "\(low)" : low == 200 && high >= 428 ? "any status" : "\(low) to \(high)"
        let source =
            switch sign.source {
            case .documented(let url): "[documented](\(url))"
            case .recorded: "recorded"
            }
        return "| \(name) | \(status), \(parts.joined(separator: ", ")) | \(meaning) | \(source) |"
    }

    private static func meaning(_ meaning: HostingMeaning) -> String {
        switch meaning {
        case .missing: "no such file"
        case .missingOrPrivate: "not there, or not public"
        case .dotFolderDropped:
            "no such file; leaves out folders that begin with a dot, unless its configuration says otherwise"
        case .extensionRefused: "no such file; or there, and refused, since it has no extension and no MIME type"
        case .unknownSite: "no such site"
        case .stopped: "switched off"
        case .failing: "the site's program fails"
        }
    }
}
