// Changes that might mend a text. A cause is claimed only where its change takes the parser past the fault.

/// A cause, and where to change the text: where the parser stopped, if nothing else is said.
struct LocatedCause {
    let cause: JSONSyntaxError.Cause
    var range: Range<Int>?
    var opening: Range<Int>?

    init(_ cause: JSONSyntaxError.Cause, at range: Range<Int>? = nil, opening: Range<Int>? = nil) {
        self.cause = cause
        self.range = range
        self.opening = opening
    }
}

/// A change of the text, and the cause that it speaks for.
struct JSONRepair {
    let located: LocatedCause
    /// In the order of the text; they do not overlap.
    let edits: [Edit]
    /// Where the words end that the cause is about: a token behind them must be passed. nil: two at the fault must be.
    var end: Int?

    struct Edit {
        let range: Range<Int>
        let text: [UInt8]

        init(_ range: Range<Int>, _ text: [UInt8]) { (self.range, self.text) = (range, text) }

        init(_ range: Range<Int>, _ text: String) { self.init(range, Array(text.utf8)) }

        static func insert(_ text: String, at place: Int) -> Edit { Edit(place..<place, text) }

        static func delete(_ range: Range<Int>) -> Edit { Edit(range, []) }
    }

    init(
        _ cause: JSONSyntaxError.Cause, at range: Range<Int>? = nil, opening: Range<Int>? = nil, _ edits: [Edit],
        past end: Int? = nil
    ) {
        located = LocatedCause(cause, at: range, opening: opening)
        (self.edits, self.end) = (edits, end)
    }

    init(
        _ cause: JSONSyntaxError.Cause, at range: Range<Int>? = nil, opening: Range<Int>? = nil, _ edits: Edit...
    ) {
        self.init(cause, at: range, opening: opening, edits)
    }
}

extension JSONParser {
    /// In larger texts no repair is tried: each costs a run of the parser, and devices refuse them anyway.
    static let largestMended = 2 * AssociationFile.sizeLimit

    /// The cause whose repair takes the parser furthest; of several that come as far, the first. None where none of them
    /// takes it past the fault.
    func best(of repairs: [JSONRepair]) -> LocatedCause? {
        guard isDiagnosing, bytes.count <= Self.largestMended else { return nil }
        var best: (reach: Int, repair: JSONRepair)?
        for repair in repairs {
            let reach = reach(repair.edits)
            if reach > best?.reach ?? -1 { best = (reach, repair) }
            // No other comes further.
            if reach == .max { break }
        }
        guard let best, best.reach == .max || passesTokens(best.repair.end, to: best.reach) else {
            return nil
        }
        return best.repair.located
    }

    func best(_ repairs: JSONRepair...) -> LocatedCause? { best(of: repairs) }

    /// A cause that holds where one repair mends the text, or takes the parser past the fault.
    func holds(_ cause: JSONSyntaxError.Cause, at range: Range<Int>? = nil, if edits: JSONRepair.Edit...)
        -> LocatedCause?
    {
        best(JSONRepair(cause, at: range, edits))
    }

    /// Whether the text is JSON after a change.
    func isMended(by edits: [JSONRepair.Edit]) -> Bool { bytes.count <= Self.largestMended && reach(edits) == .max }

    /// How far the text is JSON after a change, in bytes of the text as it is; `.max` where it is JSON to its end.
    private func reach(_ edits: [JSONRepair.Edit]) -> Int {
        var mended: [UInt8] = []
        mended.reserveCapacity(bytes.count + 64)
        var place = 0
        for edit in edits {
            mended += bytes[place..<edit.range.lowerBound]
            mended += edit.text
            place = edit.range.upperBound
        }
        mended += bytes[place...]
        var parser = JSONParser(bytes: mended)
        parser.isDiagnosing = false
        do {
            _ = try parser.parseDocument()
            return .max
        } catch {
            return original(of: error.offset, edits)
        }
    }

