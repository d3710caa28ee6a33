// One mapping of the file. Every key that a reader asks for becomes a known key, so that the readers are the only list
// of keys. `close()` reports the keys that no reader asked for.

import Evidence

final class Section {
    let reading: Reading
    /// For messages: "in 'network'", "at the top level".
    let title: String
    /// Such as "network" or "domains[]"; empty at the top level.
    let path: String
    let position: SourcePosition
    /// Whether its texts may be secrets. Then messages show only their types.
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

    /// The entry of a key, even if its value is null.
    func entry(_ key: String) -> SourceNode.Entry? {
        guard let entry = entries.first(where: { $0.key == key }) else {
            asked.insert(key)
            return nil
        }
        reading.note(place: entry.value.isNull ? entry.position : entry.value.position, of: full(key))
        asked.insert(key)
        return entry
    }

    private func full(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    func isGiven(_ key: String) -> Bool {
        entry(key).map { !$0.value.isNull } ?? false
    }

    /// Whether the key exists. Does not make it a known key.
    func has(_ key: String) -> Bool { entries.contains { $0.key == key } }

    /// Reports every key that no reader asked for.
    func close() {
        reading.note(keys: asked, of: path)
        for entry in entries where !asked.contains(entry.key) {
            var message = "unknown key \(Quotation.ofKey(entry.key)) \(title)"
            if entry.key == "<<" {
                message = "merge keys ('<<') are not supported; put shared settings under 'defaults'"
            } else if entry.key.contains(":") {
                message += "; is a blank missing after the colon?"
            } else if let advice = Self.advice[entry.key] {
                message += "; \(advice)"
            } else {
                message += Spelling.suggestion(for: entry.key, among: asked)
            }
            reading.error(message, at: entry.position)
        }
    }

    /// Keys of other programs, and what to use instead.
    private static let advice: [String: String] = {
        let files =
            "a configuration is one file: 'domains_from' reads domains from another, and '…_file' keys read secrets"
        let times =
            "checks repeat after 'interval', such as 5m; for a cron job of your own use `aasa-monitor check`"
        return [
            "include": files, "includes": files, "import": files, "imports": files,
            "cron": times, "schedule": times, "crontab": times,
        ]
    }()

    /// The mapping at `key`; nil if it is absent or null, or after reporting that it is not a mapping.
    func section(_ key: String, title: String? = nil, isConcealed: Bool = false) -> Section? {
        guard let entry = entry(key), !entry.value.isNull else { return nil }
        guard case .mapping(let entries) = entry.value.content else {
            mismatch(key, "a mapping", entry.value, isConcealed: isConcealed)
            return nil
        }
        return Section(
            entries: entries, position: entry.position, title: title ?? "in '\(key)'",
            path: full(key), isConcealed: isConcealed || self.isConcealed, reading: reading)
    }

    /// The list at `key`; nil if it is absent or null, or after reporting that it is not a list.
    func list(_ key: String, isConcealed: Bool = false) -> [SourceNode]? {
        guard let entry = entry(key), !entry.value.isNull else { return nil }
        guard case .list(let items) = entry.value.content else {
            mismatch(key, "a list", entry.value, isConcealed: isConcealed)
            return nil
        }
        return items
    }

    /// Reports that `key` does not have the expected type.
    func mismatch(_ key: String, _ expected: String, _ found: SourceNode, isConcealed: Bool = false) {
        let shown = found.summary(isConcealed: isConcealed || self.isConcealed)
        // libyaml gives an empty value the position of the next token, which does not help the user.
        let isEmpty = entry(key)?.value.isNull == true
        let position = isEmpty ? entry(key)?.position ?? found.position : found.position
        reading.error("expected \(expected) for '\(key)' \(title), found \(shown)", at: position)
    }
}

/// The scalar types. Each function returns nil if the key is absent, or after reporting what is wrong with the value.
/// The caller then uses its default, so that all problems of a file are reported together.
extension Section {
    /// Both ends of `range` are allowed.
    func duration(_ key: String, in range: ClosedRange<Duration> = .seconds(0.1)...Duration.seconds(3650 * 86_400))
        -> Duration?
    {
        guard let (text, node, _) = scalar(key, "a duration such as 5m") else { return nil }
        let duration: Duration
        do {
            duration = try parseDuration(text.value)
        } catch {
            let found = node.summary(isConcealed: isConcealed)
            reading.error(
                "expected a duration such as 5m for '\(key)' \(title), found \(found)\(text.reason(error.reason))",
                at: text.position)
            return nil
        }
        guard range.contains(duration) else {
            let bounds = "\(range.lowerBound.notation) to \(range.upperBound.notation)"
            reading.error("'\(key)' \(title) must be \(bounds), found \(text.quoted)", at: text.position)
            return nil
        }
        return duration
    }

    func integer(_ key: String, in range: ClosedRange<Int>) -> Int? {
        let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        guard let (text, node, isPlain) = scalar(key, expected) else { return nil }
        guard isPlain || text.usesVariable, let number = Int(text.value), range.contains(number) else {
            mismatch(key, expected, node)
            return nil
        }
        return number
    }

