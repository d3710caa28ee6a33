// Files that try to use up time and memory: few distinct parts, many repeats, long parts, deep parts, many names.
// For the tests of the limits and for libFuzzer (`make fuzz` compiles this file together with the library).

/// Generates a file of at most `size` bytes. The drawn numbers alone determine the file.
struct HostileFile {
    /// Draws a number below a limit of at least 1.
    let draw: (Int) -> Int
    private let size: Int

    init(size: Int, draw: @escaping (Int) -> Int) {
        self.size = size
        self.draw = draw
    }

    /// The parts of patterns, names and values. Each is a special case somewhere in the library.
    private static let units = [
        "a", "a", "~", "*a", "?", "a/", "//", "**", "$(lang)", "$(region)", "$(v0)", "$(v1)", "$(", "$(v", ":a/", "[a]",
        "[", "(a|",
        "%e3", "%", "é", "e\u{301}", "\u{2013}", "😀", "ß", "K", "A", "&a=", "#", "\\\\", "\\u0061", "\\u0000", "?a=",
        ".",
        "https://", "NOT ", "{a}", "$", "*?", "a*b?", "$(digit)", "İ", "&amp;",
    ]

    private func pick<Element>(_ list: [Element]) -> Element { list[draw(list.count)] }

    /// A number from one to a limit. Small numbers and the limit itself are likely.
    private func some(_ limit: Int) -> Int {
        switch draw(4) {
        case 0: 1
        case 1: 1 + draw(max(1, min(limit, 8)))
        case 2: 1 + draw(max(1, limit))
        default: max(1, limit)
        }
    }

    /// A text of at most `limit` bytes, without quotes.
    private func text(_ limit: Int) -> String {
        let unit = pick(Self.units)
        let count = max(1, some(limit) / unit.utf8.count)
        var text = String(repeating: unit, count: count)
        if draw(3) == 0 { text += pick(Self.units) }
        if draw(3) == 0 { text = "/" + text }
        return text
    }

    /// A generator of texts that are similar, or all different.
    private func texts(_ room: Int) -> (Int) -> String {
        switch draw(4) {
        case 0:
            let one = text(some(min(room, 40_000)))
            return { _ in one }
        case 1:
            let one = text(24)
            return { one + String($0, radix: 36) }
        case 2:
            let one = text(24)
            return { String($0, radix: 36) + one }
        default:
            let (one, other) = (text(some(min(room / 2, 20_000))), text(24))
            return { $0 % 2 == 0 ? one : other + String($0 % 7) }
        }
    }

    /// The items of a list or members of an object that fit into `room`.
    private func joined(_ room: Int, _ item: (Int) -> String) -> String {
        var result = ""
        let limit = draw(3) == 0 ? some(20) : Int.max
        var index = 0
        while index < limit {
            let next = item(index)
            guard result.utf8.count + next.utf8.count + 1 <= room else { break }
            if index > 0 { result += "," }
            result += next
            index += 1
        }
        return result
    }

    func make() -> [UInt8] {
        var left = max(0, size - 200)
        // Often one part takes most of the room.
        func share() -> Int {
            let taken = left * pick([1, 5, 30, 50, 90]) / 100
            left -= taken
            return taken
        }
        var members: [String] = []
        let (variableRoom, defaultRoom, entryRoom, otherRoom) = shares(share)
        if draw(3) > 0 { members.append("\"substitutionVariables\":{\(variables(variableRoom))}") }
        if draw(3) > 0 { members.append("\"defaults\":{\(component(defaultRoom, isLong: true))}") }
        if draw(6) == 0 { members.append(joined(otherRoom, { "\"k\($0)\":0" })) }
        members.append("\"details\":" + details(entryRoom))
        if draw(2) == 0 { members.reverse() }
        let links = "{\"applinks\":{" + members.filter { !$0.isEmpty }.joined(separator: ",") + "}"
        let others = draw(4) == 0 ? ",\"webcredentials\":{\"apps\":[\(apps(otherRoom / 2))]}" : ""
        return Array((links + others + "}").utf8)
    }

