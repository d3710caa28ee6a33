// Where the file speaks of a channel by its name: in a domain, as the fallback, and in the escalation.

/// The names of all channels, those with faults too.
struct ChannelNames {
    let all: [ScalarText]
    let reading: Reading

    func contains(_ name: String) -> Bool { all.contains { $0.value == name } }

    /// Tells that no channel has the name, and what may have been meant.
    func refuse(_ name: ScalarText) {
        // What a message may propose: no value of a variable.
        let known = all.filter { !$0.isSubstituted && Section.isName($0.value) }.map(\.value)
        var hint = name.isSubstituted ? "" : Spelling.suggestion(for: name.value, among: known)
        if hint.isEmpty {
            hint =
                known.isEmpty
                ? "; 'alerts.channels' has \(all.isEmpty ? "none" : "no such name")"
                : "; 'alerts.channels' has \(known.map { "'\($0)'" }.joined(separator: ", "))"
        }
        reading.error("no channel is named \(name.quoted)\(hint)", at: name.position)
    }
}
