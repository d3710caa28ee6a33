/// Where the monitor keeps its memory.
package struct StoreSettings: Sendable, Equatable {
    /// A relative one is seen from the working directory.
    package var path = "aasa-monitor.db"
    /// How long single observations are kept.
    package var keepObservations: Duration = .seconds(30 * 86_400)

    package init() {}
}
