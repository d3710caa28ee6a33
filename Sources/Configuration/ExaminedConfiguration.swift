/// A valid configuration with the places of its values, for those who compare it with the machine that it is for.
package struct ExaminedConfiguration: Sendable {
    package let file: ConfigurationFile
    /// In the order of the file.
    package let warnings: [ConfigurationProblem]
    /// As messages call the file.
    package let name: String
    /// By the key's path, as `store.path`.
    let places: [String: SourcePosition]

    /// A complaint about the value of `key`, or about what the key's absence means.
    package func problem(
        _ severity: ConfigurationProblem.Severity, at key: String, _ message: String
    ) -> ConfigurationProblem {
        let section = key.split(separator: ".").first.map(String.init) ?? key
        let place = places[key] ?? places[section] ?? .start
        return ConfigurationProblem(
            severity: severity, file: name, line: place.line, column: place.column, message: message)
    }
}
