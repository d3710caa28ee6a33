// Test results in JUnit's XML, which GitLab, Jenkins and GitHub's actions for tests read. There is no standard; this is
// what these three accept: https://docs.gitlab.com/ci/testing/unit_test_reports/

import AASA
import Evidence

package struct JUnit {
    package enum Outcome {
        case passed
        /// It does not do what it should.
        case failed(String)
        /// Unknown.
        case error(String)
    }

    /// The command that these tests belong to.
    let command: String
    /// The file or the domains.
    private var cases: [(suite: String, name: String, outcome: Outcome, notes: String)] = []
    private var names: [String: Int] = [:]

    package init(command: String) { self.command = command }

    /// `notes`: the text of a test that passed.
    package mutating func add(_ name: String, in suite: String, _ outcome: Outcome, notes: String = "") {
        // If two tests have one name, GitLab shows only the first.
        let count = names["\(suite)\n\(name)", default: 0] + 1
        names["\(suite)\n\(name)"] = count
        cases.append((suite, count == 1 ? name : "\(name) (\(count))", outcome, notes))
    }

    package var xml: String {
        let suites = Dictionary(grouping: cases, by: \.suite)
        let inner = cases.map(\.suite).uniqued.flatMap { suite in
            let own = suites[suite] ?? []
            return ["  <testsuite name=\"\(Self.escaped(suite))\" \(Self.counts(own.map(\.outcome)))>"]
                + own.map { "    " + element($0.suite, $0.name, $0.outcome, $0.notes) } + ["  </testsuite>"]
        }
        let head = "<testsuites name=\"aasa-monitor \(command)\" \(Self.counts(cases.map(\.outcome)))>"
        return (["<?xml version=\"1.0\" encoding=\"UTF-8\"?>", head] + inner + ["</testsuites>"])
            .joined(separator: "\n")
    }

    private static func counts(_ outcomes: [Outcome]) -> String {
        let failures = outcomes.count { if case .failed = $0 { true } else { false } }
        let errors = outcomes.count { if case .error = $0 { true } else { false } }
        return "tests=\"\(outcomes.count)\" failures=\"\(failures)\" errors=\"\(errors)\" skipped=\"0\""
    }

    private func element(_ suite: String, _ name: String, _ outcome: Outcome, _ notes: String) -> String {
        let start =
            "<testcase classname=\"aasa-monitor \(command) \(Self.escaped(suite))\" name=\"\(Self.escaped(name))\""
        // GitLab shows the text of the element, Jenkins its message first.
        func result(_ tag: String, _ text: String) -> String {
            let first = text.split(separator: "\n").first.map(String.init) ?? ""
            return "\(start)><\(tag) message=\"\(Self.escaped(first))\">\(Self.escaped(text))</\(tag)></testcase>"
        }
        return switch outcome {
        case .failed(let text): result("failure", text)
        case .error(let text): result("error", text)
        case .passed where notes.isEmpty: "\(start)/>"
        case .passed: "\(start)><system-out>\(Self.escaped(notes))</system-out></testcase>"
        }
    }

    /// Line breaks stay; XML cannot represent the other control characters.
    private static func escaped(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).displayable }.joined(
            separator: "\n"
        )
        .escaped { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "&quot;"
            case "\u{FFFE}", "\u{FFFF}": "\u{FFFD}"
            default: nil
            }
        }
    }
}

extension JUnit {
    /// A URL of `match` is a test; one without an expectation passes.
    mutating func add(_ answer: MatchAnswer, of source: String, _ words: String) {
        let expected = answer.question.expected.map { " opens \($0)" } ?? ""
        add(answer.question.text + expected, in: source, answer.isAsExpected ? .passed : .failed(words))
    }
}
