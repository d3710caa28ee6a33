// One search over all rules at once. It distinguishes URLs by the state that each rule's automaton is in, and finds the
// states breadth first, so that the first URL of each kind is the shortest one.

/// One rule of a program. A program is the rules of an app or an entry, in order.
struct ProgramStep: Hashable {
    /// The index of the rule's language in the search.
    let language: Int32
    let isExclusion: Bool
    /// The index of the rule in the list that the program was built from.
    let index: Int
}

/// The part of a program that still matters, in order: the steps whose languages can still match.
struct Remainder {
    var steps: [ProgramStep] = []
    /// Whether the last step matches every continuation.
    var isDecided = false
}

struct JointSearch {
    /// Drops what no longer matters. False if nothing of interest can follow.
    typealias Reduction = (inout [Remainder]) -> Bool
    /// Called where a URL can end, with each program's deciding step or nil, and the URL. False stops the search.
    typealias Arrival = ([ProgramStep?], () -> String) -> Bool

    private let languages: [RuleLanguage]
    private let programs: [SearchProgram]
    private let alphabets: [URLAlphabet]
    private let visits: Int
    private let meter: WorkMeter

    private struct Node {
        let key: [Int32]
        var parent: Int
        var byte: UInt8
        var tier: Int
        var length: Int
        var isExpanded = false
    }

    /// Pseudo characters at the start of the query and the fragment.
    private static let queryMark: UInt8 = 1
    private static let fragmentMark: UInt8 = 2

    /// The state of each language in the node under construction, and whether it matters there.
    private var current: [Int32]
    private var isKept: [Bool]
    private var nodes: [Node] = []
    /// The first node of each joint state, and how many nodes have that state.
    private var numbers: [[Int32]: (first: Int, count: Int)] = [:]
    private var queue = SearchQueue()
    private var taken = 0

    /// Each program has at most one step for each language. `visits` limits how often the search continues from the
    /// same joint state: 1 to decide a question, more to find several similar URLs.
    init(
        _ languages: [RuleLanguage], programs: [[ProgramStep]], visits: Int, meter: WorkMeter
    ) {
        self.languages = languages
        self.programs = programs.map { SearchProgram($0, languages: languages.count) }
        alphabets = [URLPhase.path, .query, .fragment].map { phase in
            URLAlphabet(languages.flatMap { $0.machines[phase.rawValue]?.labels ?? [] }, phase)
        }
        self.visits = visits
        current = Array(repeating: PartState.dead, count: languages.count)
        isKept = Array(repeating: false, count: languages.count)
        self.meter = meter
    }

    /// - Throws: if the budget runs out. Results reported before that are still valid.
    mutating func run(_ reduce: Reduction, _ reached: Arrival) throws(LanguageBudget.Exhausted) {
        // The next search can reuse the memory of the nodes.
        defer { meter.giveBack(taken) }
        let live = languages.indices.map { (Int32($0), languages[$0].start(of: .path)) }
        try push(live, .path, .start, from: -1, byte: 0, tier: 0, length: 0, reduce)
        while let number = queue.popFirst() {
            if nodes[number].isExpanded { continue }
            nodes[number].isExpanded = true
            guard try expand(number, reduce, reached) else { return }
        }
    }

    private mutating func expand(
        _ number: Int, _ reduce: Reduction, _ reached: Arrival
    ) throws(LanguageBudget.Exhausted) -> Bool {
        let node = nodes[number]
        guard let phase = URLPhase(rawValue: Int(node.key[0] >> 3)),
            let place = UniversePlace(rawValue: node.key[0] & 7)
        else { return true }
        var live: [(Int32, Int32)] = []
        for index in stride(from: 1, to: node.key.count, by: 2) { live.append((node.key[index], node.key[index + 1])) }
        if place.mayEnd(phase) {
            guard try end(number, live, phase, place, reduce, reached) else { return false }
        }
        let alphabet = alphabets[phase.rawValue]
        let targets = try targets(of: live, phase, alphabet)
        for (symbol, states) in zip(alphabet.symbols, targets) {
            guard let next = place.step(symbol.byte, phase, isStarPlain: alphabet.isStarPlain) else { continue }
            try meter.spend(2 + states.count)
            try push(
                states, phase, next, from: number, byte: symbol.byte, tier: node.tier + symbol.tier,
                length: node.length + 1, reduce)
        }
        return true
    }

