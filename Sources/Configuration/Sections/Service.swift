// `shard`, `store`, `server`, `log` and `heartbeat`.

import Evidence
import Facts

extension Shard {
    /// The numbers as the file has them.
    struct Numbers {
        var index = 0
        var count = 1

        static let settings: [Setting<Numbers>] = [
            Setting(
                "index", \.index, .integer(in: 0...Shard.largestCount - 1), isRequired: true,
                "which share, from 0 to `count` - 1"),
            Setting("count", \.count, .integer(in: 1...Shard.largestCount), isRequired: true, "how many there are"),
        ]
    }

    static let form = Form<Shard>.mapping(
        Numbers.settings, Numbers(), show: { Numbers(index: $0.index, count: $0.count) }
    ) { numbers, section in
        if let shard = Shard(index: numbers.index, count: numbers.count) { return shard }
        guard section.isGiven("index"), section.isGiven("count") else { return nil }
        section.reading.error(
            "'index' \(section.title) counts from 0, so it must be less than 'count'", at: section.place(of: "index"))
        return nil
    }
}

extension StoreSettings {
    private static let path = Setting<StoreSettings>(
        "path", \.path, .text("a path", words: "path"),
        "the SQLite file; a relative one lies under `$STATE_DIRECTORY` where systemd sets it, else in the folder of the "
            + "configuration")

    private static let settings = [
        path,
        Setting(
            "keep_observations", \.keepObservations, .duration, "how long files are kept after they were last seen"),
    ]

    static let form = Form<StoreSettings>.mapping(settings, StoreSettings())

    /// Only the path, resolved. Reads no other setting.
    static func path(_ root: Section) -> String {
        var store = StoreSettings()
        let field = root.field("store", form, isRequired: false)
        if let field, let entries = field.entries() {
            path.read(field.section(entries, title: "in 'store'"), &store)
        }
        return root.reading.placeOfStore(store.path)
    }
}

extension LogSettings {
    static let settings: [Setting<LogSettings>] = [
        Setting("level", \.level, .choice, "the least important events that are logged"),
        Setting("format", \.format, .choice, "one line an event"),
    ]
}

extension HeartbeatSettings {
    static let settings: [Setting<HeartbeatSettings>] = [
        Setting("url", \.secretURL, .watchdog, isRequired: true, "asked with GET; a secret"),
        Setting(
            "every", \.every, .duration(in: .seconds(1)...Duration.seconds(86_400)),
            "between two pings. `config check` warns if no domain is checked that often: a ping needs a check"),
    ]

    private var secretURL: Secret? {
        get { url }
        set { if let newValue { url = newValue } }
    }

    static let form = Form<HeartbeatSettings>.mapping(
        settings, HeartbeatSettings(url: Secret("")), isConcealed: true
    ) { heartbeat, section in
        // A ping needs a check, so the intervals of the domains limit `every`.
        if let shortest = section.reading.context.watched.shortestInterval, shortest > heartbeat.every {
            section.reading.warning(
                "'every' \(section.title) is shorter than the 'interval' of every domain; a ping needs a check, so pings "
                    + "come no more often than checks", at: section.placeOfKey("every"))
        }
        return heartbeat
    }
}

extension SecretForm where Value == Secret {
    fileprivate static var watchdog: SecretForm {
        SecretForm(
            words: "https URL; http for loopback hosts only", pattern: WebAddress.pattern,
            isSecret: { !WebAddress.isHere($0) }, value: { Secret($0) }, fault: { WebAddress.fault($0) })
    }

    fileprivate static var token: SecretForm {
        let shortest = ServerSettings.shortestToken
        return SecretForm(
            words: "\(shortest) visible ASCII characters at least", pattern: "^[!-~]{\(shortest),}$",
            value: { Secret($0) },
            fault: { token in
                if !token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
                    return "may hold visible ASCII characters only"
                }
                return token.utf8.count >= shortest
                    ? nil
                    : "has less than \(shortest) characters, so it can be guessed; draw one, such as by "
                        + "'openssl rand -hex 16'"
            })
    }
}

