// `monitor.yaml` as a whole.

import Evidence
import Monitoring

/// A valid `monitor.yaml`, with variables, secret files and defaults filled in.
package struct ConfigurationFile: Sendable, Equatable {
    /// The settings for domains without their own. Already merged into each of `domains`.
    package var defaults = CheckSettings()
    /// This monitor's name in messages; nil: the host name.
    package var instance: String?
    /// The share to which `domains` is limited; nil: all.
    package var shard: Shard?
    /// The domains of this daemon's share, without repetition, in file order. Not empty without a shard.
    package var domains: [WatchedDomain]
    package var network = NetworkSettings()
    package var cdn = CDNSettings()
    package var vantages: [Vantage] = []
    package var alerts = AlertSettings()
    /// In file order, with unique names.
    package var maintenance: [MaintenanceWindow] = []
    package var store = StoreSettings()
    package var server = ServerSettings()
    package var log = LogSettings()
    /// nil: the monitor pings no watchdog.
    package var heartbeat: HeartbeatSettings?
    /// The quoted text of values that contain a variable, by the key's path.
    private var written: [String: String] = [:]

    /// With every default.
    package init(domains: [WatchedDomain]) { self.domains = domains }

    /// The value of a key for messages: `words`, or the text of the file if that contains a variable, because messages
    /// never show the value of a variable. `key`: its path.
    package func shown(_ words: String, of key: String) -> String { written[key] ?? words }
}

extension ConfigurationFile {
    /// In the order of `config show`. Sections that need others come after them.
    static let settings: [Setting<ConfigurationFile>] = [
        version,
        Setting(
            "instance", \.instance, .text("a name", words: "text"),
            "the name of this monitor in messages. Without it: the host's name"),
        Setting("shard", \.shard, Shard.form, "this daemon's share of the domains, by hash"),
        Setting("defaults", \.defaults, CheckSettings.form, "settings for domains without their own"),
        Setting(
            SettingFacts(
                key: "domains_from", shape: DomainLists.from.shape,
                sentence: "a file with more domains: one per line, or YAML (.yaml, .yml) with entries as under domains"),
            show: { _ in nil }, read: { _, _ in }),
        Setting(
            SettingFacts(key: "domains", shape: DomainLists.shape, sentence: "the watched domains"),
            show: { WatchedDomain.list.show($0.domains) },
            read: { root, file in
                file.domains = DomainLists.read(root)
                root.reading.context.watched = file.domains
            }),
        Setting(
            "network", \.network, .mapping(NetworkSettings.settings, NetworkSettings()),
            "how the monitor reaches the network"),
        Setting("cdn", \.cdn, .mapping(CDNSettings.settings, CDNSettings()), "Apple's CDN"),
        Setting("vantages", \.vantages, .list(of: Vantage.form), "other places to probe from"),
        Setting("alerts", \.alerts, AlertSettings.form, "who is notified, and when"),
        Setting(
            "maintenance", \.maintenance, .list(of: MaintenanceWindow.form),
            "weekly windows in which notifications are suppressed"),
        Setting("store", \.store, StoreSettings.form, "where the monitor stores its data"),
        Setting("server", \.server, ServerSettings.form, "status page, API and metrics"),
        Setting("heartbeat", \.heartbeat, HeartbeatSettings.form, "pinged while checks are stored and messages move"),
        Setting("log", \.log, LogSettings.form, "the log, on standard error"),
    ]

    private static let version = Setting<ConfigurationFile>(
        SettingFacts(
            key: "version", shape: Shape(words: "`1`", schema: ["const": 1]), isRequired: true,
            sentence: "the version of the format"),
        show: { _ in 1 },
        read: { root, _ in
            guard let entry = root.entry("version") else {
                root.reading.error("'version' is missing; begin the file with 'version: 1'", at: .start)
                return
            }
            guard case .scalar("1", isPlain: true) = entry.value.content else {
                let found = entry.value.summary(isConcealed: false)
                root.reading.error("'version' must be 1, found \(found)", at: entry.value.position)
                return
            }
        })

    /// The result is valid only if `root.reading` has no error afterwards. `shard`: replaces the one of the file.
    static func read(_ root: Section, shard: Shard?) -> ConfigurationFile {
        root.reading.context.channels = ChannelName.all(in: root)
        var file = ConfigurationFile(domains: [])
        root.read(settings, into: &file)
        file.store.path = root.reading.placeOfStore(file.store.path)
        file.written = root.reading.written.mapValues(\.quoted)
        file.domains = file.domains.map { $0.routed(through: file.alerts.routes) }
        // After all settings that refer to domains, because they may name any domain of the file.
        file.shard = shard ?? file.shard
        if let shard = file.shard { file.domains = file.domains.filter { shard.contains($0.domain) } }
        CDNLoad.check(file, root)
        return file
    }

    /// The effective values, with every default and without secrets.
    package var effective: OrderedJSON { Self.settings.show(self) }

    static let facts = settings.map { $0.facts(in: ConfigurationFile(domains: [])) }

    /// The JSON Schema (draft 2020-12), for editors.
    package static var schema: OrderedJSON {
        let domains: OrderedJSON = [
            "anyOf": [
                ["required": ["domains"]],
                ["required": ["domains_from"], "properties": ["domains_from": ["type": "string"]]],
            ]
        ]
        let head: OrderedJSON = [
            "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "monitor.yaml",
            "description": "The configuration of aasa-monitor; docs/reference/configuration.md describes each key.",
        ]
        return .object(head.members + OrderedJSON.mapping(facts, domains).members)
    }
}
