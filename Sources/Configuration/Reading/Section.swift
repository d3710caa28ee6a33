// One mapping of the file, and one value in it: where it is and how messages name it.

import AASA
import Evidence

struct Section {
    let reading: Reading
    /// For messages: "in 'network'", "at the top level".
    let title: String
    /// Such as "network" or "domains[]"; empty at the top level.
    let path: String
    let position: SourcePosition
    /// Whether its texts may be secrets. Then messages show only their types.
    var isConcealed = false
    let entries: [SourceNode.Entry]
    /// What the mappings of one list know of each other; nil outside of lists.
    var siblings: Siblings?

    /// The entry of a key, even if its value is null.
    func entry(_ key: String) -> SourceNode.Entry? {
        guard let entry = entries.first(where: { $0.key == key }) else { return nil }
        reading.note(place: entry.value.isNull ? entry.position : entry.value.position, of: full(key))
        return entry
    }

    func full(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    func isGiven(_ key: String) -> Bool { entry(key).map { !$0.value.isNull } ?? false }

    func has(_ key: String) -> Bool { entries.contains { $0.key == key } }

    /// The position of the value; of the section if the value is absent.
    func place(of key: String) -> SourcePosition { entry(key)?.value.position ?? position }

    /// The position of a key in the section at `name`; if it is absent, of that section or else of this one.
    func placeOfKey(_ key: String, in name: String) -> SourcePosition {
        guard let entry = entry(name), case .mapping(let entries) = entry.value.content else { return position }
        return entries.first { $0.key == key }?.position ?? entry.position
    }

    /// The position of the key; of the section if the key is absent.
    func placeOfKey(_ key: String) -> SourcePosition { entry(key)?.position ?? position }

    /// Reads all settings, so that all problems of a file are reported together. An invalid value leaves the default.
    func read<Owner>(_ settings: [Setting<Owner>], into owner: inout Owner) {
        for setting in settings { setting.read(self, &owner) }
        refuseUnknownKeys(among: settings.lazy.map(\.facts))
    }

    func refuseUnknownKeys(among settings: some Sequence<SettingFacts>) {
        for entry in entries where !settings.contains(where: { $0.takes(entry.key) }) {
            var message = "unknown key \(Quotation.ofKey(entry.key)) \(title)"
            if entry.key == "<<" {
                message = "merge keys ('<<') are not supported; put shared settings under 'defaults'"
            } else if entry.key.contains(":") {
                message += "; is a space missing after the colon?"
            } else if let advice = Self.advice[entry.key] {
                message += "; \(advice)"
            } else {
                message += Spelling.suggestion(for: entry.key, among: settings.flatMap(\.keys))
            }
            reading.error(message, at: entry.position)
        }
    }

    /// Keys of other programs, and what to use instead.
    private static let advice: [String: String] = {
        let files =
            "a configuration is one file: 'domains_from' reads domains from another, and '…_file' keys read secrets"
        let times =
            "checks repeat after 'interval', such as 5m; for your own cron job use `aasa-monitor check`"
        return [
            "include": files, "includes": files, "import": files, "imports": files,
            "cron": times, "schedule": times, "crontab": times,
        ]
    }()

    /// The value at `key`; nil if it is absent, or null where that counts as absent. Reports a required key that is
    /// missing.
    func field<Value>(_ key: String, _ form: Form<Value>, isRequired: Bool, missing: String = "") -> Field? {
        guard let entry = entry(key) else {
            if isRequired { reading.error("'\(key)' is missing \(title)\(missing)", at: position) }
            return nil
        }
        if entry.value.isNull, form.shape.takesNull, !isRequired { return nil }
        return Field(
            key: key, section: self, node: entry.value, position: entry.position, path: full(key),
            isRequired: isRequired, isConcealed: isConcealed || form.isConcealed)
    }
}

/// What the mappings of one list know of each other: the line of each name.
final class Siblings {
    private var lines: [String: Int] = [:]
    /// Of escalation steps: the time of the last one.
    var latest: Duration?

    /// The line where the name was given before; nil at its first time.
    func line(before text: ScalarText, named name: String? = nil) -> Int? {
        let name = name ?? text.value
        if let line = lines[name] { return line }
        lines[name] = text.position.line
        return nil
    }
}

/// One value of the file: that of a key, or an element of the list at a key. The functions return nil after reporting
/// what is wrong.
struct Field {
    let key: String
    let section: Section
    let node: SourceNode
    /// The position of the key; for an element of a list, that of the element.
    let position: SourcePosition
    let path: String
    /// Whether an empty variable is a mistake.
    let isRequired: Bool
    let isConcealed: Bool
    var siblings: Siblings?

    var reading: Reading { section.reading }

    /// An element of the list.
    func element(_ node: SourceNode, _ siblings: Siblings) -> Field {
        Field(
            key: key, section: section, node: node, position: node.position, path: path + "[]", isRequired: true,
            isConcealed: isConcealed, siblings: siblings)
    }

    /// Reports a value of another type.
    func mismatch<Value>(_ expected: String, isConcealed: Bool? = nil, _ hint: String = "") -> Value? {
        let shown = node.summary(isConcealed: isConcealed ?? self.isConcealed)
        // libyaml gives an empty value the position of the next token, which does not help the user.
        let place = node.isNull ? position : node.position
        reading.error("expected \(expected) for '\(key)' \(section.title), found \(shown)\(hint)", at: place)
        return nil
    }