    private func shares(_ share: () -> Int) -> (Int, Int, Int, Int) {
        if draw(2) == 0 {
            let (first, second, third) = (share(), share(), share())
            return (second, third, first, share())
        }
        let (first, second, third) = (share(), share(), share())
        return (first, second, third, share())
    }

    private func variables(_ room: Int) -> String {
        switch draw(4) {
        case 0:
            // One variable with many values, or with long ones.
            let value = texts(room / 2)
            return "\"v0\":[\(joined(room - 8) { "\"\(value($0))\"" })],\"v1\":[\"b*\"]"
        case 1: return joined(room) { "\"v\($0)\":[\"a\($0)\"]" }
        case 2:
            // Names that differ only in their bytes.
            return joined(room) { "\"\($0 % 2 == 0 ? "é" : "e\u{301}")\(String($0 / 2, radix: 36))\":[]" }
        default:
            let (name, value) = (texts(room / 4), texts(room / 4))
            return joined(room) { "\"\(name($0))\":[\"\(value($0))\"]" }
        }
    }

    private func apps(_ room: Int) -> String {
        let prefix = pick(["", "D7KQ4ZW2MX.a", "D7KQ4ZW2MX.com.", "a b", "TEAMID."])
        let isSame = draw(4) == 0
        return joined(room) { "\"\(prefix)\(isSame ? 0 : $0)\"" }
    }

    private func details(_ room: Int) -> String {
        if draw(8) == 0 { return "{" + joined(room) { "\"D7KQ4ZW2MX.a\($0)\":\(entry(some(room / 4), 0))" } + "}" }
        let count = some(pick([1, 3, 200, 2000]))
        let each = max(20, room / count)
        var made: [String] = []
        for index in 0..<count {
            // Only a few distinct entries.
            made.append(index < 3 || draw(4) == 0 ? entry(each, index) : made[index % 3])
            if made.count * each > room { break }
        }
        return "[" + made.joined(separator: ",") + "]"
    }

    private func entry(_ room: Int, _ index: Int) -> String {
        var members: [String] = []
        let half = draw(3) == 0 ? room / 2 : room / 10
        members.append("\"appIDs\":[\(draw(2) == 0 ? "\"D7KQ4ZW2MX.com.a\(index)\"" : apps(half))]")
        if draw(4) == 0 { members.append("\"appID\":\"D7KQ4ZW2MX.com.b\"") }
        if draw(3) == 0 { members.append("\"defaults\":{\(component(some(room / 2), isLong: true))}") }
        let left = max(10, room - members.reduce(40) { $0 + $1.utf8.count })
        let path = texts(left)
        let isExcluding = draw(3) == 0
        func paths(_ room: Int) -> String { joined(room) { "\"\(isExcluding ? "NOT " : "")\(path($0))\"" } }
        switch draw(5) {
        case 0: members.append("\"paths\":[\(paths(left))]")
        case 1: members.append("\"components\":[\(components(left / 2))],\"paths\":[\(paths(left / 2))]")
        default: members.append("\"components\":[\(components(left))]")
        }
        if draw(8) == 0 { members.append(joined(left / 4) { "\"u\($0)\":\(deep(draw(40)))" }) }
        return "{" + members.filter { !$0.isEmpty }.joined(separator: ",") + "}"
    }

    private func components(_ room: Int) -> String {
        switch draw(5) {
        case 0: return joined(room) { _ in "{}" }
        case 1:
            let pattern = texts(room)
            let flags = pick(["", ",\"exclude\":true", ",\"caseSensitive\":false", ",\"percentEncoded\":false"])
            let key = pick(["/", "/", "/", "#", "?"])
            return joined(room) { "{\"\(key)\":\"\(pattern($0))\"\(flags)}" }
        case 2:
            let each = some(room)
            return joined(room) { _ in "{\(component(each, isLong: false))}" }
        case 3:
            let made = (0..<4).map { _ in "{\(component(some(200), isLong: false))}" }
            return joined(room) { made[$0 % 4] }
        default:
            let flags = ["\"exclude\":true", "\"caseSensitive\":false", "\"percentEncoded\":0", "\"/\":\"$(v0)*\""]
            return joined(room) { "{\(flags[$0 % 4])}" }
        }
    }

    /// The members of a component, or of `defaults`.
    private func component(_ room: Int, isLong: Bool) -> String {
        var members: [String] = []
        if draw(2) == 0 { members.append("\"/\":\"\(text(isLong ? some(room / 2) : min(room, 60)))\"") }
        switch draw(5) {
        case 0: members.append("\"?\":\"\(text(some(room / 4)))\"")
        case 1:
            let (name, value) = (texts(room / 8), texts(room / 8))
            members.append("\"?\":{\(joined(room / 2) { "\"\(name($0))\":\"\(value($0))\"" })}")
        case 2:
            members.append("\"?\":{\(joined(room / 2) { "\"i\($0)\":\"*\"" }),\"last\":\"x\"}".replacingCommaAfterBrace)
        default: break
        }
        if draw(4) == 0 { members.append("\"#\":\"\(text(some(room / 4)))\"") }
        for flag in ["exclude", "caseSensitive", "percentEncoded"] where draw(5) == 0 {
            members.append("\"\(flag)\":\(pick(["true", "false", "0", "\"y\"", "null", "[]"]))")
        }
        if draw(5) == 0 {
            let left = room - members.reduce(0) { $0 + $1.utf8.count + 1 }
            let key = pick(["\"/\":0", "\"exclude\":1", "\"x\":0", "\"é\":0", "\"pathz\":0"])
            members.append(joined(left) { _ in key })
        }
        return members.filter { !$0.isEmpty }.joined(separator: ",")
    }

    private func deep(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
}

