// One mapping of the file. Every key asked of it becomes a known key, so that the readers are the only list of keys;
// `close()` then tells which keys nobody asked for.

final class Section {
    let reading: Reading
    /// For messages: "in 'network'", "at the top level".
    let title: String
    /// For `PendingKeys`: "network", "domains[]"; empty at the top.
    let path: String
    let position: SourcePosition
    /// Whether its texts may be secrets, so that messages tell their types only.
    let isConcealed: Bool
    private let entries: [SourceNode.Entry]
    private var asked: Set<String> = []

    init(
        entries: [SourceNode.Entry], position: SourcePosition, title: String, path: String, isConcealed: Bool,
        reading: Reading
    ) {
        self.entries = entries
        self.position = position
        self.title = title
        self.path = path
        self.isConcealed = isConcealed
        self.reading = reading
    }

    /// The key's value, also where it is null; warns where this version does not act on the key.
    func entry(_ key: String) -> SourceNode.Entry? {
        guard let entry = entries.first(where: { $0.key == key }) else {
            asked.insert(key)
            return nil
        }
        let full = path.isEmpty ? key : "\(path).\(key)"
        reading.note(place: entry.value.isNull ? entry.position : entry.value.position, of: full)
        if asked.insert(key).inserted, PendingKeys.paths.contains(full), !entry.value.isNull {
            reading.warning("'\(key)' is read but this version does not act on it yet", at: entry.position)
        }
        return entry
    }

    func isGiven(_ key: String) -> Bool {
        entry(key).map { !$0.value.isNull } ?? false
    }

    /// Whether the key stands there, without making it a known one.
    func has(_ key: String) -> Bool { entries.contains { $0.key == key } }

    /// Tells every key that was never asked for.
    func close() {
        reading.note(keys: asked, of: path)
        for entry in entries where !asked.contains(entry.key) {
            var message = "unknown key \(Quotation.ofKey(entry.key)) \(title)"
            if entry.key == "<<" {
                message = "merge keys ('<<') are not supported; put shared settings under 'defaults'"
            } else if entry.key.contains(":") {
                message += "; is a blank missing after the colon?"
            } else {
                message += Spelling.suggestion(for: entry.key, among: asked)
            }
            reading.error(message, at: entry.position)
        }
    }

    /// The mapping at `key`; nil where it is absent, null, or after telling that it is no mapping.
    func section(_ key: String, title: String? = nil, isConcealed: Bool = false) -> Section? {
        guard let entry = entry(key), !entry.value.isNull else { return nil }
        guard case .mapping(let entries) = entry.value.content else {
            mismatch(key, "a mapping", entry.value, isConcealed: isConcealed)
            return nil
        }
        return Section(
            entries: entries, position: entry.position, title: title ?? "in '\(key)'",
            path: path.isEmpty ? key : "\(path).\(key)", isConcealed: isConcealed || self.isConcealed, reading: reading)
    }

    /// The list at `key`; nil where it is absent, null, or after telling that it is no list.
    func list(_ key: String, isConcealed: Bool = false) -> [SourceNode]? {
        guard let entry = entry(key), !entry.value.isNull else { return nil }
        guard case .list(let items) = entry.value.content else {
            mismatch(key, "a list", entry.value, isConcealed: isConcealed)
            return nil
        }
        return items
    }

    /// Tells that `key` holds something else than it should.
    func mismatch(_ key: String, _ expected: String, _ found: SourceNode, isConcealed: Bool = false) {
        let shown = found.summary(isConcealed: isConcealed || self.isConcealed)
        // libyaml places an empty value where the next thing begins, which is of no use to a reader.
        let isEmpty = entry(key)?.value.isNull == true
        let position = isEmpty ? entry(key)?.position ?? found.position : found.position
        reading.error("expected \(expected) for '\(key)' \(title), found \(shown)", at: position)
    }
}
