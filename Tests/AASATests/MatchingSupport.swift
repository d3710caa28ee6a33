import AASA
import Testing

/// The app of files that name only one.
let matchingApp = "ABCDE12345.com.example.app"

/// `applinks` with these members.
func applinks(_ members: String) throws -> AppLinks {
    let file = try AssociationFile(parsing: Array("{\"applinks\":{\(members)}}".utf8))
    return try #require(file.applinks)
}

/// An entry for one app with these components.
func components(_ list: String, applinks more: String = "", entry: String = "") throws -> AppLinks {
    try applinks(
        more + #""details":[{"appIDs":["\#(matchingApp)"],\#(entry)"components":[\#(list)]}]"#)
}

func paths(_ list: String, applinks more: String = "") throws -> AppLinks {
    try applinks(more + #""details":[{"appIDs":["\#(matchingApp)"],"paths":[\#(list)]}]"#)
}

func url(_ text: String) throws -> MatchableURL { try #require(MatchableURL(text), "\(text)") }

extension AppLinks {
    /// The behaviour of a URL for the one app. Both ways to ask must agree.
    func behaviour(of text: String, for app: String = matchingApp) throws -> LinkBehaviour {
        let url = try url(text)
        let behaviour = behaviour(of: url, for: app)
        let result = match(url)
        #expect(
            (behaviour == .opens) == ([result.opens].compactMap { $0 } + result.alsoOpenedBy).contains(app), "\(text)")
        return behaviour
    }
}

/// A JSON string literal.
func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
        if scalar == "\"" || scalar == "\\" { result += "\\" }
        result.unicodeScalars.append(scalar)
    }
    return result + "\""
}
