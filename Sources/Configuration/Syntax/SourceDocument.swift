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

/// A place in the file: line and column from 1, columns in Unicode scalars.
struct SourcePosition: Hashable, Comparable, Sendable {
    static let start = SourcePosition(line: 1, column: 1)

    let line: Int
    let column: Int

    static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// The parsed file: what Yams found, with positions, aliases followed, and each key once.
struct SourceNode {
    enum Content {
        /// `isPlain`: written without quotation marks, so that `5` is a number and `null` is nothing.
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

    /// What a message says was found.
    /// Where the text may be a secret, `isConcealed`, only its type is reported.
    func summary(isConcealed: Bool) -> String {
        switch content {
        case _ where isNull: "nothing"
        case .scalar(_, let isPlain) where isConcealed: isPlain ? "a plain value" : "a text"
        case .scalar(let text, let isPlain): (isPlain ? "" : "the text ") + Quotation.of(text)
        case .list where isConcealed: "a list"
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

/// Renames one key in the text of a file, in as many characters.
enum RepeatedKey {
    /// - Parameters:
    ///   - name: the key as YAML read it.
    ///   - position: where YAML says that it starts.
    ///   - scalars: the text; changed in place.
    ///   - number: makes the placeholder unique.
    /// - Returns: the placeholder, or nil where the text there is not literally the name (an alias, escapes).
    static func rename(
        _ name: String, at position: SourcePosition, in scalars: inout [Unicode.Scalar], number: Int
    ) -> String? {
        let wanted = Array(name.unicodeScalars)
        guard !wanted.isEmpty, let first = Unicode.Scalar(0xF0000 + UInt32(number)),
            var start = index(of: position, in: scalars)
        else { return nil }
        if start < scalars.count, scalars[start] == "\"" || scalars[start] == "'" { start += 1 }
        let end = start + wanted.count
        guard end <= scalars.count, Array(scalars[start..<end]) == wanted else { return nil }
        // Private-use characters: no honest key has them, and YAML lets them stand in a plain one.
        let placeholder = [first] + [Unicode.Scalar](repeating: "\u{F8000}", count: wanted.count - 1)
        scalars.replaceSubrange(start..<end, with: placeholder)
        return String(String.UnicodeScalarView(placeholder))
    }

    private static func index(of position: SourcePosition, in scalars: [Unicode.Scalar]) -> Int? {
        var line = 1
        var index = 0
        while line < position.line {
            guard index < scalars.count else { return nil }
            switch scalars[index] {
            case "\r":
                if index + 1 < scalars.count, scalars[index + 1] == "\n" { index += 1 }
                line += 1
            case "\n", "\u{85}", "\u{2028}", "\u{2029}":
                line += 1
            default: break
            }
            index += 1
        }
        index += position.column - 1
        return index <= scalars.count ? index : nil
    }
}

/// Yams compares the keys of a mapping while it parses, and follows aliases for that. A key made of aliases of aliases
/// would keep it busy for years, before any bound of ours is asked. So such a text is recognised beforehand, from its
/// characters alone; values made of aliases need no such care, they are counted when the tree is converted.
enum AliasExpansion {
    /// Nodes that Yams may have to look at for its keys; a second of work or so.
    private static let maximumWork = 20_000_000.0

    /// Whether the text may have a list, a mapping or an alias as a key, and aliases enough to make that expensive.
    ///
    /// It errs on the side of yes, for texts with many anchors that are used many times.
    static func isExcessive(_ text: String) -> Bool {
        guard text.contains("&"), text.contains("*") else { return false }
        var uses: [Substring: Int] = [:]
        for match in text.matches(of: #/\*([A-Za-z0-9_\-]+)/#) { uses[match.1, default: 0] += 1 }
        // If each anchor's content used the one before as often as that is used at all.
        let factor = uses.values.reduce(1.0) { $0 * Double($1 + 1) }
        guard factor * Double(text.utf8.count) > maximumWork else { return false }
        return text.contains(#/\?\s|\*[A-Za-z0-9_\-]+\s*:|[\]}]\s*:/#)
    }
}

/// What to change where YAML cannot be read; the line itself is never quoted, since it may hold a secret. libyaml's words
/// name what it was doing: what somebody did wrong shows in the line where it stopped, or just above.
enum SyntaxHint {
    /// - Parameters:
    ///   - message: libyaml's words.
    ///   - position: where it stopped.
    ///   - text: the whole file.
    /// - Returns: `; indent with blanks, not with tabs`, or nothing.
    static func of(_ message: String, at position: SourcePosition, in text: String) -> String {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let near = lines.prefix(position.line).suffix(2)
        guard let line = near.last else { return "" }
        let next = line.dropFirst(position.column - 1).first
        if next == "\t" || line.prefix(while: \.isWhitespace).contains("\t") {
            return "; indent with blanks, not with tabs"
        }
        if message.contains("alias") || message.contains("anchor") {
            return "; a text that begins with '*' or '&' needs quotation marks, such as \"*.example.com\""
        }
        if let next, "@`%".contains(next), message.contains("cannot start any token") {
            return "; a text that begins with '\(next)' needs quotation marks"
        }
        if near.contains(where: hasBareVariable) {
            return "; between { } or [ ] a variable needs quotation marks: \"${NAME}\""
        }
        if let index = near.lastIndex(where: lacksBlank) {
            return "; is a blank missing after the colon at line \(index + 1)?"
        }
        if let hint = indentation(message, at: position, lines) { return hint }
        if message.contains("mapping values are not allowed") {
            return "; a text with a colon and a blank in it needs quotation marks"
        }
        return ""
    }

    /// A key or an item that is indented otherwise than its neighbours: libyaml takes a deeper one for a part of the text above
    /// it, and a shallower one for the end of a block.
    private static func indentation(
        _ message: String, at position: SourcePosition, _ lines: [Substring]
    ) -> String? {
        let isDeeper = message.contains("mapping values are not allowed")
        guard isDeeper || message.contains("did not find expected key") || message.contains("did not find expected '-'")
        else { return nil }
        func depth(_ line: Substring) -> Int { line.prefix { $0 == " " }.count }
        let number = min(position.line, lines.count)
        guard number > 0, beginsEntry(lines[number - 1]) else { return nil }
        let own = depth(lines[number - 1])
        // The next line above that is neither blank nor a remark.
        let above = lines[..<(number - 1)].lastIndex { line in
            let content = line.drop { $0 == " " }
            return !content.isEmpty && !content.hasPrefix("#")
        }
        guard let above else { return nil }
        let other = depth(lines[above])
        if isDeeper {
            guard own > other, !lines[above].hasSuffix(":") else { return nil }
            return "; line \(number) is indented deeper than line \(above + 1): give both the same blanks"
        }
        guard own != other else { return nil }
        return
            "; line \(number) begins with \(own) \(own == 1 ? "blank" : "blanks"), which fits no line above it: indent it as "
            + "its neighbours"
    }

    /// `key:` or `- item`.
    private static func beginsEntry(_ line: Substring) -> Bool {
        let content = line.drop { $0 == " " }
        if content.hasPrefix("- ") || content == "-" { return true }
        let rest = content.drop { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        return rest.count < content.count && (rest == ":" || rest.hasPrefix(": "))
    }

    /// `${` outside quotation marks, in a line with a flow collection around it.
    private static func hasBareVariable(_ line: Substring) -> Bool {
        var quote: Character?
        var depth = 0
        var last: Character?
        for character in line {
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "\"" || character == "'" {
                quote = character
            } else if character == "{", last == "$" {
                if depth > 0 { return true }
            } else if "{[".contains(character) {
                depth += 1
            }
            last = character
        }
        return false
    }

    /// `key:value`, where a URL or a time of day is no key.
    static func lacksBlank(_ line: Substring) -> Bool {
        let content = line.drop { $0 == " " || $0 == "-" }
        let key = content.prefix { $0.isASCII && ($0.isLetter || $0 == "_") }
        let rest = content.dropFirst(key.count)
        guard !key.isEmpty, rest.first == ":", let next = rest.dropFirst().first else { return false }
        return !next.isWhitespace && !rest.hasPrefix("://")
    }
}
