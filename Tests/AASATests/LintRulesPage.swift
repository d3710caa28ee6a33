// The text of docs/reference/lint-rules.md.

import AASA

enum LintRulesPage {
    /// Longer examples are shortened.
    private static let maximumExample = 700

    static var text: String {
        var text = """
            # Lint rules

            What `aasa-monitor lint` and `check` look for in an apple-app-site-association file. In reports, each id \
            begins with `aasa.`. A test generates this page from the rules; do not edit it.

            - **error**: it breaks for someone
            - **warning**: it works only because devices are lenient, or it is risky
            - **note**: worth knowing; nothing breaks

            | rule | severity | |
            |---|---|---|

            """
        for rule in Linter.rules {
            text += "| [`\(rule.id)`](#\(rule.id)) | \(rule.severity.rawValue) | \(rule.title) |\n"
        }
        for rule in Linter.rules {
            text += """

                ## \(rule.id)

                **\(rule.severity.rawValue)**: \(rule.title). \(rule.why)

                Flagged:

                ```json
                \(shown(rule.example))
                ```

                Accepted:

                ```json
                \(shown(rule.fixedExample))
                ```

                Fix: \(rule.fix). \(isWritten(rule) ? "`lint --fix` corrects the example. " : "")See <\(rule.reference)>.

                """
        }
        return text
    }

    /// Whether `lint --fix` fixes the example. Other findings of the rule may need a decision.
    private static func isWritten(_ rule: LintRuleDescription) -> Bool {
        Linter.fix(Array(rule.example.utf8)).fixed.contains { $0.rule == rule.id }
    }

    /// Makes invisible characters visible on the page.
    private static func shown(_ example: String) -> String {
        let visible = example.replacing("\u{FEFF}", with: "<U+FEFF>")
        return visible.count > maximumExample ? visible.prefix(maximumExample) + "…" : visible
    }
}