    /// A place of the changed text in the text as it is.
    private func original(of offset: Int, _ edits: [JSONRepair.Edit]) -> Int {
        var growth = 0
        for edit in edits {
            let start = edit.range.lowerBound + growth
            if offset < start { break }
            if offset < start + edit.text.count { return edit.range.lowerBound }
            growth += edit.text.count - edit.range.count
        }
        return offset - growth
    }

    /// Whether enough tokens lie before a place: one at the fault may be passed by chance.
    private func passesTokens(_ start: Int?, to end: Int) -> Bool {
        var scanner = JSONTokens(bytes: bytes, from: start ?? index)
        var (count, enough) = (0, start == nil ? 2 : 1)
        while count < enough, let token = scanner.next(), token.range.upperBound <= end { count += 1 }
        return count == enough
    }
}

/// The tokens of a text that need not be JSON: signs, strings and runs of anything else.
struct JSONTokens {
    struct Token {
        let range: Range<Int>
        let sign: UInt8
        /// Whether only blanks stand before it on its line, and how many bytes of them.
        let indentation: Int?
    }

    let bytes: [UInt8]
    private var index: Int
    /// Where the line begins, while nothing but blanks was met on it.
    private var lineStart: Int?

    init(bytes: [UInt8], from start: Int = 0) {
        self.bytes = bytes
        index = start
        lineStart = start == 0 ? 0 : nil
    }

    static let signs = Set(",:[]{}".utf8)

    mutating func next() -> Token? {
        while index < bytes.count, JSONParser.isBlank(bytes[index]) {
            if bytes[index] == 0x0A || bytes[index] == 0x0D { lineStart = index + 1 }
            index += 1
        }
        guard index < bytes.count else { return nil }
        let (start, sign) = (index, bytes[index])
        let indentation = lineStart.map { start - $0 }
        lineStart = nil
        index += 1
        if sign == UInt8(ascii: "\"") {
            while index < bytes.count, bytes[index] != sign, bytes[index] != 0x0A, bytes[index] != 0x0D {
                index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
            }
            index = min(bytes.count, index < bytes.count && bytes[index] == sign ? index + 1 : index)
        } else if !Self.signs.contains(sign) {
            while index < bytes.count, !JSONParser.isBlank(bytes[index]), !Self.signs.contains(bytes[index]),
                bytes[index] != UInt8(ascii: "\"")
            { index += 1 }
        }
        return Token(range: start..<index, sign: sign, indentation: indentation)
    }
}

extension JSONParser {
    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

    /// Where a text stands next. Written out: the library's search takes many seconds in a megabyte.
    func next(_ text: String, from start: Int, to end: Int? = nil) -> Range<Int>? {
        let wanted = Array(text.utf8)
        let last = (end ?? bytes.count) - wanted.count
        var place = start
        while place <= last {
            if bytes[place] == wanted[0], bytes[place...].starts(with: wanted) { return place..<place + wanted.count }
            place += 1
        }
        return nil
    }

    func sign(of byte: UInt8) -> String { String(UnicodeScalar(byte)) }

    func signs(of bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    func hasLineBreak(_ range: Range<Int>) -> Bool { bytes[range].contains { $0 == 0x0A || $0 == 0x0D } }

    func endOfToken(before place: Int) -> Int {
        var place = place
        while place > 0, Self.isBlank(bytes[place - 1]) { place -= 1 }
        return place
    }

    /// Whether only blanks stand before a place on its line.
    func isFirstOnLine(_ place: Int) -> Bool {
        var place = place
        while place > 0, bytes[place - 1] == 0x20 || bytes[place - 1] == 0x09 { place -= 1 }
        return place == 0 || bytes[place - 1] == 0x0A || bytes[place - 1] == 0x0D
    }

    /// The end of the line of a place, without the line break.
    func endOfLine(_ place: Int) -> Int { bytes[place...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count }

    /// The bracket that closes the one at a place, whatever stands between; nil where none does.
    func closing(of opening: Int) -> Int? {
        var tokens = JSONTokens(bytes: bytes, from: opening)
        var depth = 0
        while let token = tokens.next() {
            switch token.sign {
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                depth -= 1
                if depth == 0 { return token.range.lowerBound }
            default: break
            }
        }
        return nil
    }
}
