// What a configuration comes to: every key with its value or its default, secrets hidden.

import Evidence
import Facts
import MonitorConfiguration
import Monitoring

struct EffectiveConfiguration {
    let file: ConfigurationFile

    /// In the order of docs/configuration.md.
    var json: OrderedJSON {
        .object([
            ("version", .integer(1)),
            ("instance", .optional(file.instance)),
            (
                "shard",
                file.shard.map { .object([("index", .integer($0.index)), ("count", .integer($0.count))]) } ?? .null
            ),
            ("defaults", .object(Self.checks(file.defaults))),
            ("domains", .array(file.domains.map(Self.domain))),
            ("network", network), ("cdn", cdn),
            ("vantages", .array(file.vantages.map { .object([("name", .string($0.name)), ("proxy", Self.hidden)]) })),
            ("alerts", alerts), ("maintenance", .array(file.maintenance.map(Self.window))),
            (
                "store",
                .object([
                    ("path", .string(file.store.path)),
                    ("keep_observations", Self.duration(file.store.keepObservations)),
                ])
            ),
            ("server", server),
            (
                "heartbeat",
                file.heartbeat.map { .object([("url", Self.hidden), ("every", Self.duration($0.every))]) } ?? .null
            ),
            (
                "log",
                .object([
                    ("level", .string(file.log.level.rawValue)), ("format", .string(file.log.format.rawValue)),
                ])
            ),
        ])
    }

    private static let hidden = OrderedJSON.string("***")

    private static func duration(_ duration: Duration) -> OrderedJSON { .string(duration.notation) }

    private static func list(_ texts: [String]) -> OrderedJSON { .array(texts.map { .string($0) }) }

    private static func labels(_ labels: [String: String]) -> OrderedJSON {
        .object(labels.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
    }

    private static func checks(_ checks: CheckSettings) -> [(String, OrderedJSON)] {
        [
            ("interval", duration(checks.interval)), ("stale_after", duration(checks.staleAfter)),
            ("full_every", duration(checks.fullEvery)), ("timeout", duration(checks.timeout)),
            ("failure_threshold", .integer(checks.failureThreshold)),
            ("recovery_threshold", .integer(checks.recoveryThreshold)),
            ("certificate_warning", duration(checks.certificateWarning)),
            ("ignore", .array(checks.ignore.map(ignored))),
        ]
    }

    private static func domain(_ watched: WatchedDomain) -> OrderedJSON {
        var members: [(String, OrderedJSON)] = [("domain", .string(watched.domain.name))]
        members += checks(watched.checks)
        members += [("mode", .string(watched.mode.rawValue)), ("labels", labels(watched.labels))]
        // Absent: all channels.
        if let channels = watched.channels { members.append(("channels", list(channels))) }
        if let expect = watched.expect { members.append(("expect", expectations(expect))) }
        return .object(members)
    }

    private static func ignored(_ rule: IgnoredRule) -> OrderedJSON {
        var members: [(String, OrderedJSON)] = [
            ("rule", .string(rule.rule.rawValue)), ("reason", .string(rule.reason)),
        ]
        if let until = rule.until { members.append(("until", .string(until.description))) }
        return .object(members)
    }

    private static func expectations(_ expect: Expectations) -> OrderedJSON {
        .object([
            ("apps", list(expect.apps)), ("services", list(expect.services)),
            (
                "urls",
                .array(
                    expect.urls.map { url in
                        var members: [(String, OrderedJSON)] = [("url", .string(url.url))]
                        if let opens = url.opens { members.append(("opens", .string(opens.description))) }
                        if let page = url.page { members.append(("page", .bool(page))) }
                        return .object(members)
                    })
            ),
        ])
    }

    private var network: OrderedJSON {
        .object([
            ("max_concurrent", .integer(file.network.maxConcurrent)), ("ca_file", .optional(file.network.caFile)),
            ("connect_to", Self.list(file.network.connectTo)), ("resolve", Self.list(file.network.resolve)),
            ("proxy", file.network.proxy == nil ? .null : Self.hidden), ("canaries", Self.list(file.network.canaries)),
        ])
    }

    private var cdn: OrderedJSON {
        .object([
            ("base_url", .string(file.cdn.baseURL)), ("edges", .bool(file.cdn.edges)),
            ("requests_per_second", .number(file.cdn.requestsPerSecond)),
            ("ask_before_origin", .bool(file.cdn.askBeforeOrigin)),
        ])
    }

    private var alerts: OrderedJSON {
        .object([
            ("remind_every", file.alerts.remindEvery.map(Self.duration) ?? .null),
            ("group_wait", Self.duration(file.alerts.groupWait)),
            ("group_interval", Self.duration(file.alerts.groupInterval)), ("fallback", .optional(file.alerts.fallback)),
            (
                "escalation",
                .array(
                    file.alerts.escalation.steps.map {
                        .object([("after", Self.duration($0.after)), ("channels", Self.list($0.channels))])
                    })
            ),
            ("channels", .array(file.alerts.channels.map(Self.channel))),
        ])
    }

    /// Its keys by its type; of Slack those of the way that is taken.
    private static func channel(_ channel: Channel) -> OrderedJSON {
        var members: [(String, OrderedJSON)] = [
            ("name", .string(channel.name)), ("type", .string(channel.kind.rawValue)),
        ]
        for key in channel.kind.keys {
            if let shown = open(key.name, of: channel) {
                members.append((key.name.rawValue, shown))
                continue
            }
            let isGiven =
                switch key.name {
                case .url: channel.url != nil
                case .secret: !channel.signingKeys.isEmpty
                case .token, .routingKey, .password: channel.token != nil
                case .topic, .channel, .chatID, .to, .room: channel.destination != nil
                case .threadID, .username, .from: false
                }
            if isGiven { members.append((key.name.rawValue, hidden)) }
        }
        members.append(("severity", .string(channel.minimumSeverity.rawValue)))
        if !channel.kinds.isEmpty { members.append(("kinds", list(channel.kinds))) }
        members.append(("notify", list(Notified.allCases.filter(channel.notifies.contains).map(\.rawValue))))
        return .object(members)
    }

    /// What is no secret of a channel.
    private static func open(_ key: ChannelKey.Name, of channel: Channel) -> OrderedJSON? {
        switch key {
        case .threadID: channel.thread.map { .string($0) }
        case .username: channel.mail?.username.map { .string($0) }
        case .from: channel.mail.map { .string($0.sender) }
        case .to: channel.mail.map { list($0.recipients) }
        default: nil
        }
    }

    private static func window(_ window: MaintenanceWindow) -> OrderedJSON {
        let extent: (String, OrderedJSON) =
            switch window.extent {
            case .lasting(let length): ("duration", duration(length))
            case .until(let end): ("end", .string("\(end)"))
            }
        return .object([
            ("name", .string(window.name)), ("domains", list(window.scope.domains.map(\.description))),
            ("labels", labels(window.scope.labels)),
            ("days", list(Weekday.week.filter(window.days.contains).map(\.rawValue))),
            ("start", .string("\(window.start)")), extent, ("zone", .string(window.zoneName)),
            ("reason", .string(window.reason)),
        ])
    }

    private var server: OrderedJSON {
        let host = HostAddress.inURL(file.server.host)
        return .object([
            ("listen", .string("\(host):\(file.server.port)")),
            ("public_url", .optional(file.server.publicURL)),
            ("token", file.server.token == nil ? .null : Self.hidden),
            ("reader_token", file.server.readerToken == nil ? .null : Self.hidden),
            ("public", .bool(file.server.isPublic)),
            ("read_only", .bool(file.server.isReadOnly)),
            ("trusted_proxies", Self.list(file.server.trustedProxies.map(\.description))),
            ("metrics_by_domain", .bool(file.server.metricsByDomain)),
            ("probe_unknown_domains", .bool(file.server.probesUnknownDomains)),
        ])
    }
}

// The same values as YAML, for `config show`: what it prints can be read back.
extension OrderedJSON {
    /// Block style, two blanks a level; an empty list or mapping is `[]` or `{}`.
    var yaml: String { lines(0).joined(separator: "\n") }

