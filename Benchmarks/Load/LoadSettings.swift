/// How large the load is.
struct LoadSettings {
    var domains = 1000
    /// Seconds between two checks of a domain.
    var interval = 60
    /// Path of the monitor; nil: the one beside this program.
    var monitor: String?
}
