// Finds forms of foreign notations in a pattern.

/// Reads a pattern as its author may have meant it, and writes what Apple's notation has for it.
struct NotationReader {
    struct Found {
        let kind: ForeignNotation.Kind
        let part: String
        let meaning: String
    }

    private let text: [Unicode.Scalar]
    /// For each opening bracket its closing one.
    private let closings: [Int: Int]
    private let part: PatternSite.Part
    private let isExclusion: Bool
    private let isPercentEncoded: Bool
    private let names: ForeignNotation.VariableNames
    /// Whether the pattern is known to be a regular expression, so that `.*` is no dot and a wildcard.
    private var isExpression = false
    private(set) var sure: Found?
    private(set) var unsure: Found?
    private(set) var holdsExpression = false
    /// Whether all of it has a form in Apple's notation.
    private(set) var isTold = true

    /// Of brackets within brackets.
    private static let maximumDepth = 8
    /// Scalars of a name, or of what a bracket is looked through for.
    private static let maximumReach = 100

    init(
        _ text: String, _ part: PatternSite.Part, isExclusion: Bool, isPercentEncoded: Bool,
        names: ForeignNotation.VariableNames
    ) {
        self.text = Array(text.unicodeScalars)
        self.part = part
        self.isExclusion = isExclusion
        self.isPercentEncoded = isPercentEncoded
        self.names = names
        closings = Self.closings(self.text)
    }

    private static func closings(_ text: [Unicode.Scalar]) -> [Int: Int] {
        var closings: [Int: Int] = [:]
        var open: [(index: Int, closing: Unicode.Scalar)] = []
        var index = 0
        while index < text.count {
            switch text[index] {
            case "\\": index += 1
            case "$" where index + 1 < text.count && text[index + 1] == "(":
                // A variable ends at the first bracket.
                guard let close = text[index...].firstIndex(of: ")") else { return closings }
                closings[index + 1] = close
                index = close
            case "(": open.append((index, ")"))
            case "[": open.append((index, "]"))
            case "{": open.append((index, "}"))
            case ")", "]", "}":
                if let last = open.suffix(maximumDepth).lastIndex(where: { $0.closing == text[index] }) {
                    // What is nested deeper is not read.
                    if last < maximumDepth { closings[open[last].index] = index }
                    open.removeSubrange(last...)
                }
            default: break
            }
            index += 1
        }
        return closings
    }

    /// From now on.
    mutating func readsExpression() {
        isExpression = true
        isTold = true
    }

    mutating func readAll() -> [String] { read(0..<text.count, depth: 0) }

    private mutating func read(_ range: Range<Int>, depth: Int) -> [String] {
        guard depth <= Self.maximumDepth else {
            isTold = false
            return [""]
        }
        if let choice = choice(in: range, depth: depth) { return choice }
        var texts = [""]
        var index = range.lowerBound
        while index < range.upperBound {
            if text[index] == "$", at(index + 1) == "(", let close = closings[index + 1] {
                append([string(index..<close + 1)], to: &texts)
                index = close + 1
            } else if let match = match(at: index, before: range.upperBound, depth) {
                note(match.form, index..<match.end, variable(of: match))
                append(apple(match, at: index, depth), to: &texts)
                index = match.end
            } else {
                append([String(text[index])], to: &texts)
                index += 1
            }
        }
        return texts
    }

    private mutating func append(_ more: [String], to texts: inout [String]) {
        guard texts.count * more.count <= ForeignNotation.maximumPatterns else {
            isTold = false
            return
        }
        texts = texts.flatMap { text in more.map { text + $0 } }
    }

    private mutating func note(_ form: NotationForm, _ range: Range<Int>, _ variable: String? = nil) {
        let found = Found(
            kind: variable == nil ? form.kind : .route, part: string(range),
            meaning: variable.map { "not how a pattern names the variable \(Quoted.json($0))" } ?? form.meaning)
        if found.kind == .perhapsRoute {
            if unsure == nil { unsure = found }
        } else if sure == nil || sure?.part == "^" {
            // What stands behind the beginning tells more.
            sure = found
        }
        if found.kind == .expression { holdsExpression = true }
    }