    /// A number above zero and up to `maximum`.
    func positiveNumber(_ key: String, upTo maximum: Double) -> Double? {
        let expected = "a number above 0 and up to \(Int(maximum))"
        guard let (text, node, isPlain) = scalar(key, expected) else { return nil }
        // `Double` would also read `0x10`, `inf` and `nan`.
        let isDecimal = text.value.utf8.allSatisfy { (48...57).contains($0) || $0 == UInt8(ascii: ".") }
        guard isPlain || text.usesVariable, isDecimal, let number = Double(text.value), number > 0, number <= maximum
        else {
            mismatch(key, expected, node)
            return nil
        }
        return number
    }

    func boolean(_ key: String) -> Bool? {
        guard let (text, node, isPlain) = scalar(key, "true or false") else { return nil }
        if isPlain || text.usesVariable {
            switch text.value {
            case "true", "True", "TRUE": return true
            case "false", "False", "FALSE": return false
            default: break
            }
        }
        mismatch(key, "true or false", node)
        return nil
    }

    /// One of the words of an enumeration.
    func choice<Word: RawRepresentable & CaseIterable>(_ key: String, _: Word.Type) -> Word?
    where Word.RawValue == String {
        let words = Word.allCases.map(\.rawValue)
        let expected = "one of \(words.joined(separator: ", "))"
        guard let (text, node, _) = scalar(key, expected) else { return nil }
        guard let word = Word(rawValue: text.value) else {
            let found = node.summary(isConcealed: false)
            reading.error(
                "expected \(expected) for '\(key)' \(title), found \(found)\(text.suggestion(among: words))",
                at: text.position)
            return nil
        }
        return word
    }

    /// A text of at least one character, without control characters. Numbers and booleans need quotation marks.
    ///
    /// A null or an empty variable counts as absent: nil without a report, unless `isRequired`.
    func text(_ key: String, _ expected: String, isRequired: Bool = false, isConcealed: Bool = false) -> ScalarText? {
        guard let entry = entry(key) else {
            if isRequired { reading.error("'\(key)' is missing \(title)", at: position) }
            return nil
        }
        if entry.value.isNull, !isRequired { return nil }
        let text = text(entry.value, key, expected, isRequired: isRequired, isConcealed: isConcealed)
        if let text { reading.note(text, of: full(key)) }
        return text
    }

    /// Like `text(_:_:)`, for one element of the list at `key`.
    func text(
        _ node: SourceNode, _ key: String, _ expected: String, isRequired: Bool = true, isConcealed: Bool = false
    ) -> ScalarText? {
        guard case .scalar(let raw, let isPlain) = node.content, !node.isNull, !isPlain || !Self.isNumberOrTruth(raw)
        else {
            mismatch(key, expected, node, isConcealed: isConcealed)
            return nil
        }
        guard let text = reading.text(raw, at: node.position) else { return nil }
        if text.value.isEmpty {
            if isRequired || !text.usesVariable { reading.error("'\(key)' \(title) is empty", at: node.position) }
            return nil
        }
        guard !text.value.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            reading.error("'\(key)' \(title) holds a control character or a line break", at: node.position)
            return nil
        }
        return text
    }

    /// The text of an identifier, which may look like a number.
    func identifier(_ key: String, _ expected: String) -> ScalarText? { scalar(key, expected)?.text }

    private func scalar(_ key: String, _ expected: String) -> (text: ScalarText, node: SourceNode, isPlain: Bool)? {
        guard let entry = entry(key) else { return nil }
        guard case .scalar(let raw, let isPlain) = entry.value.content, !entry.value.isNull else {
            mismatch(key, expected, entry.value)
            return nil
        }
        return reading.text(raw, at: entry.value.position).map { ($0, entry.value, isPlain) }
    }

    static func isNumberOrTruth(_ text: String) -> Bool {
        ["true", "True", "TRUE", "false", "False", "FALSE"].contains(text)
            || (text.first.map { $0.isASCII && ($0.isNumber || "+-.".contains($0)) } == true && Double(text) != nil)
    }
}

/// Secrets. Instead of each key `x`, the file can have `x_file`, the path of a file that contains the secret.
extension Section {
    /// A secret with its position for messages. Messages never contain its value.
    struct SecretText {
        let value: String
        let position: SourcePosition
        let isFromFile: Bool
    }

    /// nil if neither key is given, or after reporting a problem. Warns if other users can read the secret.
    ///
    /// `isSecret`: false for a value that others may know, such as the address of a server.
    func secret(
        _ key: String, isRequired: Bool = false, isSecret: (String) -> Bool = { _ in true }
    ) -> SecretText? {
        let fileKey = key + "_file"
        let (isDirect, isFile) = (isGiven(key), isGiven(fileKey))
        guard !isDirect || !isFile else {
            let position = max(entry(key)?.position ?? .start, entry(fileKey)?.position ?? .start)
            reading.error("'\(key)' and '\(fileKey)' are both given \(title); keep one of them", at: position)
            return nil
        }
        if isFile {
            return text(fileKey, "a path", isRequired: true).flatMap { path in
                guard let value = reading.secret(inFile: path, for: fileKey) else { return nil }
                if isSecret(value) { reading.warnOfReaders(of: path, for: fileKey, title) }
                return SecretText(value: value, position: path.position, isFromFile: true)
            }
        }
        guard isDirect else {
            if isRequired { reading.error("'\(key)' (or '\(fileKey)') is missing \(title)", at: position) }
            return nil
        }
        guard let text = text(key, "a text", isRequired: true, isConcealed: true) else { return nil }
        if isSecret(text.value) { reading.warnOfReaders(ofTheFileWith: text, for: key, title) }
        return SecretText(value: text.value, position: text.position, isFromFile: false)
    }
}
