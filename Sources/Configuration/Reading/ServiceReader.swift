/// `store`, `server`, `log` and `shard`.
enum ServiceReader {
    static func store(_ section: Section?, _ reading: Reading) -> StoreSettings {
        var result = StoreSettings()
        if let value = section?.duration("keep_observations") { result.keepObservations = value }
        result.path = path(section, reading)
        section?.close()
        return result
    }

    /// The path of the store alone.
    static func path(_ section: Section?, _ reading: Reading) -> String {
        reading.placeOfStore(section?.text("path", "a path")?.value ?? StoreSettings().path)
    }

    static func server(_ section: Section?) -> ServerSettings {
        var result = ServerSettings()
        guard let section else { return result }
        let reading = section.reading
        if let token = section.secret("token") {
            if token.value.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
                result.token = Secret(token.value)
            } else {
                reading.error("'token' \(section.title) may hold visible ASCII characters only", at: token.position)
            }
        }
        if let url = section.text("public_url", "a URL such as https://aasa.example.net") {
            if WebAddress.isPage(url.value) {
                result.publicURL = url.value
            } else {
                reading.error(
                    "'public_url' \(section.title) is not a URL such as https://aasa.example.net, without a path",
                    at: url.position)
            }
        }
        if let value = section.boolean("metrics_by_domain") { result.metricsByDomain = value }
        if let value = section.boolean("probe_unknown_domains") { result.probesUnknownDomains = value }
        if let listen = section.text("listen", "a host and a port such as 127.0.0.1:9630") {
            if let (host, port) = HostOverride.listen(listen.value) {
                (result.host, result.port) = (host, port)
                let isGuarded = section.isGiven("token") || section.isGiven("token_file")
                if !WebAddress.isLoopback(host), !isGuarded {
                    reading.error(
                        "'listen' \(section.title) is not a loopback address, so a 'token' (or 'token_file') is needed",
                        at: listen.position)
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
                "'index' \(section.title) counts from 0, so with 'count' \(count) it is at most \(count - 1), found \(index)",
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
