// The top level of `monitor.yaml`.

import Evidence
import Monitoring

extension ConfigurationFile {
    /// In the order of `config show`. Sections that need what others say come after them.
    package static let settings: [Setting<ConfigurationFile>] = [
        version,
        Setting(
            "instance", \.instance, .text("a name", words: "text"),
            "the name of this monitor in messages. Without it: the host's name"),
        Setting("shard", \.shard, Shard.form, "this daemon's share of the domains, by hash"),
        Setting("defaults", \.defaults, CheckSettings.form, "what each domain gets that has no setting of its own"),
        Setting(
            SettingFacts(
                key: "domains_from", shape: DomainLists.from.shape,
                sentence: "a file of more domains: one a line, or YAML (.yaml, .yml) with entries as under domains"),
            read: { _, _ in }, show: { _ in nil }),
        Setting(
            SettingFacts(key: "domains", shape: DomainLists.shape, sentence: "the watched domains"),
            read: { root, file in
                file.domains = DomainLists.read(root)
                root.reading.context.watched = file.domains
            }, show: { WatchedDomain.list.show($0.domains) }),
        Setting(
            "network", \.network, .mapping(NetworkSettings.settings, NetworkSettings()),
            "how the monitor reaches the network"),
        Setting("cdn", \.cdn, .mapping(CDNSettings.settings, CDNSettings()), "Apple's CDN"),
        Setting("vantages", \.vantages, .list(of: Vantage.form, isConcealed: true), "other places to probe from"),
        Setting("alerts", \.alerts, AlertSettings.form, "who is notified, and when"),
        Setting(
            "maintenance", \.maintenance, .list(of: MaintenanceWindow.form),
            "weekly windows in which notifications are suppressed"),
        Setting("store", \.store, StoreSettings.form, "what the monitor remembers"),
        Setting("server", \.server, ServerSettings.form, "status page, API and metrics"),
        Setting("heartbeat", \.heartbeat, HeartbeatSettings.form, "pinged while checks are stored and messages move"),
        Setting("log", \.log, LogSettings.form, "standard error"),
    ]

    private static let version = Setting<ConfigurationFile>(
        SettingFacts(
            key: "version", shape: Shape(words: "`1`", schema: ["const": 1]), isRequired: true,
            sentence: "the version of the format"),
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
        }, show: { _ in 1 })

    /// The result is valid only if `root.reading` has no error afterwards. `shard`: replaces the one of the file.
    static func read(_ root: Section, shard: Shard?) -> ConfigurationFile {
        root.reading.context.channels = ChannelName.all(in: root)
        var file = ConfigurationFile(domains: [])
        root.read(settings, into: &file)
        file.store.path = root.reading.placeOfStore(file.store.path)
        file.written = root.reading.written.mapValues(\.quoted)
        // After all settings that refer to domains: these may be any of the file.
        file.shard = shard ?? file.shard
        if let shard = file.shard { file.domains = file.domains.filter { shard.contains($0.domain) } }
        CDNLoad.check(file, root)
        return file
    }

    /// The effective values, with every default and without secrets.
    package var effective: OrderedJSON { Self.settings.show(self) }

    private static let facts = settings.map { $0.facts(in: ConfigurationFile(domains: [])) }

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
            "description": "The configuration of aasa-monitor; docs/configuration.md describes each key.",
        ]
        return .object(head.members + OrderedJSON.mapping(facts, domains).members)
    }

    /// The tables of docs/configuration.md by the path of their section, such as `domains[].expect`.
    package static var tables: [String: String] {
        var tables = SettingsTable.all(facts)
        tables["the file"] = tables.removeValue(forKey: "")
        tables["channels by type"] = SettingsTable.channelTypes
        tables["single types"] = SettingsTable.channelKeys
        return tables
    }
}
