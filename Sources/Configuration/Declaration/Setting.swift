// A setting of `monitor.yaml` is declared once, as a row of its section. Reading, the JSON Schema, `config show` and
// the tables of docs/reference/configuration.md follow from the row.

import Evidence

/// The property that a setting fills.
typealias Path<Owner, Value> = any WritableKeyPath<Owner, Value> & Sendable

/// A setting of the section that fills `Owner`.
struct Setting<Owner>: Sendable {
    private(set) var facts: SettingFacts
    /// For `config show`, without secrets; nil if there is nothing to show.
    let show: @Sendable (Owner) -> OrderedJSON?
    /// Reads it from the section. Reports what is wrong, and then leaves the default.
    let read: @Sendable (Section, inout Owner) -> Void

    /// For a setting without a single property of its own.
    init(
        _ facts: SettingFacts, show: @escaping @Sendable (Owner) -> OrderedJSON?,
        read: @escaping @Sendable (Section, inout Owner) -> Void
    ) {
        self.facts = facts
        self.show = show
        self.read = read
    }

    /// `sentence`: what it means, in Markdown. `missing`: added to the message if a required key is missing.
    init<Value>(
        _ key: String, _ path: Path<Owner, Value>, _ form: Form<Value>, isRequired: Bool = false, missing: String = "",
        _ sentence: String
    ) {
        let facts = SettingFacts(key: key, shape: form.shape, isRequired: isRequired, sentence: sentence)
        self.init(facts, show: { form.show($0[keyPath: path]) }) { section, owner in
            let field = section.field(key, form, isRequired: isRequired, missing: missing)
            if let value = field.flatMap(form.read) { owner[keyPath: path] = value }
        }
    }

    /// A setting without a default.
    init<Value>(
        _ key: String, _ path: Path<Owner, Value?>, _ form: Form<Value>, isRequired: Bool = false, missing: String = "",
        _ sentence: String
    ) {
        let show: @Sendable (Value?) -> OrderedJSON = { $0.map(form.show) ?? .null }
        let optional = Form<Value?>(shape: form.shape, isConcealed: form.isConcealed, show: show) { field in
            form.read(field).map { .some($0) }
        }
        self.init(key, path, optional, isRequired: isRequired, missing: missing, sentence)
    }

    /// A secret, which can also be in the file that `KEY_file` names.
    init<Value>(
        _ key: String, _ path: Path<Owner, Value?>, _ form: SecretForm<Value>, isRequired: Bool = false,
        _ sentence: String
    ) {
        let facts = SettingFacts(key: key, shape: form.shape, isRequired: isRequired, sentence: sentence)
        self.init(facts, show: { $0[keyPath: path] == nil ? .null : .hidden }) { section, owner in
            let secret = section.secret(key, isRequired: isRequired, isSecret: form.isSecret)
            if let secret, let value = form.read(secret) { owner[keyPath: path] = value }
        }
    }

    /// The same setting in a section that contains the owner's settings next to its own.
    func inherited<Outer>(by path: Path<Outer, Owner>) -> Setting<Outer> {
        var facts = facts
        facts.isInherited = true
        return Setting<Outer>(facts, show: { show($0[keyPath: path]) }) { read($0, &$1[keyPath: path]) }
    }

    /// The same setting with a rule about several settings of its section.
    func checked(_ rule: @escaping @Sendable (Section) -> Void) -> Setting {
        Setting(facts, show: show) { section, owner in
            read(section, &owner)
            rule(section)
        }
    }

    /// The same setting, if a rule of its section reports that it is missing.
    var requiredByRule: Setting {
        var setting = self
        setting.facts.isRequired = true
        return setting
    }

    /// The facts with the default that `initial` has.
    func facts(in initial: Owner) -> SettingFacts {
        var facts = facts
        if !facts.isRequired { facts.standard = show(initial) }
        return facts
    }
}

extension Sequence {
    /// For `config show`.
    func show<Owner>(_ owner: Owner) -> OrderedJSON where Element == Setting<Owner> {
        .object(compactMap { setting in setting.show(owner).map { (setting.facts.key, $0) } })
    }
}

/// What the schema and the documentation say about a setting.
struct SettingFacts: Sendable {
    let key: String
    let shape: Shape
    var isRequired = false
    /// What it means, in Markdown.
    let sentence: String
    /// The default, as `config show` prints it.
    var standard: OrderedJSON?
    /// Whether another section declares it, too.
    var isInherited = false

    /// The keys under which the file can give it.
    var keys: [String] { shape.isSecret ? [key, key + "_file"] : [key] }

    func takes(_ key: String) -> Bool { key == self.key || shape.isSecret && keys.contains(key) }
}

/// What the values of a setting look like.
struct Shape: Sendable {
    /// In the documentation: `duration, 1s to 24h`.
    let words: String
    /// The JSON Schema of a value that is not null.
    let schema: OrderedJSON
    /// Whether null counts as absent.
    var takesNull = false
    var isSecret = false
    /// Of a mapping, or of each mapping in a list.
    var settings: [SettingFacts] = []
    var isList = false
}

/// How a value is written in the file.
struct Form<Value>: Sendable {
    let shape: Shape
    /// Whether it may be a secret. Then messages show only its type.
    var isConcealed = false
    let show: @Sendable (Value) -> OrderedJSON
    /// nil after reporting what is wrong, and for an empty variable.
    let read: @Sendable (Field) -> Value?
}

/// How a secret is written.
struct SecretForm<Value>: Sendable {
    let shape: Shape
    /// Whether a value is confidential: then a file that everybody can read causes a warning.
    let isSecret: @Sendable (String) -> Bool
    /// nil after reporting what is wrong.
    let read: @Sendable (SecretField) -> Value?

    init(
        words: String, pattern: String, isSecret: @escaping @Sendable (String) -> Bool = { _ in true },
        read: @escaping @Sendable (SecretField) -> Value?
    ) {
        shape = Shape(words: words, schema: .text(pattern), takesNull: true, isSecret: true)
        self.isSecret = isSecret
        self.read = read
    }
}
