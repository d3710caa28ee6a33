// `network`, `cdn` and `vantages`.

import Evidence
import Facts

/// How the monitor reaches the network.
package struct NetworkSettings: Sendable, Equatable {
    package var maxConcurrent = 64
    /// Already resolved against the configuration's folder.
    package var caFile: String?
    package var connectTo: [String] = []
    package var resolve: [String] = []
    /// A URL, which may contain a password.
    package var proxy: Secret?
    package var canaries: [String] = []

    package init() {}

    static let settings: [Setting<NetworkSettings>] = [
        Setting(
            "max_concurrent", \.maxConcurrent, .integer(in: 1...1000),
            "requests at the same time. Those that have waited 100 ms for their server do not count, so slow and dead "
                + "servers do not delay the others"),
        Setting("ca_file", \.caFile, .path, "certificates to trust instead of the system's"),
        Setting(
            "connect_to", \.connectTo, .list(of: .connectTo),
            "like curl's `--connect-to`; parts may be empty, IPv6 in brackets"),
        Setting("resolve", \.resolve, .list(of: .resolve), "like curl's `--resolve`"),
        Setting("proxy", \.proxy, .proxy, "the proxy for all requests; variables such as `https_proxy` are ignored"),
        Setting(
            "canaries", \.canaries, .list(of: .canary, atMost: 10, isUnique: true, check: limitCanaries),
            "[reference hosts](alerts.md#many-domains-at-once): any trusted HTTPS answer from one of them shows that "
                + "this machine's network works. The monitor asks them only when a check reaches no server, at most every "
                + "30 s. Choose hosts that do not fail together, or with your sites, such as `www.apple.com`"),
    ]

    @Sendable private static func limitCanaries(_ nodes: [SourceNode], _ hosts: [String], _ field: Field) -> [String] {
        guard let eleventh = nodes.dropFirst(10).first else { return hosts }
        field.refuse("has \(nodes.count) hosts; at most 10 are allowed", at: eleventh.position)
        return hosts
    }
}

/// How the monitor queries Apple's CDN.
package struct CDNSettings: Sendable, Equatable {
    /// Without a final slash.
    package var baseURL = AppleCDN.baseURL
    package var edges = true
    package var requestsPerSecond: Double = 50
    package var askBeforeOrigin = false

    package init() {}

    static let settings: [Setting<CDNSettings>] = [
        Setting("base_url", \.baseURL, .baseURL, "a domain's name is appended"),
        Setting("edges", \.edges, .boolean, "in a full check, ask each address of the CDN, not only the first"),
        Setting("requests_per_second", \.requestsPerSecond, .number(upTo: 10_000), "for all domains together"),
        Setting(
            "ask_before_origin", \.askBeforeOrigin, .boolean,
            "ask also for a domain whose origin has no file yet; Apple then caches the failure"),
    ]
}

extension Vantage {
    static let form = Form<Vantage>.mapping(
        [
            Setting("name", \.name, .name(of: "vantage"), isRequired: true, "unique, not `local`"),
            Setting("proxy", \.proxy, .proxy, isRequired: true, "the proxy there"),
        ], Vantage(name: "", proxy: Secret("")),
        .entry(expected: "a mapping with the keys 'name' and 'proxy'"), isConcealed: true,
        schema: ["allOf": [["properties": ["name": ["not": ["const": "local"]]]]]]
    ) { vantage, section in
        if vantage.name == "local" {
            section.reading.error(
                "a vantage cannot be named 'local'; that is the monitor's own location", at: section.place(of: "name"))
        }
    }
}

extension Form where Value == String {
    private static func override(
        _ form: String, _ pattern: String, _ isValid: @escaping @Sendable (String) -> Bool
    ) -> Form {
        text("a text of the form \(form)", words: "`\(form)`", pattern: pattern) { text, field in
            isValid(text.value) ? text.value : field.unexpected(text, "the form \(form)")
        }
    }

    fileprivate static var connectTo: Form {
        let pattern = #"^(\[[^\]]*\]|[^:]*):[0-9]*:(\[[^\]]*\]|[^:]*):[0-9]*$"#
        return override("HOST1:PORT1:HOST2:PORT2", pattern, HostOverride.isConnectTo)
    }

    fileprivate static var resolve: Form {
        override("HOST:PORT:ADDRESS[,ADDRESS]...", #"^\+?(\[[^\]]*\]|[^:]+):[0-9]+:\S+$"#, HostOverride.isResolve)
    }

    fileprivate static var canary: Form {
        text("the name of a host such as www.example.com", words: "host names", pattern: Domain.pattern) {
            text, field in
            do throws(DomainFault) {
                let host = try Domain(text.value).name
                guard field.siblings?.line(before: text, named: host) != nil else { return host }
                field.reading.error("host \(text.quoted) is listed twice in 'canaries'", at: text.position)
                return nil
            } catch {
                return field.unexpected(text, "the name of a host", text.reason(error.reason))
            }
        }
    }

    fileprivate static var baseURL: Form {
        text("an https URL", words: WebAddress.words, pattern: WebAddress.basePattern) { text, field in
            if let fault = WebAddress.fault(text.value, isBase: true) { return field.refuse(text, fault) }
            var url = text.value
            while url.hasSuffix("/") { url.removeLast() }
            return url
        }
    }
}

extension Form where Value == Secret {
    fileprivate static var proxy: Form {
        text(
            "the URL of a proxy", words: "URL: \(WebAddress.proxySchemes.map { "`\($0)`" }.joined(separator: ", "))",
            pattern: #"^(\#(WebAddress.proxySchemes.joined(separator: "|")))://\S+$"#, isConcealed: true
        ) { text, field in
            if let fault = WebAddress.proxyFault(text.value) { return field.refuse(text, fault) }
            if WebAddress.hasPassword(text.value) {
                field.reading.warnOfReaders(ofTheFileWith: text, for: "proxy", field.section.title)
            }
            return Secret(text.value)
        }
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
            "\(count) \(Int(needed.rounded(.up))) requests a second to Apple's CDN: one at each 'interval'"
                + (file.cdn.edges ? ", and one to each of up to 8 edges every 'full_every'" : "")
                + ". 'requests_per_second' allows fewer, so checks will be late; raise it, or the 'interval'",
            at: root.placeOfKey("requests_per_second", in: "cdn"))
    }
}
