/// Keys of the format that are read and checked, yet not acted on in this version.
///
/// The one table: when a key gets its effect, its line here goes (and its note in `docs/configuration.md`).
enum PendingKeys {
    static let paths: Set<String> = []
}
