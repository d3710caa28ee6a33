// No message shows a variable's value, whatever the value is and wherever it is used.

import Foundation
import TestSupport
import Testing

@testable import MonitorConfiguration

extension ConfigurationSuite {
    @Suite struct VariableTests {
        /// Values for the variable, in forms that some key accepts, or that readers cut, lowercase or translate.
        /// None contains a word that messages use.
        private static let values = [
            "S3CRET value/of a:variable", "S3CRET.example", "-s3cret-.example", "s3cret-bücher.example",
            "https://s3cret.example/s3cret?s3cret", "applinks:s3cret.example?mode=s3cret", "s3cret:443:s3cret",
            "ABCDE12345.s3cret", "/s3cret", "s3cret", "*.s3cret.example", "7m13s", "7913", "79.13",
        ]

        /// Texts that would reveal a value.
        private static func traces(_ value: String) -> [String] {
            value.lowercased().contains("s3cret") ? ["s3cret"] : [value, "433s"]
        }

        @Test("no message shows a variable's value, whatever the key", arguments: Fixture.names(in: "valid"))
        func anywhere(name: String) throws {
            guard let root = SourceDocument(parsing: try Fixture.text("valid", name)).root else {
                Issue.record("\(name).yml is empty")
                return
            }
            var count = 0
            for place in 0..<Flow(root).scalars {
                // Once alone, and twice in a list, because a repetition has its own messages.
                let texts = Set([false, true].map { Flow(root, planting: place, repeats: $0).text })
                // `make soak` tries each value at each key. Otherwise each value is tried at some keys.
                let values = Self.values.enumerated().filter { Rounds.isSoak || $0.offset % 7 == place % 7 }
                for value in values.map(\.element) {
                    for text in texts {
                        var environment = Fixture.environment
                        environment["PLANTED_HERE"] = value
                        let shown = Self.complaints(text, environment).replacing("${PLANTED_HERE}", with: "")
                            .lowercased()
                        for trace in Self.traces(value) where shown.contains(trace) {
                            Issue.record("\(name).yml, \(value): \(shown)\n\(text)")
                            count += 1
                        }
                        guard count < 3 else { return }
                    }
                }
            }
        }

        private static func complaints(_ text: String, _ environment: [String: String]) -> String {
            do {
                let (_, warnings) = try Fixture.parse(text, environment: environment)
                return warnings.map(\.description).joined(separator: "\n")
            } catch {
                return error.description
            }
        }
    }
}

/// A tree as YAML in one line, with a variable instead of one of its scalars.
private struct Flow {
    private(set) var text = ""
    private(set) var scalars = 0
    private let planted: Int?
    private let repeats: Bool

    init(_ root: SourceNode, planting planted: Int? = nil, repeats: Bool = false) {
        self.planted = planted
        self.repeats = repeats
        write(root)
    }

    private mutating func write(_ node: SourceNode) {
        switch node.content {
        case .scalar(let text, let isPlain):
            let isSimple =
                isPlain && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-.".contains($0)) }
            let shown = node.isNull ? "null" : isSimple ? text : Self.quoted(text)
            self.text += scalars == planted ? "\"${PLANTED_HERE}\"" : shown
            scalars += 1
        case .list(let items):
            text += "["
            for item in items {
                let (start, before) = (scalars, text.count)
                write(item)
                let isPlanted = planted.map { (start..<scalars).contains($0) } ?? false
                let written = String(text.dropFirst(before))
                text += isPlanted && repeats ? ", \(written), " : ", "
            }
            text += "]"
        case .mapping(let entries):
            text += "{"
            for entry in entries {
                text += Self.quoted(entry.key) + ": "
                write(entry.value)
                text += ", "
            }
            text += "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.unicodeScalars.map { String(format: "\\U%08x", $0.value) }.joined() + "\""
    }
}
