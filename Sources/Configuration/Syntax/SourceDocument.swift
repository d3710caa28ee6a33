// YAML text to a tree of our own, within bounds. All use of Yams is here.
//
// Yams refuses a mapping with a repeated key at once and tells only where the key is first. So that every fault of a
// file is reported together, and with the place of the repetition, the first key is renamed in the text (in as many
// characters, so that no position moves) and the text parsed again.

import Yams

struct SourceDocument {
    struct Problem: Error, Equatable {
        let position: SourcePosition
        let message: String
    }

    static let maximumBytes = 1 << 20
    /// Far more than a megabyte of honest configuration has; an alias that multiplies itself reaches it soon.
    private static let maximumNodes = 200_000
    private static let maximumDepth = 32
    private static let maximumRepeatedKeys = 200

    /// Nil where nothing could be made of the text, or where it is empty.
    private(set) var root: SourceNode?
    private(set) var problems: [Problem] = []
    private var originalKeys: [String: String] = [:]
    private var nodeCount = 0

    init(parsing text: String) {
        guard text.utf8.count <= Self.maximumBytes else {
            problems.append(Problem(position: .start, message: "the file is larger than 1 MiB"))
            return
        }
        guard !AliasExpansion.isExcessive(text) else {
            problems.append(Problem(position: .start, message: "the file's aliases repeat too much of it"))
            return
        }
        do {
            if let node = try compose(text) { root = try convert(node, depth: 0) }
        } catch let problem as Problem {
            problems.append(problem)
        } catch {
            problems.append(Problem(position: .start, message: "the file cannot be read as YAML"))
        }
    }

    private mutating func compose(_ text: String) throws -> Node? {
        var scalars = Array(text.unicodeScalars)
        // The byte order mark is no part of the first line's columns.
        if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
        while true {
            let text = String(String.UnicodeScalarView(scalars))
            do {
                // Without Yams' resolver rules: what `5` or `null` means is decided where a value is read.
                return try Yams.compose(yaml: text, .basic)
            } catch YamlError.duplicatedKeysInMapping(let names, let context) {
                let position = SourcePosition(line: context.mark.line, column: context.mark.column)
                let name = names.first ?? ""
                guard originalKeys.count < Self.maximumRepeatedKeys,
                    let placeholder = RepeatedKey.rename(name, at: position, in: &scalars, number: originalKeys.count)
                else {
                    throw Problem(
                        position: position,
                        message: "duplicate key \(Quotation.ofKey(name)); it is given again later in this mapping")
                }
                originalKeys[placeholder] = name
            } catch let error as YamlError {
                throw Problem(error, in: text)
            }
        }
    }

    private mutating func convert(_ node: Node, depth: Int) throws(Problem) -> SourceNode {
        let position = SourcePosition(line: node.mark?.line ?? 1, column: node.mark?.column ?? 1)
        nodeCount += 1
        guard nodeCount <= Self.maximumNodes else {
            throw Problem(position: position, message: "the file has too many values, counting what its aliases repeat")
        }
        guard depth <= Self.maximumDepth else {
            throw Problem(position: position, message: "the file is nested too deeply")
        }
        switch node {
        case .scalar(let scalar):
            if !Self.knownTags.contains(scalar.tag.rawValue) {
                problems.append(Problem(position: position, message: "YAML tags are not supported here; leave it out"))
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
            throw Problem(position: position, message: "this alias cannot be followed")
        }
    }

    private mutating func entries(of mapping: Node.Mapping, depth: Int) throws(Problem) -> [SourceNode.Entry] {
        var entries: [SourceNode.Entry] = []
        var first: [String: SourcePosition] = [:]
        for (key, value) in mapping {
            let position = SourcePosition(line: key.mark?.line ?? 1, column: key.mark?.column ?? 1)
            guard case .scalar(let scalar) = key else {
                problems.append(Problem(position: position, message: "a key must be a plain word"))
                continue
            }
            let name = originalKeys[scalar.string] ?? scalar.string
            let value = try convert(value, depth: depth + 1)
            if let earlier = first[name] {
                problems.append(
                    Problem(
                        position: position,
                        message: "duplicate key \(Quotation.ofKey(name)); it is already given at line \(earlier.line)"))
            } else {
                first[name] = position
                entries.append(SourceNode.Entry(key: name, position: position, value: value))
            }
        }
        return entries
    }

    private static let knownTags: Set<String> = Set(
        ["", "!"] + ["str", "int", "bool", "float", "null"].map { "tag:yaml.org,2002:\($0)" })
}

extension SourceDocument.Problem {
    /// Takes the place and libyaml's fixed words; never Yams' own description, which quotes the line.
    fileprivate init(_ error: YamlError, in text: String) {
        switch error {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            // "while scanning a quoted scalar": a missing quotation mark is noticed far from where it is missing.
            let isElsewhere = context.map { $0.text.hasPrefix("while") && $0.mark.line != mark.line } ?? false
            let origin =
                context.map { "\($0.text)\(isElsewhere ? " that begins at line \($0.mark.line)" : ""), " } ?? ""
            let position = SourcePosition(line: mark.line, column: mark.column)
            let message = "YAML syntax: \(origin)\(problem)"
            self.init(position: position, message: message + SyntaxHint.of(message, at: position, in: text))
        case .reader(let problem, let offset, _, _):
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
