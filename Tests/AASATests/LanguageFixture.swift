import AASA
import TestSupport
import Testing

/// Files for the tests of languages.
enum LanguageFixture {
    /// A file with one entry for the app `A.b`.
    static func links(_ components: String, applinks: String = "") throws -> AppLinks {
        try links(details: #"{"appIDs":["A.b"],"components":[\#(components)]}"#, applinks: applinks)
    }

    static func links(details: String, applinks: String = "") throws -> AppLinks {
        let file = AssociationFile(try document(#"{"applinks":{\#(applinks)"details":[\#(details)]}}"#))
        return try #require(file.applinks)
    }

    /// Short form for paths.
    static func paths(_ paths: [String]) throws -> AppLinks {
        let list = paths.map { "\"\($0)\"" }.joined(separator: ",")
        return try links(details: #"{"appIDs":["A.b"],"paths":[\#(list)]}"#)
    }
}

/// Random rules and URLs with few letters, so that they often match.
struct RandomLanguage {
    var random: SeededGenerator

    static let variables = #""substitutionVariables":{"v":["a","b*","?a",""],"w":["ab","ä"]},"#

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[Int(random.next() % UInt64(choices.count))]
    }

    mutating func chance(_ percent: UInt64) -> Bool { random.next() % 100 < percent }

    mutating func text(_ pieces: [String], upTo count: UInt64) -> String {
        (0..<random.next() % (count + 1)).map { _ in pick(pieces) }.joined()
    }

    /// A random component that may use every feature.
    mutating func component(isRich: Bool = true) -> String {
        let plain = ["a", "b", "/", "*", "?", "/", "*"]
        let rich =
            plain + [
                "$(v)", "$(w)", "$(digit)", "$(lower)", "$(lang)", "ä", "Ä", "%C3%A4", "%c3", "%", "A", "&", "=", "1",
                "\u{212A}", "k", " ", "%20",
            ]
        let pieces = isRich && chance(60) ? rich : plain
        var members: [String] = []
        if chance(85) { members.append("\"/\":\"\(text(pieces, upTo: 5))\"") }
        if chance(30) {
            members.append("\"?\":\"\(text(pieces, upTo: 3))\"")
        } else if chance(40) {
            let items = ["a", "b", "", "ä", "%FF", "a%41"].prefix(isRich ? 6 : 2)
                .filter { _ in chance(40) }.map { "\"\($0)\":\"\(text(pieces, upTo: 2))\"" }
            members.append("\"?\":{\(items.joined(separator: ","))}")
        }
        if chance(20) { members.append("\"#\":\"\(text(pieces, upTo: 2))\"") }
        if chance(25) { members.append("\"exclude\":true") }
        if isRich {
            if chance(30) { members.append("\"caseSensitive\":false") }
            if chance(50) { members.append("\"percentEncoded\":false") }
        }
        return "{\(members.joined(separator: ","))}"
    }

    /// A URL in which each `%` begins an escape, which may be invalid UTF-8.
    mutating func url() -> String {
        let pieces = [
            "a", "b", "A", "B", "/", "*", "1", "k", "K", "%C3%A4", "%c3%84", "%61", "%FF", "%C3", "%E2%84%AA", "%20",
            "de",
            "%F0%9F%98%80", "%25", "%2F", "%3d", "%26",
        ]
        var url = "/" + text(pieces, upTo: 5)
        if chance(60) { url += "?" + text(pieces + ["a=", "b=", "&", "&", "=", "%C3%A4=", "?", "%FF="], upTo: 6) }
        if chance(40) { url += "#" + text(pieces + ["#", "?"], upTo: 2) }
        return url
    }
}
