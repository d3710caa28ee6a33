// `network`, `cdn` and `vantages`.

import Evidence
import Facts

extension NetworkSettings {
    static let settings: [Setting<NetworkSettings>] = [
        Setting(
            "max_concurrent", \.maxConcurrent, .integer(in: 1...1000),
            "requests under way at the same time, without those that have waited 100 ms for their server: slow and dead "
                + "servers do not hold up the others"),
        Setting("ca_file", \.caFile, .path, "certificates to trust in place of the system's"),
        Setting(
            "connect_to", \.connectTo,
            .list(
                of: .override(
                    "HOST1:PORT1:HOST2:PORT2", pattern: #"^(\[[^\]]*\]|[^:]*):[0-9]*:(\[[^\]]*\]|[^:]*):[0-9]*$"#,
                    HostOverride.isConnectTo)),
            "as curl's `--connect-to`; parts may be empty, IPv6 in brackets"),
        Setting(
            "resolve", \.resolve,
            .list(
                of: .override(
                    "HOST:PORT:ADDRESS[,ADDRESS]...", pattern: #"^\+?(\[[^\]]*\]|[^:]+):[0-9]+:\S+$"#,
                    HostOverride.isResolve)),
            "as curl's `--resolve`"),
        Setting("proxy", \.proxy, .proxy, "the proxy of all requests; never taken from the environment by itself"),
        Setting(
            "canaries", \.canaries, .canaries,
            "[reference hosts](alerts.md#the-global): any trusted HTTPS answer from one of them shows that this machine's "
                + "network works. They are asked only when a check reaches no server, and then every 30 s at most. Choose "
                + "hosts that do not fail together, or with your sites, such as `www.apple.com`"),
    ]
}

extension CDNSettings {
    static let settings: [Setting<CDNSettings>] = [
        Setting("base_url", \.baseURL, .baseURL, "a domain's name is appended"),
        Setting("edges", \.edges, .boolean, "in a full check ask each address of the CDN, not only the first"),
        Setting("requests_per_second", \.requestsPerSecond, .number(upTo: 10_000), "for all domains together"),
        Setting(
            "ask_before_origin", \.askBeforeOrigin, .boolean,
            "ask for a domain whose origin has no file yet; Apple would remember the failure"),
    ]
}

extension Vantage {
    static let settings: [Setting<Vantage>] = [
        Setting("name", \.name, .name(of: "vantage"), isRequired: true, "unique, not `local`"),
        Setting("proxy", \.proxy, .proxy, isRequired: true, "the proxy there"),
    ]

    static let list = Form<[Vantage]>.list(
        of: .mapping(
            settings, Vantage(name: "", proxy: Secret("")),
            .entry(expected: "a mapping with the keys 'name' and 'proxy'"), isConcealed: true,
            schema: ["allOf": [["properties": ["name": ["not": ["const": "local"]]]]]]
        ) { vantage, section in
            if vantage.name == "local" {
                section.reading.error(
                    "a vantage cannot be named 'local'; that is the monitor's own place", at: section.place(of: "name"))
            }
            return vantage
        }, isConcealed: true)
}

extension Form where Value == String {
    fileprivate static func override(
        _ form: String, pattern: String, _ isValid: @escaping @Sendable (String) -> Bool
    ) -> Form {
        .text("a text of the form \(form)", words: "`\(form)`", pattern: pattern) { text, field in
            isValid(text.value) ? text.value : field.unexpected(text, "the form \(form)")
        }
    }

    fileprivate static var baseURL: Form {
        .text(
            "an https URL", words: "https URL; http for loopback hosts only",
            pattern: #"^(https://|http://(localhost|127\.|\[::1\]))[^?#\s]*$"#
        ) { text, field in
            if let fault = WebAddress.fault(text.value, isBase: true) { return field.refuse(text, fault) }
            var url = text.value
            while url.hasSuffix("/") { url.removeLast() }
            return url
        }
    }
}

extension Form where Value == [String] {
    fileprivate static var canaries: Form {
        let host = Form<String>.text(
            "the name of a host such as www.example.com", words: "host names", pattern: Domain.pattern
        ) { text, field in
            do throws(DomainFault) {
                let host = try Domain(text.value).name
                guard field.siblings?.line(before: text, named: host) == nil else {
                    field.reading.error("host \(text.quoted) is given twice in 'canaries'", at: text.position)
                    return nil
                }
                return host
            } catch {
                return field.unexpected(text, "the name of a host", text.reason(error.reason))
            }
        }
        return .list(of: host, atMost: 10) { nodes, hosts, field in
            if let eleventh = nodes.dropFirst(10).first {
                field.reading.error(
                    "'canaries' \(field.section.title) has \(nodes.count) hosts, and 10 at most are asked",
                    at: eleventh.position)
            }
            return hosts
        }
    }
}

extension Form where Value == Secret {
    fileprivate static var proxy: Form {
        .text(
            "the URL of a proxy", words: "URL: \(WebAddress.proxySchemes.map { "`\($0)`" }.joined(separator: ", "))",
            pattern: #"^(http|https|socks4a?|socks5h?)://\S+$"#, isConcealed: true
        ) { text, field in
            if let fault = WebAddress.proxyFault(text.value) { return field.refuse(text, fault) }
            if WebAddress.hasPassword(text.value) {
                field.reading.warnOfReaders(ofTheFileWith: text, for: "proxy", field.section.title)
            }
            return Secret(text.value)
        } show: { _ in .hidden }
    }
}

/// Whether the limit for Apple's CDN allows as many requests as the domains need.
enum CDNLoad {
    /// The most addresses that the CDN's name has had (observed).
    private static let edges = 8.0

    /// Warns if the limit is too low even while nothing is wrong: checks would always be late.
    static func check(_ file: ConfigurationFile, _ root: Section) {
        let watched = file.domains.filter { $0.mode.readsCDN }
        let needed = watched.reduce(0) { sum, domain in
            sum + 1 / (domain.checks.interval / .seconds(1))
                + (file.cdn.edges ? edges / (domain.checks.fullEvery / .seconds(1)) : 0)
        }
        guard needed > file.cdn.requestsPerSecond else { return }
        let count = watched.count == 1 ? "1 domain needs" : "\(watched.count) domains need"
        root.reading.warning(
            "\(count) \(Int(needed.rounded(.up))) requests a second to Apple's CDN, one at each 'interval'"
                + (file.cdn.edges ? " and one to each of up to 8 edges every 'full_every'" : "")
                + ", more than 'requests_per_second' allows, so checks will be late; raise it, or the 'interval'",
            at: root.placeOfKey("requests_per_second", in: "cdn"))
    }
}