    /// Reports a text that is none of those expected.
    func unexpected<Value>(_ text: ScalarText, _ expected: String, _ hint: String = "", word: String = "for") -> Value?
    {
        reading.error(
            "expected \(expected) \(word) '\(key)' \(section.title), found \(text.quoted)\(hint)", at: text.position)
        return nil
    }

    /// Reports what is wrong with a text: `'KEY' in 'SECTION' FAULT`.
    func refuse<Value>(_ text: ScalarText, _ fault: String) -> Value? {
        refuse(fault, at: text.position)
        return nil
    }

    /// Reports what is wrong with the value, at its key or at another `place`.
    func refuse(_ fault: String, at place: SourcePosition? = nil) {
        reading.error("'\(key)' \(section.title) \(fault)", at: place ?? position)
    }

    /// Any scalar, also a number, with its variables filled in. `isBare`: its text may be a number or a truth value.
    func scalar(_ expected: String) -> (text: ScalarText, isBare: Bool)? {
        guard case .scalar(let raw, let isPlain) = node.content, !node.isNull else { return mismatch(expected) }
        return reading.text(raw, at: node.position).map { ($0, isPlain || $0.usesVariable) }
    }

    /// A number or a truth value, which `parse` reads from its text.
    func bare<Value>(_ expected: String, parse: (String) -> Value?) -> Value? {
        guard let (text, isBare) = scalar(expected) else { return nil }
        return (isBare ? parse(text.value) : nil) ?? mismatch(expected)
    }

    /// A text of at least one character, without control characters. Numbers and booleans need quotation marks.
    ///
    /// An empty variable counts as absent: nil without a report, unless `isRequired`.
    func text(_ expected: String) -> ScalarText? {
        guard case .scalar(let raw, let isPlain) = node.content, !node.isNull, !isPlain || !Self.isNumberOrTruth(raw)
        else { return mismatch(expected) }
        guard let text = reading.text(raw, at: node.position) else { return nil }
        if text.value.isEmpty {
            if isRequired || !text.usesVariable { refuse("is empty", at: node.position) }
            return nil
        }
        guard !text.value.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            return refuse(text, "contains a control character or a line break")
        }
        reading.note(text, of: path)
        return text
    }

    private static func isNumberOrTruth(_ text: String) -> Bool {
        ["true", "True", "TRUE", "false", "False", "FALSE"].contains(text)
            || (text.first.map { $0.isASCII && ($0.isNumber || "+-.".contains($0)) } == true && Double(text) != nil)
    }

    func elements() -> [SourceNode]? {
        guard case .list(let items) = node.content else { return mismatch("a list") }
        return items
    }

    func entries(_ expected: String = "a mapping") -> [SourceNode.Entry]? {
        guard case .mapping(let entries) = node.content else { return mismatch(expected) }
        return entries
    }

    func section(_ entries: [SourceNode.Entry], title: String) -> Section {
        Section(
            reading: reading, title: title, path: path, position: position, isConcealed: isConcealed, entries: entries,
            siblings: siblings)
    }
}

/// Secrets. Instead of each key `x`, the file can have `x_file`, the path of a file that contains the secret.
extension Section {
    /// nil if neither key is given, or after reporting a problem. Warns if other users can read the secret.
    ///
    /// `isSecret`: false for a value that others may know, such as the address of a server.
    func secret(_ key: String, isRequired: Bool, isSecret: (String) -> Bool) -> SecretField? {
        let fileKey = key + "_file"
        let (isDirect, isFile) = (isGiven(key), isGiven(fileKey))
        guard !isDirect || !isFile else {
            let place = max(placeOfKey(key), placeOfKey(fileKey))
            reading.error("'\(key)' and '\(fileKey)' are both set \(title); keep one of them", at: place)
            return nil
        }
        if isFile {
            let path = field(fileKey, .text("a path"), isRequired: true)?.text("a path")
            guard let path, let value = reading.secret(inFile: path, for: fileKey) else { return nil }
            if isSecret(value) { reading.warnOfReaders(of: path, for: fileKey, title) }
            return SecretField(value: value, position: path.position, isFromFile: true, key: key, section: self)
        }
        guard isDirect else {
            if isRequired { reading.error("'\(key)' (or '\(fileKey)') is missing \(title)", at: position) }
            return nil
        }
        let concealed = Form<String>.text("a text", isConcealed: true)
        guard let text = field(key, concealed, isRequired: true)?.text("a text") else { return nil }
        if isSecret(text.value) { reading.warnOfReaders(ofTheFileWith: text, for: key, title) }
        return SecretField(value: text.value, position: text.position, isFromFile: false, key: key, section: self)
    }
}

/// A secret with its position for messages. Messages never contain its value.
struct SecretField {
    let value: String
    let position: SourcePosition
    let isFromFile: Bool
    let key: String
    let section: Section

    /// nil after reporting `fault`.
    func unless<Value>(_ fault: String?, _ value: (String) -> Value) -> Value? {
        guard let fault else { return value(self.value) }
        let subject = isFromFile ? "the content of '\(key)_file'" : "'\(key)'"
        section.reading.error("\(subject) \(section.title) \(fault)", at: position)
        return nil
    }
}
