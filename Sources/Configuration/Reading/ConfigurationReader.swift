// Reads the top level and the small sections; the large ones have files of their own. All readers report problems to
// one `Reading` and use a default for a bad value, so that one run reports all problems.

import Evidence
import Facts

struct ConfigurationReader {
    let reading: Reading
    let root: Section
    /// Replaces the `shard` of the file.
    let shard: Shard?

    /// The result is valid only if `reading` has no error afterwards.
    func read() -> ConfigurationFile {
        readVersion()
        let defaults = DomainReader.defaults(root.section("defaults"))
        let channels = AlertReader(reading: reading)
        let section = root.section("alerts")
        let alerts = channels.read(section)
        let domains = DomainReader(reading: reading, defaults: defaults, channels: channels.names(in: section))
        let watched = domains.read(root)
        let cdn = root.section("cdn")
        let network = NetworkReader.network(root.section("network"))
        let store = ServiceReader.store(root.section("store"), reading)
        let server = ServiceReader.server(root.section("server"), hasChannels: !alerts.channels.isEmpty)
        var file = ConfigurationFile(
            defaults: defaults,
            domains: watched,
            network: network,
            cdn: NetworkReader.cdn(cdn),
            vantages: NetworkReader.vantages(root),
            alerts: alerts,
            maintenance: MaintenanceReader(reading: reading, watched: watched).read(root),
            store: store,
            server: server,
            log: ServiceReader.log(root.section("log")),
            written: reading.written.mapValues(\.quoted))
        file.instance = root.text("instance", "a name")?.value
        file.heartbeat = HeartbeatReader.read(
            root.section("heartbeat", isConcealed: true), domains: file.domains)
        let own = ServiceReader.shard(root.section("shard"))
        // After all readers that use the domains: patterns and names may refer to any domain of the file.
        file.shard = shard ?? own
        if let shard = file.shard { file.domains = file.domains.filter { shard.contains($0.domain) } }
        CDNLoad.check(file, cdn, reading)
        root.close()
        return file
    }

    private func readVersion() {
        guard let entry = root.entry("version") else {
            reading.error("'version' is missing; begin the file with 'version: 1'", at: .start)
            return
        }
        guard case .scalar("1", isPlain: true) = entry.value.content else {
            let found = entry.value.summary(isConcealed: false)
            reading.error("'version' must be 1, found \(found)", at: entry.value.position)
            return
        }
    }
}

/// `store`, `server`, `log` and `shard`.
enum ServiceReader {
    static func store(_ section: Section?, _ reading: Reading) -> StoreSettings {
        var result = StoreSettings()
        if let value = section?.duration("keep_observations") { result.keepObservations = value }
        result.path = path(section, reading)
        section?.close()
        return result
    }

    /// Only the path of the store.
    static func path(_ section: Section?, _ reading: Reading) -> String {
        reading.placeOfStore(section?.text("path", "a path")?.value ?? StoreSettings().path)
    }

    /// `hasChannels`: whether messages are sent; they link to the pages.
    static func server(_ section: Section?, hasChannels: Bool) -> ServerSettings {
        var result = ServerSettings()
        guard let section else { return result }
        let reading = section.reading
        result.token = token("token", section)
        result.readerToken = token("reader_token", section)
        let isGuarded = section.isGiven("token") || section.isGiven("token_file")
        let reader = ["reader_token", "reader_token_file"].first(where: section.isGiven).flatMap(section.entry)
        if let reader = reader?.value.position {
            if !isGuarded {
                reading.error(
                    "'reader_token' \(section.title) needs a 'token' beside it: without one everybody may write",
                    at: reader)
            } else if let token = result.token, token == result.readerToken {
                reading.error(
                    "'reader_token' \(section.title) is the same as 'token', so readers could write; draw another one",
                    at: reader)
            }
        }
        if let isPublic = section.boolean("public") {
            result.isPublic = isPublic
            if isPublic, !isGuarded, let position = section.entry("public")?.value.position {
                reading.warning(
                    "'public' \(section.title) opens nothing without a 'token': everybody reads all pages as it is",
                    at: position)
            }
        }
        if let url = section.text("public_url", "a URL such as https://aasa.example.net") {
            if WebAddress.isPage(url.value) {
                result.publicURL = url.value
                if !isGuarded {
                    reading.warning(
                        "'public_url' \(section.title) is given without a 'token': everybody who reaches it reads all"
                            + " pages, and can silence and acknowledge unless 'read_only' is true; set a 'token', or let the"
                            + " proxy ask for a login", at: url.position)
                }
            } else {
                reading.error(
                    "'public_url' \(section.title) is not a URL such as https://aasa.example.net, without a path",
                    at: url.position)
            }
        }
        if let value = section.boolean("read_only") { result.isReadOnly = value }
        result.trustedProxies = trustedProxies(section)
        if let value = section.boolean("metrics_by_domain") { result.metricsByDomain = value }
        if let value = section.boolean("probe_unknown_domains") { result.probesUnknownDomains = value }
        if let listen = section.text("listen", "a host and a port such as 127.0.0.1:9630") {
            if let (host, port) = HostOverride.listen(listen.value) {
                (result.host, result.port) = (host, port)
                if !HostAddress.isLoopback(host: host), !isGuarded {
                    reading.error(
                        "'listen' \(section.title) is not a loopback address, so a 'token' (or 'token_file') is needed",
                        at: listen.position)
                }
                if hasChannels, !result.isOnLoopback, !section.isGiven("public_url") {
                    let links = result.isOnAll ? "hold no links to the pages" : "link to the pages at \(listen.quoted)"
                    reading.warning(
                        "'public_url' \(section.title) is missing, so messages \(links); name the address at which people "
                            + "reach the pages", at: listen.position)
                }
            } else {
                reading.error(
                    "expected a host and a port such as 127.0.0.1:9630 or [::1]:9630 for 'listen' \(section.title), "
                        + "found \(listen.quoted)", at: listen.position)
            }
        }
        section.close()
        return result
    }

