// `store`, `log` and `heartbeat`.

import Evidence
import Facts

/// Where the monitor stores its data.
package struct StoreSettings: Sendable, Equatable {
    /// Resolved when the file is read.
    package var path = "aasa-monitor.db"
    package var keepObservations: Duration = .seconds(30 * 86_400)
    package var keepDeliveries: Duration = .seconds(30 * 86_400)

    package init() {}

    private static let path = Setting<StoreSettings>(
        "path", \.path, .text("a path", words: "path"),
        "the SQLite file. A relative path is relative to `$STATE_DIRECTORY` if systemd sets it, otherwise to the folder "
            + "of the configuration. `~/` is the user's home")

    static let form = Form<StoreSettings>.mapping(
        [
            path,
            Setting(
                "keep_observations", \.keepObservations, .duration,
                "how long files are kept after they were last seen"),
            Setting(
                "keep_deliveries", \.keepDeliveries, .duration,
                "how long messages and the answers of receivers are kept; resolved incidents are kept for two years"),
        ], StoreSettings())

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

/// What the daemon logs, and in which form.
package struct LogSettings: Sendable, Equatable {
    /// The levels of swift-log, with the same names.
    package enum Level: String, Sendable, CaseIterable {
        case trace, debug, info, notice, warning, error, critical
    }

    package enum Format: String, Sendable, CaseIterable {
        case text, json
    }

    package var level = Level.info
    package var format = Format.text

    package init() {}

    static let form = Form<LogSettings>.mapping(
        [
            Setting("level", \.level, .choice, "the lowest level that is logged"),
            Setting("format", \.format, .choice, "one line per event"),
        ], LogSettings())
}

/// An external watchdog that the monitor pings while it works.
package struct HeartbeatSettings: Sendable, Equatable {
    /// A secret: anybody who knows it can ping instead of the monitor.
    package var url: Secret
    package var every: Duration = .seconds(300)

    package init(url: Secret, every: Duration = .seconds(300)) {
        self.url = url
        self.every = every
    }

    private var secretURL: Secret? {
        get { url }
        set { url = newValue ?? url }
    }

    static let form = Form<HeartbeatSettings>.mapping(
        [
            Setting("url", \.secretURL, .webhook(as: Secret.init), isRequired: true, "requested with GET; a secret"),
            Setting(
                "every", \.every, .duration(in: .seconds(1)...Duration.seconds(86_400)),
                "time between two pings. `config check` warns if no domain is checked that often: a ping needs a check"),
        ], HeartbeatSettings(url: Secret("")), isConcealed: true
    ) { heartbeat, section in
        // A ping needs a check, so the intervals of the domains limit `every`.
        if let shortest = section.reading.context.watched.shortestInterval, shortest > heartbeat.every {
            section.reading.warning(
                "'every' \(section.title) is shorter than the 'interval' of every domain; a ping needs a check, so "
                    + "pings come no more often than checks", at: section.placeOfKey("every"))
        }
    }
}