    /// `en|de` outside of brackets: a choice between whole texts where each begins with a slash, else between segments.
    private mutating func choice(in range: Range<Int>, depth: Int) -> [String]? {
        // A decoded URL may hold the sign.
        guard isPercentEncoded || depth > 0 else { return nil }
        var bars: [Int] = []
        var index = range.lowerBound
        while index < range.upperBound {
            if text[index] == "|" { bars.append(index) }
            index = (closings[index] ?? index) + 1
        }
        guard let first = bars.first else { return nil }
        func parts(_ range: Range<Int>) -> [Range<Int>] {
            let bars = bars.filter(range.contains)
            return zip([range.lowerBound] + bars.map { $0 + 1 }, bars + [range.upperBound]).map { $0..<$1 }
        }
        var (start, end) = (range.lowerBound, range.upperBound)
        if depth == 0, !parts(range).dropFirst().allSatisfy({ at($0.lowerBound) == "/" || at($0.lowerBound) == "^" }) {
            start = text[..<first].lastIndex(where: isDivider).map { $0 + 1 } ?? start
            end = text[first...].firstIndex(where: isDivider) ?? end
        }
        note(NotationForm.bareChoice, start..<end)
        var texts = read(range.lowerBound..<start, depth: depth + 1)
        append(parts(start..<end).flatMap { read($0, depth: depth + 1) }, to: &texts)
        append(read(end..<range.upperBound, depth: depth + 1), to: &texts)
        return texts
    }
}

// How a form is found.
extension NotationReader {
    private struct Match {
        let form: NotationForm
        var end: Int
        var name: Range<Int>?
        var content: Range<Int>?
        /// The sign behind a character or a class.
        var repetition: Range<Int>?
    }

    private func match(at start: Int, before end: Int, _ depth: Int) -> Match? {
        for form in NotationForm.byFirst[text[start]] ?? [] {
            if let match = match(form, at: start), match.end <= end, stands(match, at: start, depth) { return match }
        }
        return nil
    }

    private func match(_ form: NotationForm, at place: Int) -> Match? {
        var match = Match(form: form, end: place)
        var (start, closing): (Int?, Int?)
        for (index, sign) in form.shape.enumerated() {
            switch sign {
            case "§":
                guard let end = endOfName(match.end) else { return nil }
                match.name = match.end..<end
                match.end = end
            case "‹": start = match.end
            case "…":
                let behind = form.shape[(index + 1)...]
                let end: Int?
                if let closing {
                    let bracket = behind.firstIndex { ")]}".unicodeScalars.contains($0) } ?? index + 1
                    end = closing - (bracket - index - 1)
                } else {
                    end = text[match.end...].prefix(Self.maximumReach).firstIndex { $0 == behind.first }
                }
                guard let end, end > match.end else { return nil }
                match.content = (start ?? match.end)..<end
                match.end = end
            default:
                guard let scalar = at(match.end), scalar == sign || form.isEscape && sign.isUpperCase(of: scalar)
                else {
                    return nil
                }
                if let bracket = closings[match.end] { closing = bracket }
                match.end += 1
            }
        }
        switch form.apple {
        case .unit, .unitOfClass:
            let end: Int? =
                switch at(match.end) {
                case "+", "*", "?": match.end + 1
                case "{": closings[match.end].map { $0 + 1 }
                default: nil
                }
            match.repetition = end.map { match.end..<$0 }
            match.end = end ?? match.end
        case .text, .optional, .content, .optionalContent, .words, .untold: break
        }
        return match
    }

