// The files that the suites of this folder lint, match and compare.

import Foundation
import Testing

extension Stage {
    /// Runs a command in the lab's network, such as `lint` for a domain.
    func command(_ name: String, _ arguments: [String], input: String = "") async throws -> MonitorProcess {
        try await run([name] + network + arguments, input: input)
    }
}

enum Sample {
    static let app = "Q7X4M2K9RT.jp.shop.app"
    static let other = "Q7X4M2K9RT.jp.shop.kids"

    /// No findings. Line 6 opens /buy with a coupon, line 7 excludes /help/website, line 8 opens /help.
    static let clean = """
        {
          "applinks": {
            "details": [{
              "appIDs": ["\(app)"],
              "components": [
                {"/": "/buy/*", "?": {"coupon": "?*"}},
                {"/": "/help/website/*", "exclude": true},
                {"/": "/help/*"},
                {"/": "/news/*", "#": "top"}
              ]
            }]
          }
        }
        """

    /// The same with different formatting.
    static let cleanInOneLine = clean.replacing(/\n */, with: "")

    /// One warning: line 7 is never reached.
    static let unreachable = clean.replacing(
        #"{"/": "/help/website/*", "exclude": true}"#, with: #"{"/": "/buy/*", "?": {"coupon": "a"}}"#)

    /// One error: the comma in line 3.
    static let broken = "{\n  \"applinks\": {\n    \"details\": [],\n  }\n}"

    /// One finding of each rule that refers to a second place.
    static let related = """
        {
          "applinks": {"details": [
            {"appIDs": ["\(app)", "\(app)"],
             "components": [
              {"/": "/a/*"},
              {"/": "/a/b"},
              {"/": "/a/c", "exclude": true},
              {"/": "/k", "/": "/k"}
            ]},
            {"appIDs": ["\(app)"], "components": [{"/": "/z"}]},
            {"appIDs": ["\(other)"], "components": [{"/": "/a/*"}]}
          ]}
        }
        """

    /// Escapes and direction marks, raw and as JSON escapes, in a key, an app ID, a pattern and a comment.
    static let hostile: String = {
        let escapes = #"\u001b]0;owned\u0007\u001b[31m\u202e\u2028\r\n"#
        let raw = "\u{9B}2J\u{202E}\u{2066}\u{200F}\u{2028}"
        return """
            {"applinks": {"de\(escapes)\(raw)": 1, "details": [
              {"appIDs": ["\(escapes)\(raw)", "\(app)"], "components": [
                {"/": "/\(escapes)\(raw)*", "comment": "\(escapes)", "?": {"\(escapes)": "\(raw)"}},
                {"/": "/$(\(escapes))/*"}, {"/": "*"}]}]}}
            """
    }()
}

/// Expects that no character in the output controls a terminal.
func expectHarmless(_ process: MonitorProcess, location: SourceLocation = #_sourceLocation) {
    for text in [process.output, process.errors] {
        let bad = text.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control: scalar != "\n"
            case .format, .lineSeparator, .paragraphSeparator: true
            default: false
            }
        }
        #expect(bad.isEmpty, "\(bad.map { String($0.value, radix: 16) })", sourceLocation: location)
    }
}