extension ServerSettings {
    static let settings: [Setting<ServerSettings>] = [
        Setting("listen", \.listen, .listen, "the status page; port 0 lets the system choose"),
        Setting(
            "public_url", \.publicURL, .pageURL,
            "where people reach [the pages](page.md), for links in alerts; its host is one that the server answers to, and "
                + "its pages may send forms. Usually [a proxy's](proxy.md). Without it, alerts link to the address of "
                + "`listen`, unless only this machine can open that. `config check` warns where it is given without a "
                + "`token`, and where it is missing although there are channels and `listen` is not loopback"),
        Setting(
            "token", \.token, .token,
            "needed where `listen` is not a loopback address. Without it any local user of the machine reads all pages, and "
                + "[silences and acknowledges](page.md#who-may-see-and-change-what) under any name"),
        Setting(
            "reader_token", \.readerToken, .token,
            "[reads everything and changes nothing](page.md#who-may-see-and-change-what): for a wall, a script, another "
                + "team. Needs a `token` beside it, and is another one"),
        Setting(
            "public", \.isPublic, .boolean,
            "the overview, domains, badges and their JSON need no token; everything else does: no channels, no messages, no "
                + "actions, no metrics"),
        Setting(
            "read_only", \.isReadOnly, .boolean,
            "nothing can be changed over HTTP: no silences, acknowledgements, checks or retries. The commands beside the "
                + "store go on working"),
        Setting(
            "trusted_proxies", \.trustedProxies, .list(of: .addressRange),
            "[proxies](proxy.md) whose `X-Forwarded-For` names the client"),
        Setting(
            "metrics_by_domain", \.metricsByDomain, .boolean,
            "whether [`/metrics`](metrics.md) has samples for each domain"),
        Setting(
            "probe_unknown_domains", \.probesUnknownDomains, .boolean,
            "whether [`/probe`](metrics.md#probe) checks domains that are not watched, unless their addresses are not "
                + "public"),
    ]

    private var listen: ListenAddress {
        get { ListenAddress(host: host, port: port) }
        set { (host, port) = (newValue.host, newValue.port) }
    }

    static let form = Form<ServerSettings>.mapping(settings, ServerSettings()) { server, section in
        server.check(section)
        return server
    }

    /// Who can reach the pages, and who can change something there.
    private func check(_ section: Section) {
        let (reading, title) = (section.reading, section.title)
        let isGuarded = section.isGiven("token") || section.isGiven("token_file")
        let reader = ["reader_token", "reader_token_file"].first(where: section.isGiven)
        if let place = reader.map(section.place(of:)) {
            if !isGuarded {
                reading.error(
                    "'reader_token' \(title) needs a 'token' beside it: without one everybody may write", at: place)
            } else if let token, token == readerToken {
                reading.error(
                    "'reader_token' \(title) is the same as 'token', so readers could write; draw another one", at: place)
            }
        }
        if isPublic, !isGuarded {
            reading.warning(
                "'public' \(title) opens nothing without a 'token': everybody reads all pages as it is",
                at: section.place(of: "public"))
        }
        if publicURL != nil, !isGuarded {
            reading.warning(
                "'public_url' \(title) is given without a 'token': everybody who reaches it reads all"
                    + " pages, and can silence and acknowledge unless 'read_only' is true; set a 'token', or let the"
                    + " proxy ask for a login", at: section.place(of: "public_url"))
        }
        if !isOnLoopback, !isGuarded {
            reading.error(
                "'listen' \(title) is not a loopback address, so a 'token' (or 'token_file') is needed",
                at: section.place(of: "listen"))
        }
        if !reading.context.channels.isEmpty, !isOnLoopback, !section.isGiven("public_url") {
            let address = reading.written["server.listen"]?.quoted ?? "'\(listen)'"
            let links = isOnAll ? "hold no links to the pages" : "link to the pages at \(address)"
            reading.warning(
                "'public_url' \(title) is missing, so messages \(links); name the address at which people reach the pages",
                at: section.place(of: "listen"))
        }
    }
}

/// `server.listen`.
struct ListenAddress: Sendable, CustomStringConvertible {
    /// IPv6 without brackets.
    let host: String
    let port: Int

    var description: String { "\(HostAddress.inURL(host)):\(port)" }
}

extension Form where Value == ListenAddress {
    fileprivate static var listen: Form {
        let example = "a host and a port such as 127.0.0.1:9630"
        return .text(
            example, words: "`HOST:PORT`, IPv6 as `[::1]:9630`", pattern: #"^(\[[^\]]+\]|[^:\s]+):[0-9]{1,5}$"#
        ) { text, field in
            HostOverride.listen(text.value).map { ListenAddress(host: $0.host, port: $0.port) }
                ?? field.unexpected(text, "\(example) or [::1]:9630")
        } show: { .string($0.description) }
    }
}

extension Form where Value == String {
    fileprivate static var pageURL: Form {
        let example = "a URL such as https://aasa.example.net"
        return .text(example, words: "URL without a path", pattern: "^https?://") { text, field in
            WebAddress.isPage(text.value) ? text.value : field.refuse(text, "is not \(example), without a path")
        }
    }
}

extension Form where Value == AddressRange {
    fileprivate static var addressRange: Form {
        let expected = "an address or a network such as 127.0.0.1 or 10.0.0.0/8"
        return .text(
            expected, words: "addresses and networks, such as `127.0.0.1`, `10.0.0.0/8`",
            pattern: "^[0-9A-Fa-f:.]+(/[0-9]{1,3})?$"
        ) { text, field in
            AddressRange(text.value) ?? field.unexpected(text, expected)
        } show: { .string($0.description) }
    }
}