    /// The targets of each symbol, computed language by language: most languages continue with only one character.
    private func targets(
        of live: [(Int32, Int32)], _ phase: URLPhase, _ alphabet: URLAlphabet
    ) throws(LanguageBudget.Exhausted) -> [[(Int32, Int32)]] {
        var targets = [[(Int32, Int32)]](repeating: [], count: alphabet.symbols.count)
        for (number, state) in live {
            let language = languages[Int(number)]
            var bytes = language.possible(state, in: phase).intersection(alphabet.bytes)
            try meter.spend(1 + bytes.count)
            while let byte = bytes.popFirst() {
                let target = try language.step(state, byte, in: phase)
                if target != PartState.dead { targets[alphabet.places[Int(byte)]].append((number, target)) }
            }
        }
        return targets
    }

    /// Reports the URL that ends here, and continues with the query and the fragment.
    private mutating func end(
        _ number: Int, _ live: [(Int32, Int32)], _ phase: URLPhase, _ place: UniversePlace, _ reduce: Reduction,
        _ reached: Arrival
    ) throws(LanguageBudget.Exhausted) -> Bool {
        let node = nodes[number]
        var states = live
        var last = phase
        while true {
            // In a URL that ends here the later parts are empty: each language must accept those too.
            states = states.compactMap { language, state in
                let next = languages[Int(language)].end(state, of: last)
                return next == PartState.dead ? nil : (language, next)
            }
            guard let next = URLPhase(rawValue: last.rawValue + 1) else { break }
            last = next
            // An empty query equals no query: the search reached its continuation from the path.
            let isRepeated = phase == .query && place == .start
            // If all are decided, a query or fragment changes nothing.
            if !isRepeated, states.contains(where: { $0.1 != PartState.decided }) {
                try push(
                    states, next, .start, from: number,
                    byte: next == .query ? Self.queryMark : Self.fragmentMark, tier: node.tier, length: node.length + 1,
                    reduce)
            }
        }
        let deciders = programs.map { $0.first(of: states) }
        let nodes = nodes
        return reached(deciders) { Self.url(upTo: number, nodes) }
    }

    private mutating func push(
        _ live: [(Int32, Int32)], _ phase: URLPhase, _ place: UniversePlace, from parent: Int, byte: UInt8, tier: Int,
        length: Int, _ reduce: Reduction
    ) throws(LanguageBudget.Exhausted) {
        for (language, state) in live { current[Int(language)] = state }
        defer { for (language, _) in live { current[Int(language)] = PartState.dead } }
        var remainders = programs.map { $0.remainder(live, current) }
        guard reduce(&remainders) else { return }
        for remainder in remainders { for step in remainder.steps { isKept[Int(step.language)] = true } }
        var key: [Int32] = [Int32(phase.rawValue) << 3 | place.rawValue]
        key.reserveCapacity(1 + 2 * live.count)
        for (language, state) in live where isKept[Int(language)] {
            isKept[Int(language)] = false
            key.append(language)
            key.append(state)
        }
        if let (known, count) = numbers[key], count >= visits {
            // A better way to a node that still waits. Its former entry stays in the queue, and `run` skips it later.
            guard visits == 1, !nodes[known].isExpanded,
                (tier, length) < (nodes[known].tier, nodes[known].length)
            else { return }
            (nodes[known].parent, nodes[known].byte) = (parent, byte)
            (nodes[known].tier, nodes[known].length) = (tier, length)
            enqueue(known)
            return
        }
        guard nodes.count < meter.states else { throw LanguageBudget.Exhausted() }
        try meter.spend(20)
        // A node, its entries in the queue and the table, and the key that both store.
        let bytes = 256 + 4 * key.count
        taken += bytes
        try meter.take(bytes)
        numbers[key, default: (nodes.count, 0)].count += 1
        nodes.append(Node(key: key, parent: parent, byte: byte, tier: tier, length: length))
        enqueue(nodes.count - 1)
    }