extension String {
    /// The text without the comma that an empty list leaves.
    fileprivate var replacingCommaAfterBrace: String {
        guard let place = utf8.firstIndex(of: UInt8(ascii: "{")), self[index(after: place)...].hasPrefix(",") else {
            return self
        }
        return String(self[...place]) + String(self[index(after: place)...].dropFirst())
    }
}

/// The shapes that were once too slow, each built from one idea and of any size.
enum HostileShape {
    typealias Shape = (name: String, make: @Sendable (Int) -> String)

    private static func filled(_ room: Int, _ item: (Int) -> String) -> String {
        var result = ""
        var index = 0
        while true {
            let next = item(index)
            guard result.utf8.count + next.utf8.count + 1 <= room else { return result }
            if index > 0 { result += "," }
            result += next
            index += 1
        }
    }

    private static func long(_ unit: String, _ size: Int) -> String {
        String(repeating: unit, count: max(1, size / unit.utf8.count))
    }

    private static func links(_ members: String, _ entry: String) -> String {
        "{\"applinks\":{\(members)\"details\":[\(entry)]}}"
    }

    private static func entry(_ components: String) -> String {
        "{\"appIDs\":[\"D7KQ4ZW2MX.com.acme.shop\"],\"components\":[\(components)]}"
    }

    private static func paths(_ paths: String) -> String {
        "{\"appIDs\":[\"D7KQ4ZW2MX.com.acme.shop\"],\"paths\":[\(paths)]}"
    }

