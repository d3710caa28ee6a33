// Parses YAML into a tree with positions, within limits. Only this file uses Yams.

import Yams

struct SourceDocument {
    struct Problem: Error, Equatable {
        let position: SourcePosition
        let message: String
    }

    /// The limits of one file.
    struct Limits {
        let megabytes: Int
        /// Including the nodes that aliases repeat.
        let nodes: Int

        /// Far more than real files have. Aliases that multiply nodes soon exceed it.
        static let configuration = Limits(megabytes: 1, nodes: 200_000)
        static let listOfDomains = Limits(megabytes: 16, nodes: 1_000_000)

        var bytes: Int { megabytes << 20 }
        var excess: String { "the file is larger than \(megabytes) MiB" }
    }

    private static let maximumDepth = 32

    /// nil if the text cannot be parsed, or is empty.
    private(set) var root: SourceNode?
    private(set) var problems: [Problem] = []
    private var nodeCount = 0
    private let limits: Limits

    init(parsing text: String, limits: Limits = .configuration) {
        self.limits = limits
        guard text.utf8.count <= limits.bytes else {
            problems.append(Problem(position: .start, message: limits.excess))
            return
        }
        var scalars = text.unicodeScalars
        // The byte order mark does not count as a column.
        if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
        do {
            try Self.checkKeys(scalars)
            if let node = try Self.compose(String(scalars)) { root = try convert(node, depth: 0) }
        } catch {
            problems.append(error)
        }
    }

    private static func compose(_ text: String) throws(Problem) -> Node? {
        do {
            // Without the resolver of Yams: the readers decide what `5` or `null` means.
            return try Yams.compose(yaml: text, .basic)
        } catch {
            throw Problem(error, in: text)
        }
    }

    /// Replaces the asterisk of an alias. Real files do not contain it.
    private static let mark: Unicode.Scalar = "\u{E000}"

    /// While Yams reads a mapping, it compares the keys through their aliases: a key made of aliases of aliases would
    /// take years. So the keys are checked first, in the same text without any alias.
    private static func checkKeys(_ scalars: String.UnicodeScalarView) throws(Problem) {
        guard scalars.contains("*"), scalars.contains("&") else { return }
        let text = String(String.UnicodeScalarView(scalars.map { $0 == "*" ? mark : $0 }))
        if let node = try compose(text) { try checkKeys(of: node) }
    }

    private static func checkKeys(of node: Node) throws(Problem) {
        switch node {
        case .sequence(let sequence):
            for item in sequence { try checkKeys(of: item) }
        case .mapping(let mapping):
            for (key, value) in mapping {
                if case .scalar(let scalar) = key, scalar.style != .plain || scalar.string.unicodeScalars.first != mark
                {
                    try checkKeys(of: value)
                } else {
                    throw Problem(position: SourcePosition(key.mark), message: keyFault)
                }
            }
        case .scalar, .alias: break
        }
    }

    private static let keyFault = "a key must be a plain word"

    private mutating func convert(_ node: Node, depth: Int) throws(Problem) -> SourceNode {
        let position = SourcePosition(node.mark)
        nodeCount += 1
        guard nodeCount <= limits.nodes else {
            throw Problem(
                position: position, message: "the file has too many values, including repeated aliases")
        }
        guard depth <= Self.maximumDepth else {
            throw Problem(position: position, message: "the file is nested too deeply")
        }
        switch node {
        case .scalar(let scalar):
            if !Self.knownTags.contains(scalar.tag.rawValue) {
                problems.append(
                    Problem(position: position, message: "YAML tags are not supported; remove this one"))
            }
            return SourceNode(
                content: .scalar(scalar.string, isPlain: scalar.style == .plain), position: position)
        case .sequence(let sequence):
            var items: [SourceNode] = []
            for item in sequence { items.append(try convert(item, depth: depth + 1)) }
            return SourceNode(content: .list(items), position: position)
        case .mapping(let mapping):
            return SourceNode(content: .mapping(try entries(of: mapping, depth: depth)), position: position)
        case .alias:
            throw Problem(position: position, message: "this alias cannot be resolved")
        }
    }

    private mutating func entries(of mapping: Node.Mapping, depth: Int) throws(Problem) -> [SourceNode.Entry] {
        var entries: [SourceNode.Entry] = []
        for (key, value) in mapping {
            let position = SourcePosition(key.mark)
            // To Yams, a key with a tag differs from the same key without one.
            guard case .scalar(let scalar) = key, Self.tagsOfKeys.contains(scalar.tag.rawValue) else {
                problems.append(Problem(position: position, message: Self.keyFault))
                continue
            }
            let value = try convert(value, depth: depth + 1)
            entries.append(SourceNode.Entry(key: scalar.string, position: position, value: value))
        }
        return entries
    }

