// `server`.

import Evidence
import Facts

/// Where the status page is served, and who may use it.
package struct ServerSettings: Sendable, Equatable {
    /// A name or an address, IPv6 without brackets.
    package var host = "127.0.0.1"
    /// 0: the system chooses one.
    package var port = 9630
    /// Never nil unless `host` is a loopback address.
    package var token: Secret?
    package var readerToken: Secret?
    package var isPublic = false
    /// The minimum length in characters. A shorter token can be guessed.
    package static let shortestToken = 16
    /// Whether only this machine can connect.
    package var isOnLoopback: Bool { HostAddress.isLoopback(host: host) }
    /// Whether it listens on all addresses. Links cannot use such an address.
    package var isOnAll: Bool { ["0.0.0.0", "::", "[::]"].contains(host) }
    package var publicURL: String?
    package var isReadOnly = false
    package var trustedProxies: [AddressRange] = []
    package var metricsByDomain = true
    package var probesUnknownDomains = false

    package init() {}

    private static let settings: [Setting<ServerSettings>] = [
        Setting("listen", \.listen, .listen, "the address of the status page; with port 0 the system chooses the port"),
        Setting(
            "public_url", \.publicURL, .pageURL,
            "where people reach [the pages](pages.md), for links in alerts. Usually "
                + "[a proxy's address](../operations.md#behind-a-reverse-proxy). The server also answers to its host, "
                + "and accepts forms from its pages. Without it, alerts link to the address of `listen`, unless only "
                + "this machine can open that. `config check` warns if it is set without a `token`, and if it is "
                + "missing although there are channels and `listen` is not loopback"),
        Setting(
            "token", \.token, .token,
            "needed if `listen` is not a loopback address. Without it, any local user of the machine can read all "
                + "pages, and [silence and acknowledge](pages.md#who-may-see-and-change-what) under any name"),
        Setting(
            "reader_token", \.readerToken, .token,
            "[can read everything and change nothing](pages.md#who-may-see-and-change-what): for a wall screen, a "
                + "script, another team. Needs a `token`, and must differ from it"),
        Setting(
            "public", \.isPublic, .boolean,
            "the overview, domains, badges and their JSON need no token. Everything else does, such as channels, "
                + "messages, actions and metrics"),
        Setting(
            "read_only", \.isReadOnly, .boolean,
            "nothing can be changed over HTTP: no silences, acknowledgements, checks or retries. The commands that use "
                + "the store still work"),
        Setting(
            "trusted_proxies", \.trustedProxies, .list(of: .network),
            "[proxies](../operations.md#behind-a-reverse-proxy) whose `X-Forwarded-For` names the client"),
        Setting(
            "metrics_by_domain", \.metricsByDomain, .boolean,
            "whether [`/metrics`](metrics.md) has samples for each domain"),
        Setting(
            "probe_unknown_domains", \.probesUnknownDomains, .boolean,
            "whether [`/probe`](metrics.md#probe) also checks domains that are not watched, if their addresses are "
                + "public"),
    ]

    private var listen: ListenAddress {
        get { ListenAddress(host: host, port: port) }
        set { (host, port) = (newValue.host, newValue.port) }
    }

    static let form = Form<ServerSettings>.mapping(settings, ServerSettings()) { $0.check($1) }

    /// Who can reach the pages, and who can change something there.
    private func check(_ section: Section) {
        let (reading, title) = (section.reading, section.title)
        let isGuarded = section.isGiven("token") || section.isGiven("token_file")
        if let reader = ["reader_token", "reader_token_file"].first(where: section.isGiven) {
            let isSame = token != nil && token == readerToken
            if !isGuarded || isSame {
                reading.error(
                    "'reader_token' \(title) "
                        + (isSame
                            ? "is the same as 'token', so readers could write; generate another one"
                            : "needs a 'token' too: without one, everybody may write"),
                    at: section.place(of: reader))
            }
        }
        if isPublic, !isGuarded {
            reading.warning(
                "'public' \(title) has no effect without a 'token': everybody can already read all pages",
                at: section.place(of: "public"))
        }
        if publicURL != nil, !isGuarded {
            reading.warning(
                "'public_url' \(title) is set without a 'token': everybody who reaches it can read all"
                    + " pages, and can silence and acknowledge unless 'read_only' is true. Set a 'token', or let the"
                    + " proxy ask for a login", at: section.place(of: "public_url"))
        }
        guard !isOnLoopback else { return }
        if !isGuarded {
            reading.error(
                "'listen' \(title) is not a loopback address, so a 'token' (or 'token_file') is needed",
                at: section.place(of: "listen"))
        }
        if !reading.context.channels.isEmpty, !section.isGiven("public_url") {
            let address = reading.shown("'\(listen)'", of: "server.listen")
            let links = isOnAll ? "contain no links to the pages" : "link to the pages at \(address)"
            reading.warning(
                "'public_url' \(title) is missing, so messages \(links); "
                    + "set it to the address at which people reach the pages", at: section.place(of: "listen"))
        }
    }
}

extension SecretForm where Value == Secret {
    fileprivate static var token: SecretForm {
        let shortest = ServerSettings.shortestToken
        let words = "at least \(shortest) visible ASCII characters"
        return SecretForm(words: words, pattern: "^[!-~]{\(shortest),}$") { field in
            let isVisible = field.value.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            let fault =
                isVisible
                ? "has fewer than \(shortest) characters, so it can be guessed; generate one, for example with "
                    + "'openssl rand -hex 16'"
                : "must contain only visible ASCII characters"
            return field.unless(isVisible && field.value.utf8.count >= shortest ? nil : fault, Secret.init)
        }
    }
}

/// `server.listen`.
private struct ListenAddress: Sendable, CustomStringConvertible {
    /// IPv6 without brackets.
    let host: String
    let port: Int

    var description: String { "\(HostAddress.inURL(host)):\(port)" }
}

extension Form where Value == ListenAddress {
    fileprivate static var listen: Form {
        let example = "a host and a port such as 127.0.0.1:9630"
        let pattern = #"^(\[[^\]]+\]|[^:\s]+):[0-9]{1,5}$"#
        return text(example, words: "`HOST:PORT`, IPv6 as `[::1]:9630`", pattern: pattern) { text, field in
            HostOverride.listen(text.value).map { ListenAddress(host: $0.host, port: $0.port) }
                ?? field.unexpected(text, "\(example) or [::1]:9630")
        }
    }
}

extension Form where Value == String {
    fileprivate static var pageURL: Form {
        let example = "a URL such as https://aasa.example.net"
        return text(example, words: "URL without a path", pattern: "^https?://") { text, field in
            WebAddress.isPage(text.value) ? text.value : field.refuse(text, "is not \(example), without a path")
        }
    }
}

extension Form where Value == AddressRange {
    fileprivate static var network: Form {
        text(
            "an address or a network such as 127.0.0.1 or 10.0.0.0/8",
            words: "addresses and networks, such as `127.0.0.1`, `10.0.0.0/8`",
            pattern: "^[0-9A-Fa-f:.]+(/[0-9]{1,3})?$", parse: AddressRange.init)
    }
}
