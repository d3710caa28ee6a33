/// Where the monitor keeps its memory.
package struct StoreSettings: Sendable, Equatable {
    /// As written; a relative one is for the caller to place (under `$STATE_DIRECTORY` where systemd sets it).
    package var path = "aasa-monitor.db"
    /// How long single observations are kept.
    package var keepObservations: Duration = .seconds(30 * 86_400)

    package init() {}
}