    private func stands(_ match: Match, at start: Int, _ depth: Int) -> Bool {
        let (places, end) = (match.form.places, match.end)
        if places.contains(.begins), !isDivider(at: start - 1) { return false }
        if places.contains(.begin), !isDivider(at: start - 1), part != .path || !isDash(start - 1) { return false }
        if places.contains(.ends), !isDivider(at: end) { return false }
        if places.contains(.end), !isDivider(at: end), !(at(end).map { ".-,)".unicodeScalars.contains($0) } ?? false) {
            return false
        }
        if places.contains(.path), part != .path, part != .fragment { return false }
        if places.contains(.first), start != 0 { return false }
        if places.contains(.last), end != text.count { return false }
        if places.contains(.expression), !isExpression, depth == 0 { return false }
        // Hidden files may be excluded; nobody opens one.
        if places.contains(.open), isExclusion, text[..<start].allSatisfy({ $0 == "/" || $0 == "*" }) { return false }
        if places.contains(.holdsExpression), !isExpressive(match.content) { return false }
        if places.contains(.counts), !counts(match.content, behind: start) { return false }
        switch match.form.apple {
        case .words(let divider): return words(match, by: divider, at: start) != nil
        case .unitOfClass: return isClass(match, depth)
        case .text, .untold, .unit, .optional, .content, .optionalContent: break
        }
        if match.form.kind == .perhapsRoute, let name = match.name { return isRouters(string(name), at: start) }
        // A class of letters looks like a parameter.
        if text[start] == "[", match.form.kind == .route, let name = match.name {
            return !ExpressionClass.consistsOfRanges(string(name))
        }
        return true
    }

    private func isDash(_ index: Int) -> Bool { at(index).map { "-.@(~,".unicodeScalars.contains($0) } ?? false }

    /// Whether brackets hold what only a regular expression has.
    private func isExpressive(_ content: Range<Int>?) -> Bool {
        guard let content else { return false }
        let text = string(content.prefix(Self.maximumReach))
        return text.utf8.contains { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "|") }
            || [".*", ".+", "]+", "]*", "]{", "(?:", "0-9", "a-z", "A-Z"].contains { text.contains($0) }
    }

    /// The words of a text such as `en|de`.
    private func words(_ match: Match, by divider: Unicode.Scalar, at start: Int) -> [String]? {
        guard let content = match.content else { return nil }
        let words = text[content].split(separator: divider, omittingEmptySubsequences: false)
        // Figures are a choice where nothing stands before them that they could count.
        let isChoice =
            words.contains { $0.contains(where: \.isLetter) }
            || divider == "," && isDivider(at: start - 1) && words.allSatisfy { !$0.isEmpty }
        guard words.count > 1, isChoice,
            words.allSatisfy({ $0.allSatisfy { $0.isInName || "-./*".unicodeScalars.contains($0) } })
        else { return nil }
        return words.map { string($0.indices) }
    }

    private func isClass(_ match: Match, _ depth: Int) -> Bool {
        guard let content = match.content else { return false }
        let text = string(content.prefix(Self.maximumReach))
        let isRepeated = match.repetition.map { string($0) != "?" } ?? false
        let isLikely = part == .path || part == .fragment || depth > 0 || isExpression
        return isLikely
            ? isRepeated || ExpressionClass.isOne(text) || ExpressionClass.consistsOfRanges(text)
            : isRepeated && ExpressionClass.isOne(text)
    }

    /// Whether figures in brackets count what stands before them. Alone they are a format's.
    private func counts(_ content: Range<Int>?, behind start: Int) -> Bool {
        guard let content, let before = at(start - 1), !isDivider(before),
            text[content].allSatisfy({ ("0"..."9").contains($0) || $0 == "," })
        else { return false }
        let isOfFormat = ["0", "1"].contains(string(content)) || string(0..<start).contains("{0}")
        return text[content].contains(",") || before == ")" || before == "." || !isOfFormat
    }

    /// Whether what begins with this sign has a name that is a router's: it may stand in a URL as well.
    private func isRouters(_ name: String, at start: Int) -> Bool {
        let isFirst = text[..<start].allSatisfy { $0 == "/" }
        switch text[start] {
        case "$": return RouterName.isBehindDollar(name, isFirst: isFirst)
        case "*": return RouterName.isRest(name, isFirst: isFirst)
        case "(": return RouterName.isGroup(name, isFirst: isBehindGroups(start))
        default: return RouterName.isParameter(name)
        }
    }

    /// Whether nothing but groups stands before a place.
    private func isBehindGroups(_ start: Int) -> Bool {
        var isInGroup = false
        for scalar in text[..<start] {
            if scalar == "(" { isInGroup = true }
            if !isInGroup, scalar != "/" { return false }
            if scalar == ")" { isInGroup = false }
        }
        return true
    }
}

