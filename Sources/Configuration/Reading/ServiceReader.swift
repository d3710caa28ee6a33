/// `store`, `server` and `log`.
enum ServiceReader {
    static func store(_ section: Section?) -> StoreSettings {
        var result = StoreSettings()
        guard let section else { return result }
        if let path = section.text("path", "a path") { result.path = path.value }
        if let value = section.duration("keep_observations") { result.keepObservations = value }
        section.close()
        return result
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

    static func log(_ section: Section?) -> LogSettings {
        var result = LogSettings()
        guard let section else { return result }
        if let level = section.choice("level", LogSettings.Level.self) { result.level = level }
        if let format = section.choice("format", LogSettings.Format.self) { result.format = format }
        section.close()
        return result
    }
}