    static let all: [Shape] = [
        (
            "long default",
            { size in
                links("\"defaults\":{\"/\":\"/\(long("a", size / 3))\"},", entry(filled(size * 6 / 10) { _ in "{}" }))
            }
        ),
        (
            "long default of each entry",
            { size in
                links(
                    "",
                    filled(size * 9 / 10) { _ in
                        "{\"appIDs\":[\"A.b\"],\"defaults\":{\"/\":\"/\(long("a", 2000))\"},\"components\":[\(long("{},", 3000))1]}"
                    })
            }
        ),
        (
            "repeated default",
            { size in
                links(
                    "\"defaults\":{\(filled(size / 2) { _ in "\"/\":0" })},", entry(filled(size * 4 / 10) { _ in "{}" })
                )
            }
        ),
        (
            "default of many items",
            { size in
                links(
                    "\"defaults\":{\"?\":{\(filled(size / 2) { "\"i\(String($0, radix: 36))\":\"*\"" }),\"z\":\"x\"}},",
                    entry(filled(size * 4 / 10) { _ in "{}" }))
            }
        ),
        (
            "default of wildcards",
            { size in
                links(
                    "\"defaults\":{\"/\":\"/\(long("*a?", 60))\(long("b", size / 2))\"},",
                    entry(filled(size * 4 / 10) { _ in "{\"exclude\":1}" }))
            }
        ),
        (
            "undefined variables",
            { size in
                links(
                    "\"substitutionVariables\":{\(filled(size / 2) { "\"\(String($0, radix: 36))\":0" })},",
                    paths(filled(size * 4 / 10) { _ in "\"$(z!)\"" }))
            }
        ),
        ("one long pattern", { size in links("", paths("\"/\(long("~", size * 9 / 10))\"")) }),
        (
            "two long patterns",
            { size in
                links("", paths("\"/\(long("~", size * 4 / 10))\",\"/\(long("~", size * 4 / 10))*\""))
            }
        ),
        (
            "long pattern of escapes",
            { size in
                links("", entry("{\"/\":\"/\(long("é", size * 9 / 10))\",\"percentEncoded\":false}"))
            }
        ),
        (
            "long pattern without case",
            { size in
                links(
                    "",
                    entry("{\"/\":\"/\(long("aé", size * 9 / 10))\",\"percentEncoded\":false,\"caseSensitive\":false}"))
            }
        ),
        (
            "two entries of many apps",
            { size in
                let apps = filled(size * 45 / 100) { "\"D7KQ4ZW2MX.\(String($0, radix: 36))\"" }
                return links(
                    "", ["/a", "/b"].map { "{\"appIDs\":[\(apps)],\"paths\":[\"\($0)\"]}" }.joined(separator: ","))
            }
        ),
        (
            "many apps twice over",
            { size in
                let half = size * 45 / 100
                let apps = filled(half) { "\"\(String($0, radix: 36))\"" }
                let other = filled(half) { "\"\(String(20_000 - $0, radix: 36))\"" }
                return links(
                    "", [apps, other].map { "{\"appIDs\":[\($0)],\"paths\":[\"/a\"]}" }.joined(separator: ","))
            }
        ),
        (
            "apps in many entries",
            { size in
                links(
                    "",
                    filled(size * 9 / 10) {
                        "{\"appIDs\":[\"a\($0 % 50)\",\"b\($0 % 7)\",\"c\"],\"paths\":[\"/\($0)\"]}"
                    })
            }
        ),
        (
            "names in two normal forms",
            { size in
                links(
                    "\"substitutionVariables\":{\(filled(size / 2) { "\"\($0 % 2 == 0 ? "é" : "e\u{301}")\($0 / 2)\":[\"\($0 % 2)\"]" })},",
                    paths(filled(size * 4 / 10) { "\"/$(\($0 % 2 == 0 ? "é" : "e\u{301}")\($0 / 2))\"" }))
            }
        ),
        ("unclosed variables", { size in links("", paths("\"/\(long("$(", size * 9 / 10))\"")) }),
        (
            "a variable of many values",
            { size in
                links(
                    "\"substitutionVariables\":{\"v\":[\(filled(size / 2) { "\"\(String($0, radix: 36))\"" })]},",
                    paths(filled(size * 4 / 10) { "\"/$(v)\($0)\"" }))
            }
        ),
        (
            "a variable of wild values",
            { size in
                links(
                    "\"substitutionVariables\":{\"v\":[\(filled(size / 2) { "\"\(String($0, radix: 36))*a\"" })]},",
                    paths(filled(size * 4 / 10) { "\"/$(v)\($0)*\"" }))
            }
        ),
        (
            "a variable of one long value",
            { size in
                links(
                    "\"substitutionVariables\":{\"v\":[\"\(long("?", size / 2))\"]},",
                    entry(filled(size * 4 / 10) { "{\"/\":\"/$(v)\($0)\",\"percentEncoded\":false}" }))
            }
        ),
        (
            "many variables in a pattern",
            { size in
                links(
                    "\"substitutionVariables\":{\"v\":[\(filled(size / 2) { "\"\($0)*\"" })]},",
                    paths(filled(size * 4 / 10) { "\"/\(long("$(v)", 200))\($0)\"" }))
            }
        ),
        (
            "code lists",
            { size in
                links(
                    "\"defaults\":{\"/\":\"/$(lang)\(long("a", size / 3))\"},", entry(filled(size / 2) { _ in "{}" }))
            }
        ),
        (
            "backslashes",
            { size in
                links(
                    "\"defaults\":{\"/\":\"/\(long("\\\\", size / 3))\"},", entry(filled(size / 2) { _ in "{}" }))
            }
        ),
        (
            "query items",
            { size in
                links("", entry("{\"?\":{\(filled(size * 9 / 10) { "\"i\(String($0, radix: 36))\":\"?*\"" })}}"))
            }
        ),
        (
            "query items that differ",
            { size in
                links("", entry(filled(size * 9 / 10) { "{\"?\":{\"a\($0)\":\"?*\",\"b\($0)\":\"?*\"}}" }))
            }
        ),
        (
            "paths beside components",
            { size in
                let list = filled(size * 4 / 10) { "\"/a\(String($0, radix: 36))*\"" }
                let components = filled(size * 4 / 10) { "{\"/\":\"/*\(String($0, radix: 36))\"}" }
                return links("", "{\"appIDs\":[\"A.b\"],\"components\":[\(components)],\"paths\":[\(list)]}")
            }
        ),
        ("wildcards that meet", { size in links("", paths(filled(size * 9 / 10) { "\"/*\($0)*a?b*\"" })) }),
        ("equal paths", { size in links("", paths(filled(size * 9 / 10) { _ in "\"/*a*\"" })) }),
        (
            "exclusions",
            { size in links("", paths(filled(size * 9 / 10) { "\"NOT /a\(String($0, radix: 36))/*\"" } + ",\"*\"")) }
        ),
        (
            "exclusions by their ends",
            { size in
                links("", paths(filled(size * 9 / 10) { "\"NOT /*\(String($0, radix: 36))\"" } + ",\"/b*\""))
            }
        ),
        ("empty entries", { size in links("", filled(size * 9 / 10) { _ in "{}" }) }),
        (
            "entries of one path",
            { size in links("", filled(size * 9 / 10) { "{\"appID\":\"A.\($0)\",\"paths\":[\"*\"]}" }) }
        ),
        ("empty lists", { size in "[" + filled(size * 9 / 10) { _ in "[]" } + "]" }),
        ("numbers", { size in "[" + filled(size * 9 / 10) { _ in "0" } + "]" }),
        ("depth", { size in filled(size * 9 / 10) { _ in long("[", 200) + long("]", 200) }.wrapped }),
        ("duplicate keys", { size in "{" + filled(size * 9 / 10) { _ in "\"a\":1" } + "}" }),
        (
            "deep duplicate keys",
            { size in
                "{\"\(long("k", size / 10))\":{\"\(long("l", size / 10))\":{" + filled(size * 7 / 10) { _ in "\"a\":1" }
                    + "}}}"
            }
        ),
        (
            "duplicate applinks",
            { size in
                "{"
                    + filled(size * 9 / 10) { _ in "\"applinks\":{\"details\":[{\"appID\":\"A.b\",\"paths\":[\"/a\"]}]}"
                    } + "}"
            }
        ),
        (
            "unknown keys",
            { size in
                links(
                    filled(size / 2) { "\"unknown\($0)\":{}" } + ",", "{" + filled(size / 3) { "\"k\($0)\":[]" } + "}")
            }
        ),
        (
            "long keys",
            { size in
                links(
                    "",
                    "{\"\(long("é", size / 3))\":0,\"\(long("e\u{301}", size / 3))\":0,\"paths\":[\"/a\"],\"appID\":\"A.b\"}"
                )
            }
        ),
        (
            "long dictionary keys",
            { size in
                "{\"applinks\":{\"details\":{\"\(long("a", size / 3))\":{\"components\":[\(filled(size / 2) { _ in "{}" })]}}}}"
            }
        ),
        (
            "combining marks",
            { size in
                links("", paths("\"/\(long("\u{301}", size / 3))\",\"/e\(long("\u{323}\u{301}", size / 3))\""))
            }
        ),
        (
            "values of a variable at fault",
            { size in
                links(
                    "\"substitutionVariables\":{\"v\":[\(filled(size / 2) { _ in "\"é\"" })]},",
                    paths("\"/$(v)\(long("a", size / 3))\""))
            }
        ),
        ("placeholders", { size in links("", paths(filled(size * 9 / 10) { "\"/:a\($0)/{b}/[c]\"" })) }),
        ("brackets", { size in links("", paths("\"/\(long("[", size / 3))\",\"/\(long("(a|", size / 3))\"")) }),
        (
            "apps of entries that meet",
            { size in
                links(
                    "",
                    filled(size * 9 / 10) { index in
                        "{\"appIDs\":[\((0..<40).map { "\"D7KQ4ZW2MX.\(index % 180)x\($0)\"" }.joined(separator: ","))],\"paths\":[\"/*a\"]}"
                    })
            }
        ),
        (
            "default of many items that count",
            { size in
                links(
                    "\"defaults\":{\"?\":{\(filled(size / 2) { "\"i\(String($0, radix: 36))\":\"$(lang)\"" })}},",
                    entry(filled(size * 4 / 10) { $0 % 2 == 0 ? "{}" : "{\"exclude\":true}" }))
            }
        ),
        (
            "many members far below",
            { size in
                let members = filled(size / 2) { "\"k\($0)\":\($0)" }
                return long("{\"a\":", 200 * 5) + "{\(members),\"z\":\"a\"}" + long("}", 200)
            }
        ),
        (
            "keys and apps of many marks",
            { size in
                let marks = long("\u{323}\u{301}", size * 3 / 10)
                return links("", "{\"e\(marks)\":1,\"appIDs\":[\"a\(marks)\"],\"paths\":[\"NOT /a\(marks)\"]}")
            }
        ),
        (
            "a component of one key",
            { size in links("", entry("{\(filled(size * 9 / 10) { "\"exlude\":\($0)" })}")) }
        ),
        (
            "a variable of long values that differ at their ends",
            { size in
                links(
                    "\"substitutionVariables\":{\"v\":[\(filled(size / 2) { "\"\(long("a", 1_000))\($0)\"" })]},",
                    paths(filled(size * 4 / 10) { "\"/*$(v)\($0)*\"" }))
            }
        ),
        (
            "apps of all kinds of entries",
            { size in
                links(
                    "",
                    filled(size * 9 / 10) { index in
                        let apps = (0..<12).filter { index >> $0 & 1 == 1 }.map { "\"A.\($0)\"" }.joined(separator: ",")
                        return "{\"appIDs\":[\(apps)],\"paths\":[\"/\(index)\",\"*a\"]}"
                    })
            }
        ),
        (
            "flags at each level",
            { size in
                links(
                    "\"defaults\":{\"percentEncoded\":false,\"caseSensitive\":false},",
                    filled(size * 9 / 10) {
                        "{\"appIDs\":[\"A.\($0 % 3)\"],\"defaults\":{\"percentEncoded\":\($0 % 2 == 0)},\"components\":["
                            + "{\"/\":\"/é*\($0)\",\"caseSensitive\":\($0 % 3 == 0)},{\"/\":\"/%c3%a9*\",\"percentEncoded\":\($0 % 5 == 0)}]}"
                    })
            }
        ),
        (
            "an exclusion of many keys hides many rules",
            { size in
                let exclusion =
                    "{\"?\":{\"x\":\"*\"},\"exclude\":true," + filled(size * 5 / 10) { "\"a\($0)\":0" } + "}"
                return links("", entry(exclusion + "," + filled(size * 4 / 10) { _ in "{\"/\":\"/a\"}" }))
            }
        ),
        ("empty paths", { size in links("", paths(filled(size * 9 / 10) { _ in "\"\"" })) }),
        ("a broken end", { size in links("", paths(filled(size * 9 / 10) { _ in "\"/a\"" })).dropLast(3) + "}}}" }),
        ("an unclosed string", { size in "{\"a\":\"" + long("“é", size * 9 / 10) }),
        ("page", { size in "<html>" + long("<p>applinks\"</p>", size * 9 / 10) }),
    ]
}

extension String {
    fileprivate var wrapped: String { "[" + self + "]" }
}