    private static let tagsOfKeys: Set = ["", "tag:yaml.org,2002:str"]
    private static let knownTags: Set<String> = Set(
        ["", "!"] + ["str", "int", "bool", "float", "null"].map { "tag:yaml.org,2002:\($0)" })
}

extension SourceDocument.Problem {
    /// Uses the position and the fixed text of libyaml, never the description of Yams, which quotes the line.
    fileprivate init(_ error: any Error, in text: String) {
        switch error {
        case YamlError.scanner(let context, let problem, let mark, _),
            YamlError.parser(let context, let problem, let mark, _),
            YamlError.composer(let context, let problem, let mark, _):
            // "while scanning a quoted scalar": a missing quotation mark is noticed far from its place.
            let isElsewhere = context.map { $0.text.hasPrefix("while") && $0.mark.line != mark.line } ?? false
            let origin =
                context.map { "\($0.text)\(isElsewhere ? " that begins at line \($0.mark.line)" : ""), " } ?? ""
            self.init(position: SourcePosition(mark), message: "YAML syntax: \(origin)\(problem)")
        case YamlError.duplicatedKeysInMapping(let names, let context):
            let shown = names.prefix(5).map { Quotation.ofKey($0) }.joined(separator: ", ")
            self.init(
                position: SourcePosition(context.mark),
                message: names.count == 1
                    ? "duplicate key \(shown); it occurs again later in this mapping"
                    : "duplicate keys \(shown); they occur again later in this mapping")
        case YamlError.reader(let problem, let offset, _, _):
            let before = text.prefix(offset ?? 0)
            let line = before.count { $0.isNewline } + 1
            let column = before.reversed().prefix { !$0.isNewline }.reduce(1) { $0 + $1.unicodeScalars.count }
            self.init(
                position: SourcePosition(line: line, column: column), message: "YAML syntax: \(problem.lowercased())")
        default:
            self.init(position: .start, message: "the file cannot be read as YAML")
        }
    }
}

extension SourcePosition {
    fileprivate init(_ mark: Mark?) { self.init(line: mark?.line ?? 1, column: mark?.column ?? 1) }
}

/// A position in the file. Line and column start at 1; the column counts Unicode scalars.
struct SourcePosition: Hashable, Comparable, Sendable {
    static let start = SourcePosition(line: 1, column: 1)

    let line: Int
    let column: Int

    static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// A node of the parsed file, with its position. Aliases are resolved, and each key occurs once.
struct SourceNode {
    enum Content {
        /// `isPlain`: without quotation marks, so that `5` is a number and `null` means no value.
        case scalar(String, isPlain: Bool)
        case list([SourceNode])
        case mapping([Entry])
    }

    struct Entry {
        let key: String
        let position: SourcePosition
        let value: SourceNode
    }

    let content: Content
    let position: SourcePosition

    var isNull: Bool {
        guard case .scalar(let text, isPlain: true) = content else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }

    var isEmptyList: Bool {
        if case .list(let items) = content { items.isEmpty } else { false }
    }

    /// Describes the value in a message. `isConcealed`: it may be a secret, so only its type is shown.
    func summary(isConcealed: Bool) -> String {
        switch content {
        case _ where isNull: "nothing"
        case .scalar(_, let isPlain) where isConcealed: isPlain ? "a plain value" : "a text"
        case .scalar(let text, let isPlain): (isPlain ? "" : "the text ") + Quotation.of(text)
        case .list where isConcealed: "a list"
        // YAML reads an unquoted password such as `{abc}` as a mapping with a key.
        case .mapping where isConcealed: "a mapping"
        case .list(let items):
            "the list [" + items.prefix(3).map(\.outline).joined(separator: ", ") + (items.count > 3 ? ", …]" : "]")
        case .mapping(let entries):
            entries.isEmpty
                ? "an empty mapping"
                : "a mapping with the key\(entries.count == 1 ? "" : "s") "
                    + entries.prefix(3).map { Quotation.ofKey($0.key) }.joined(separator: ", ")
                    + (entries.count > 3 ? ", …" : "")
        }
    }

    private var outline: String {
        switch content {
        case .scalar(let text, _): String(Quotation.of(text).dropFirst().dropLast())
        case .list: "[…]"
        case .mapping: "{…}"
        }
    }
}