// What is written in place of a form.
extension NotationReader {
    /// The file's variable that a placeholder of this name most likely means.
    private func variable(of match: Match) -> String? {
        guard !names.isEmpty, match.form.kind != .expression, let name = name(of: match) else { return nil }
        return names[ExactText(name)]
    }

    private func name(of match: Match) -> String? {
        (match.name ?? match.content).map { string($0.prefix(Self.maximumReach)).trimmingBlanks.lowercased() }
    }

    /// Apple's own variable of this name.
    private func predefined(_ match: Match) -> String? {
        guard case .text(let text) = match.form.apple, text.isEmpty else {
            return name(of: match).flatMap { ["lang", "region"].contains($0) ? $0 : nil }
        }
        return nil
    }

    private mutating func apple(_ match: Match, at start: Int, _ depth: Int) -> [String] {
        let variable = variable(of: match) ?? predefined(match)
        let value = variable.map { "$(\($0))" } ?? "?*"
        switch match.form.apple {
        case .text("") where variable != nil: return [value]
        case .text(let text): return [text.replacing("?*", with: value)]
        case .optional: return optional(value, start..<match.end)
        case .content, .optionalContent:
            let content = match.content.map { read($0, depth: depth + 1) } ?? []
            if case .optionalContent = match.form.apple { return [""] + content }
            return content
        case .words(let divider): return words(match, by: divider, at: start) ?? []
        case .unit(let unit): return [repeated(unit, match.repetition)]
        case .unitOfClass:
            return [repeated(match.content.map { ExpressionClass.unit(of: string($0)) } ?? "?", match.repetition)]
        case .untold:
            isTold = false
            return [""]
        }
    }
}

// Small looks at the text.
extension NotationReader {
    /// A value that may be absent: at the end "*" takes both, elsewhere each needs a pattern.
    private func optional(_ value: String, _ range: Range<Int>) -> [String] {
        guard part == .path, isDivider(at: range.lowerBound - 1), isDivider(at: range.upperBound) else { return ["*"] }
        return range.upperBound == text.count ? ["*"] : ["", value]
    }

    private func repeated(_ unit: String, _ repetition: Range<Int>?) -> String {
        guard let sign = repetition.map(string) else { return unit }
        if sign == "+" { return "?*" }
        let counts = sign.utf8.dropFirst().dropLast().split(
            separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard let count = counts.first.flatMap({ String($0) }).flatMap({ Int($0) }), count <= 16 else { return "*" }
        return String(repeating: unit, count: count) + (counts.count > 1 ? "*" : "")
    }

    private func at(_ index: Int) -> Unicode.Scalar? { text.indices.contains(index) ? text[index] : nil }

    private func string(_ range: Range<Int>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: text[range])
        return String(view)
    }

    private func isDivider(at index: Int) -> Bool { at(index).map(isDivider) ?? true }

    private func isDivider(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "/" || part != .path && (scalar == "=" || scalar == "&")
    }

    /// Where a name that begins here ends; hyphens may stand between its letters.
    private func endOfName(_ start: Int) -> Int? {
        guard let first = at(start), first.isLetter else { return nil }
        var end = start + 1
        func isInName(_ index: Int) -> Bool { at(index)?.isInName ?? false }
        while isInName(end) || at(end) == "-" && isInName(end + 1) {
            end += 1
            if end - start > Self.maximumReach { return nil }
        }
        return end
    }
}

/// Names that routers have for the parts of a path, behind signs that may stand in a URL as well.
enum RouterName {
    /// Parameters begin in lower case; titles of pages do not.
    static func isParameter(_ name: String) -> Bool {
        (name.unicodeScalars.first?.properties.isLowercase ?? false) || name.lowercased() == "id"
            || name.hasSuffix("Id") || name.hasSuffix("ID")
    }