    private mutating func enqueue(_ number: Int) {
        queue.insert(number, tier: nodes[number].tier, length: nodes[number].length)
    }

    private static func url(upTo number: Int, _ nodes: [Node]) -> String {
        var bytes: [UInt8] = []
        var current = number
        while current >= 0, nodes[current].parent >= 0 {
            switch nodes[current].byte {
            case queryMark: bytes.append(UInt8(ascii: "?"))
            case fragmentMark: bytes.append(UInt8(ascii: "#"))
            case let byte: bytes.append(byte)
            }
            current = nodes[current].parent
        }
        return String(decoding: bytes.reversed(), as: UTF8.self)
    }
}

/// Nodes by tier, then by length, then in insertion order. A heap, because the lengths can be many and far apart.
private struct SearchQueue {
    private var heap: [Item] = []
    private var count = 0

    private struct Item {
        let tier: Int
        let length: Int
        let order: Int
        let number: Int

        func isBefore(_ other: Item) -> Bool {
            (tier, length, order) < (other.tier, other.length, other.order)
        }
    }

    mutating func insert(_ number: Int, tier: Int, length: Int) {
        heap.append(Item(tier: tier, length: length, order: count, number: number))
        count += 1
        var child = heap.count - 1
        while child > 0, heap[child].isBefore(heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func popFirst() -> Int? {
        guard let last = heap.popLast() else { return nil }
        guard let first = heap.first else { return last.number }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].isBefore(heap[least])
            {
                least = child
            }
            if least == parent { return first.number }
            heap.swapAt(least, parent)
            parent = least
        }
    }
}

/// A program, indexed for a search. Only a few of thousands of rules continue from most states, so only these are
/// visited, not the whole program.
struct SearchProgram {
    private let steps: [ProgramStep]
    /// For each language, its place among the steps; -1 if it has none.
    private let places: [Int32]

    init(_ steps: [ProgramStep], languages: Int) {
        self.steps = steps
        var places = [Int32](repeating: -1, count: languages)
        for (place, step) in steps.enumerated() { places[Int(step.language)] = Int32(place) }
        self.places = places
    }

    /// The steps that still matter if these languages are live. `states` has the state of every language.
    func remainder(_ live: [(language: Int32, state: Int32)], _ states: [Int32]) -> Remainder {
        var remainder = Remainder()
        remainder.steps.reserveCapacity(live.count)
        for place in ordered(live, states) {
            let step = steps[Int(place)]
            remainder.steps.append(step)
            if states[Int(step.language)] == PartState.decided {
                remainder.isDecided = true
                break
            }
        }
        return remainder
    }

    /// The deciding step if these languages accept.
    func first(of accepting: [(language: Int32, state: Int32)]) -> ProgramStep? {
        var first = Int32.max
        for (language, _) in accepting where places[Int(language)] >= 0 {
            first = min(first, places[Int(language)])
        }
        return first < Int32.max ? steps[Int(first)] : nil
    }

    /// The places of the live steps, ascending.
    private func ordered(_ live: [(language: Int32, state: Int32)], _ states: [Int32]) -> [Int32] {
        var result: [Int32] = []
        result.reserveCapacity(live.count)
        // If many are live, a pass over all steps costs less than sorting.
        if live.count * 8 > steps.count {
            for (place, step) in steps.enumerated() where states[Int(step.language)] != PartState.dead {
                result.append(Int32(place))
            }
            return result
        }
        for (language, _) in live where places[Int(language)] >= 0 { result.append(places[Int(language)]) }
        result.sort()
        return result
    }
}

/// The parts of the URLs over which patterns are compared: a path as `PathNormalization` leaves it, a query and a
/// fragment. They contain only the characters that a URL may contain, and `%` only before two hexadecimal digits.
enum URLPhase: Int {
    case path, query, fragment
}

