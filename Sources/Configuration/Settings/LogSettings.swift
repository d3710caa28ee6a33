/// What the daemon logs, and in which form.
package struct LogSettings: Sendable, Equatable {
    /// The levels of swift-log, by the same names.
    package enum Level: String, Sendable, CaseIterable {
        case trace, debug, info, notice, warning, error, critical
    }

    package enum Format: String, Sendable, CaseIterable {
        case text, json
    }

    package var level = Level.info
    package var format = Format.text

    package init() {}
}