    /// Signs of shares and words of OData stand behind a dollar, too; in the first folder, names of people.
    static func isBehindDollar(_ name: String, isFirst: Bool) -> Bool {
        isParameter(name) && !words.contains(name)
            && (!isFirst || usual.contains(name.lowercased()) || isCompound(name))
    }

    /// What real patterns do not have behind a wildcard, such as `*path`. They have `*html`.
    static func isRest(_ name: String, isFirst: Bool) -> Bool {
        rests.contains(name.lowercased()) || !isFirst && (name == "id" || isCompound(name))
    }

    /// A title in brackets is no group of routes.
    static func isGroup(_ name: String, isFirst: Bool) -> Bool {
        name == name.lowercased() && (isFirst || groups.contains(name))
    }

    /// Such as `userId`.
    private static func isCompound(_ name: String) -> Bool {
        (name.unicodeScalars.first?.properties.isLowercase ?? false)
            && ["Id", "ID", "Slug", "Name", "Path"].contains { name.hasSuffix($0) }
    }

    private static let words: Set<String> = [
        "metadata", "batch", "value", "count", "ref", "links", "entity", "all", "web",
    ]

    private static let usual: Set<String> = [
        "id", "uuid", "slug", "splat", "lang", "locale", "path", "user", "username", "handle", "category", "tag",
    ]

    private static let rests: Set<String> = [
        "path", "splat", "rest", "slug", "catchall", "filepath", "glob", "wildcard", "any",
    ]

    private static let groups: Set<String> = [
        "app", "auth", "authenticated", "dashboard", "drawer", "home", "main", "marketing", "modal", "modals",
        "onboarding", "private", "protected", "public", "root", "site", "stack", "tabs",
    ]
}

/// What stands in the square brackets of a regular expression.
enum ExpressionClass {
    /// Whether it is what nothing else has in such brackets.
    static func isOne(_ text: String) -> Bool {
        ["a-z", "A-Z", "0-9", "1-9", "a-f", "A-F", "\\", "[:"].contains { text.contains($0) } || text.hasPrefix("^")
    }

    /// Whether a text that may be a name consists of ranges such as `a-z`, or of letters in a row such as `abc`.
    static func consistsOfRanges(_ text: String) -> Bool {
        let scalars = text.unicodeScalars.filter { $0 != "_" }.map(\.value)
        guard scalars.count > 2 else { return false }
        if zip(scalars, scalars.dropFirst()).allSatisfy({ $0 + 1 == $1 }) { return true }
        return scalars.count % 3 == 0
            && stride(from: 0, to: scalars.count, by: 3).allSatisfy {
                scalars[$0 + 1] == UInt32(UInt8(ascii: "-")) && scalars[$0] < scalars[$0 + 2]
            }
    }

    /// One character of it.
    static func unit(of text: String) -> String {
        switch text {
        case "0-9", "\\d", "[:digit:]": "$(digit)"
        case "a-z": "$(lower)"
        case "A-Z": "$(upper)"
        case "a-zA-Z", "A-Za-z", "[:alpha:]": "$(alpha)"
        case "a-zA-Z0-9", "A-Za-z0-9", "0-9a-zA-Z", "0-9A-Za-z", "[:alnum:]": "$(alnum)"
        case "0-9a-fA-F", "0-9A-Fa-f", "a-fA-F0-9", "A-Fa-f0-9": "$(xdigit)"
        default: "?"
        }
    }
}

extension Unicode.Scalar {
    var isLetter: Bool { properties.isAlphabetic || self == "_" }

    /// Whether it may stand in a name behind a letter.
    var isInName: Bool {
        isLetter || properties.numericType != nil || properties.generalCategory == .nonspacingMark
    }

    /// Whether it is the hexadecimal digit that the other is in lower case.
    func isUpperCase(of other: Unicode.Scalar) -> Bool { ("A"..."F").contains(self) && other.value == value + 32 }
}
