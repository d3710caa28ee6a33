import Evidence

/// What a channel was told about an incident, as far as a later message depends on it.
package struct Told: Equatable, Sendable {
    /// What the receiver calls the first message of the incident; nil where it gave no name, or was told nothing.
    package var reference: String?
    /// The severity that the last message before this one had.
    package var severity: Severity?
    /// The channel already knows of a later end: an earlier message would open there what nothing closes.
    package var laterEnd: Bool
    /// The message tells the end of something whose beginning the channel cannot have heard of.
    package var isUnsaidEnd: Bool

    package init(
        reference: String? = nil, severity: Severity? = nil, laterEnd: Bool = false, isUnsaidEnd: Bool = false
    ) {
        self.isUnsaidEnd = isUnsaidEnd
        self.reference = reference
        self.severity = severity
        self.laterEnd = laterEnd
    }
}