    private func lines(_ depth: Int) -> [String] {
        let indentation = String(repeating: "  ", count: depth)
        switch self {
        case .object(let members) where !members.isEmpty:
            return members.flatMap { key, value -> [String] in
                let head = "\(indentation)\(Self.plain(key)):"
                guard value.isBlock else { return ["\(head) \(value.scalar)"] }
                return [head] + value.lines(depth + 1)
            }
        case .array(let elements) where !elements.isEmpty:
            return elements.flatMap { element -> [String] in
                guard element.isBlock else { return ["\(indentation)- \(element.scalar)"] }
                var lines = element.lines(depth + 1)
                lines[0] = "\(indentation)- \(lines[0].drop { $0 == " " })"
                return lines
            }
        default: return [indentation + scalar]
        }
    }

    private var isBlock: Bool {
        switch self {
        case .object(let members): !members.isEmpty
        case .array(let elements): !elements.isEmpty
        default: false
        }
    }

    private var scalar: String {
        if case .string(let text) = self { return Self.plain(text) }
        return self.text(isPretty: false)
    }

    /// A text that YAML reads as itself stays bare; any other is written as JSON, which is YAML too. A `$` would begin a
    /// variable.
    private static func plain(_ text: String) -> String {
        let text = text.replacing("$", with: "$$")
        let isWord =
            text.first.map { $0.isASCII && ($0.isLetter || $0 == "/") } == true
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/_.+-".contains($0)) }
        let isDuration = text.wholeMatch(of: /([0-9]+(ms|d|h|m|s))+/) != nil
        let words: Set = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"]
        return isDuration || isWord && !words.contains(text.lowercased())
            ? text : OrderedJSON.string(text).text(isPretty: false)
    }
}