    private static func token(_ key: String, _ section: Section) -> Secret? {
        guard let token = section.secret(key) else { return nil }
        let fault: String
        if !token.value.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
            fault = "may hold visible ASCII characters only"
        } else if token.value.utf8.count < ServerSettings.shortestToken {
            fault =
                "has less than \(ServerSettings.shortestToken) characters, so it can be guessed; draw one, such as by "
                + "'openssl rand -hex 16'"
        } else {
            return Secret(token.value)
        }
        section.reading.error("'\(key)' \(section.title) \(fault)", at: token.position)
        return nil
    }

    private static func trustedProxies(_ section: Section) -> [AddressRange] {
        (section.list("trusted_proxies") ?? []).compactMap { node in
            let expected = "an address or a network such as 127.0.0.1 or 10.0.0.0/8"
            guard let text = section.text(node, "trusted_proxies", expected) else { return nil }
            guard let range = AddressRange(text.value) else {
                section.reading.error(
                    "expected \(expected) for 'trusted_proxies' \(section.title), found \(text.quoted)",
                    at: text.position)
                return nil
            }
            return range
        }
    }

    static func shard(_ section: Section?) -> Shard? {
        guard let section else { return nil }
        let count = section.integer("count", in: 1...Shard.largestCount)
        let index = section.integer("index", in: 0...Shard.largestCount - 1)
        section.close()
        for key in ["index", "count"] where !section.has(key) {
            section.reading.error("'\(key)' is missing \(section.title)", at: section.position)
        }
        guard let index, let count else { return nil }
        guard let shard = Shard(index: index, count: count) else {
            section.reading.error(
                "'index' \(section.title) counts from 0, so it must be less than 'count'",
                at: section.entry("index")?.value.position ?? section.position)
            return nil
        }
        return shard
    }

    static func log(_ section: Section?) -> LogSettings {
        var result = LogSettings()
        guard let section else { return result }
        if let level = section.choice("level", LogSettings.Level.self) { result.level = level }
        if let format = section.choice("format", LogSettings.Format.self) { result.format = format }
        section.close()
        return result
    }
}

/// `heartbeat`.
enum HeartbeatReader {
    /// `domains`: a ping needs a check, so the intervals of the domains limit `every`.
    static func read(_ section: Section?, domains: [WatchedDomain]) -> HeartbeatSettings? {
        guard let section else { return nil }
        let reading = section.reading
        let url = section.secret("url", isRequired: true) { !WebAddress.isHere($0) }
        let every = section.duration("every", in: .seconds(1)...Duration.seconds(86_400))
        section.close()
        guard let url else { return nil }
        if let fault = WebAddress.fault(url.value) {
            let key = url.isFromFile ? "the content of 'url_file'" : "'url'"
            reading.error("\(key) \(section.title) \(fault)", at: url.position)
            return nil
        }
        var result = HeartbeatSettings(url: Secret(url.value))
        if let every { result.every = every }
        if let shortest = domains.shortestInterval, shortest > result.every {
            reading.warning(
                "'every' \(section.title) is shorter than the 'interval' of every domain; a ping needs a check, so pings "
                    + "come no more often than checks",
                at: section.entry("every")?.position ?? section.position)
        }
        return result
    }
}