/// What may follow the text so far.
enum UniversePlace: Int32 {
    case start
    case afterSlash
    case afterStar
    case afterOther
    /// One digit of an escape is missing; after `%`, two are.
    case inEscape
    case afterPercent

    func mayEnd(_ phase: URLPhase) -> Bool {
        switch self {
        case .start: phase != .path
        case .afterSlash, .afterStar: true
        case .afterOther: phase != .path
        case .inEscape, .afterPercent: false
        }
    }

    /// The place after one more character; nil if no URL continues like this. `isStarPlain`: no pattern distinguishes
    /// `*` from a letter. Then `*` is of interest only at the end of a path, where it replaces the final slash.
    func step(_ byte: UInt8, _ phase: URLPhase, isStarPlain: Bool) -> UniversePlace? {
        switch self {
        case .afterPercent: return ByteSet.hexDigits.contains(byte) ? .inEscape : nil
        case .inEscape: return ByteSet.hexDigits.contains(byte) ? .afterOther : nil
        case .start where phase == .path: return byte == UInt8(ascii: "/") ? .afterSlash : nil
        case .afterSlash where phase == .path && byte == UInt8(ascii: "/"): return nil
        case .afterStar where isStarPlain || byte == UInt8(ascii: "*"): return nil
        default: break
        }
        if byte == UInt8(ascii: "%") { return .afterPercent }
        guard phase == .path else { return .afterOther }
        switch byte {
        case UInt8(ascii: "/"): return .afterSlash
        case UInt8(ascii: "*"): return .afterStar
        default: return .afterOther
        }
    }
}

extension MatchableURL {
    /// Whether patterns are compared over this URL. Other URLs contain a `%` that begins no escape.
    var isInUniverse: Bool {
        [(URLPhase.path, path), (.query, query), (.fragment, fragment)].allSatisfy { phase, text in
            var place = UniversePlace.start
            for byte in text.utf8 {
                guard let next = place.step(byte, phase, isStarPlain: false) else { return false }
                place = next
            }
            return place.mayEnd(phase)
        }
    }
}

/// The characters that a search tries in one part of a URL: the most readable one of each distinguishable kind.
struct URLAlphabet {
    struct Symbol {
        let byte: UInt8
        /// How ugly the character makes an example; 0 is best.
        let tier: Int
    }

    /// The most readable first.
    let symbols: [Symbol]
    /// The bytes of the symbols, and the index of each symbol by its byte.
    let bytes: ByteSet
    let places: [Int]
    /// Whether no pattern distinguishes an asterisk from some letter.
    let isStarPlain: Bool

    /// `labels`: the sets that the patterns distinguish.
    init(_ labels: [ByteSet], _ phase: URLPhase) {
        let (kinds, kindCount) = Self.kinds(labels)
        var isPlainKind = [Bool](repeating: false, count: kindCount)
        for letter in Self.letters { isPlainKind[kinds[Int(letter)]] = true }
        func isPlain(_ byte: UInt8) -> Bool { isPlainKind[kinds[Int(byte)]] }
        isStarPlain = phase == .path && isPlain(UInt8(ascii: "*"))
        let hasEscapes = !isPlain(UInt8(ascii: "%"))
        var seen = [Bool](repeating: false, count: 2 * kindCount)
        let symbols = Self.order.compactMap { (byte) -> Symbol? in
            switch byte {
            // These have special roles in a URL: no other character can replace them.
            case UInt8(ascii: "#") where phase != .fragment, UInt8(ascii: "?") where phase == .path: return nil
            case UInt8(ascii: "%"): return hasEscapes ? Symbol(byte: byte, tier: 2) : nil
            case UInt8(ascii: "/") where phase == .path: return Symbol(byte: byte, tier: 0)
            case UInt8(ascii: "*") where phase == .path: return Symbol(byte: byte, tier: 2)
            default: break
            }
            // Only hexadecimal digits may follow a `%`, so they need symbols of their own.
            let kind = 2 * kinds[Int(byte)] + (hasEscapes && ByteSet.hexDigits.contains(byte) ? 1 : 0)
            if seen[kind] { return nil }
            seen[kind] = true
            return Symbol(byte: byte, tier: Self.friendly.contains(byte) ? 0 : 1)
        }
        self.symbols = symbols
        bytes = ByteSet(symbols.map(\.byte))
        var places = [Int](repeating: 0, count: 128)
        for (place, symbol) in symbols.enumerated() { places[Int(symbol.byte)] = place }
        self.places = places
    }

    /// Numbers the kinds of characters. No label distinguishes the characters of one kind.
    private static func kinds(_ labels: [ByteSet]) -> (byByte: [Int], count: Int) {
        var kinds = [Int](repeating: 0, count: 128)
        var count = 1
        for label in Set(labels) {
            // A label splits each kind into members and other characters.
            var numbers = [Int](repeating: -1, count: 2 * count)
            var next = 0
            for byte in order {
                let part = 2 * kinds[Int(byte)] + (label.contains(byte) ? 1 : 0)
                if numbers[part] < 0 {
                    numbers[part] = next
                    next += 1
                }
                kinds[Int(byte)] = numbers[part]
            }
            count = next
        }
        return (kinds, count)
    }

    private static let letters = Array("axbcdefghijklmnopqrstuvwyz".utf8)
    private static let friendly = ByteSet(
        "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_./=&".utf8)
    /// All characters that a URL may contain, the most readable first.
    private static let order =
        letters + Array("1234567890ABCDEFGHIJKLMNOPQRSTUVWXYZ-_=&/.~:,;@!$'()+[]?#*%".utf8)
}

/// A set of ASCII characters: the label of an automaton's edge.
struct ByteSet: Hashable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    init(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { insert(byte) }
    }

    init(where isMember: (UInt8) -> Bool) { self.init((0..<128).filter(isMember)) }

    func contains(_ byte: UInt8) -> Bool {
        byte < 64 ? low >> UInt64(byte) & 1 == 1 : byte < 128 && high >> UInt64(byte - 64) & 1 == 1
    }

    mutating func insert(_ byte: UInt8) {
        if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
    }

    mutating func formUnion(_ other: ByteSet) {
        low |= other.low
        high |= other.high
    }

    var count: Int { low.nonzeroBitCount + high.nonzeroBitCount }

    /// The number of members less than a byte.
    func count(below byte: UInt8) -> Int {
        if byte < 64 { return (low & (1 << UInt64(byte) - 1)).nonzeroBitCount }
        return low.nonzeroBitCount + (high & (1 << UInt64(byte - 64) - 1)).nonzeroBitCount
    }

    mutating func popFirst() -> UInt8? {
        if low != 0 {
            defer { low &= low - 1 }
            return UInt8(low.trailingZeroBitCount)
        }
        guard high != 0 else { return nil }
        defer { high &= high - 1 }
        return UInt8(64 + high.trailingZeroBitCount)
    }

    func intersection(_ other: ByteSet) -> ByteSet {
        var result = self
        result.low &= other.low
        result.high &= other.high
        return result
    }

    var isEmpty: Bool { low == 0 && high == 0 }

    /// What a URL may contain unescaped, and `%`.
    static let url = ByteSet(where: PercentCoding.mayStand)
    static let hexDigits = ByteSet("0123456789abcdefABCDEF".utf8)
    static let percent = ByteSet("%".utf8)
    static let unescaped = ByteSet(where: { PercentCoding.mayStand($0) && $0 != UInt8(ascii: "%") })

    /// The hexadecimal digits with these values, in both cases.
    static func hexDigits(_ values: some Sequence<UInt8>) -> ByteSet {
        var digits = ByteSet([])
        for value in values { digits.formUnion(hexDigit(value)) }
        return digits
    }

    static func hexDigit(_ value: UInt8) -> ByteSet { hexDigitsByValue[Int(value)] }

    private static let hexDigitsByValue = (UInt8(0)...15).map { value in
        value < 10
            ? ByteSet([UInt8(ascii: "0") + value])
            : ByteSet([UInt8(ascii: "a") + value - 10, UInt8(ascii: "A") + value - 10])
    }
}
