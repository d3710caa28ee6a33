// The text of docs/reference/lint-corpus.md: what the rules find in real files, and why each error is one.

import AASA

struct LintCorpusPage {
    private let total: Int
    private let valid: Int
    private let counts: [String: (files: Int, findings: Int)]

    init(_ files: [(name: String, report: LintReport)]) {
        total = files.count
        valid = files.count { $0.report.isValid }
        var counts: [String: (files: Int, findings: Int)] = [:]
        for (_, report) in files {
            for (rule, findings) in Dictionary(grouping: report.findings, by: \.rule) {
                let before = counts[rule] ?? (0, 0)
                counts[rule] = (before.files + 1, before.findings + findings.count)
            }
        }
        self.counts = counts
    }

    /// Error rules with findings for which nothing is said.
    var undefended: [String] {
        Linter.rules.filter { $0.severity == .error && counts[$0.id] != nil && Self.defence[$0.id] == nil }.map(\.id)
    }

    /// Rules whose `seen` says another number of files than there are, or none where there are some.
    var miscounted: [String] {
        Linter.rules.filter { rule in
            let files = counts[rule.id]?.files ?? 0
            let said = "corpus: \(files) file\(files == 1 ? "" : "s")"
            return files == 0 ? rule.seen.contains("corpus") : rule.seen.prefix { $0 != ";" } != said
        }.map(\.id)
    }

    var text: String {
        var text = """
            # The lint rules on real files

            \(total) files from public repositories, current and earlier versions, working and broken ones: \(valid) have no \
            error. Counted by a test, which also fails where this page is stale; the error findings were read one by one.

            | rule | severity | files | findings |
            |---|---|---|---|

            """
        let rules = Linter.rules.enumerated().sorted { left, right in
            (right.element.severity, left.offset) < (left.element.severity, right.offset)
        }.map(\.element)
        for rule in rules {
            guard let count = counts[rule.id] else { continue }
            text +=
                "| [`\(rule.id)`](lint-rules.md#\(rule.id)) | \(rule.severity.rawValue) | \(count.files) | \(count.findings) |\n"
        }
        text += """

            ## Rules for what these files do not have

            Each has a case of another kind: what Apple documents, what its reader was seen to do, or a public report.

            | rule | severity | seen |
            |---|---|---|

            """
        for rule in rules where counts[rule.id] == nil {
            text += "| [`\(rule.id)`](lint-rules.md#\(rule.id)) | \(rule.severity.rawValue) | \(rule.seen) |\n"
        }
        text += "\n## Why the errors are errors\n"
        for rule in rules where rule.severity == .error && counts[rule.id] != nil {
            text += "\n**`\(rule.id)`** \(Self.defence[rule.id] ?? "")\n"
        }
        return text
    }

    private static let defence: [String: String] = [
        "json-syntax": """
        Trailing commas, typographic quotes and blanks, comments, a missing comma or bracket, a quote too many or missing, \
        an RTF document, S/MIME text, notes in place of a file, empty files. No strict parser reads any of them, and devices \
        are strict; the corpus index comes to the same verdict with another parser.
        """,
        "no-service": "The only service is called `applinkss`. Devices look for `applinks`.",
        "service-without-apps": """
        `"apps"` is one string where devices read an array; Handoff is off for the site.
        """,
        "app-id-format": """
        Bundle ids without a prefix, prefixes of 8 or 9 characters, an empty ID, and one bundle id with an underscore, \
        which Apple allows in none. No signed app has such an identifier, so the comparison with it always fails.
        """,
        "app-id-blank": """
        A blank inside the ID: `29 T66LHW6L…`, or an app's display name taken for its bundle id. The ID is compared as a \
        whole and equals no app's.
        """,
        "app-id-placeholder": """
        `TEAM_ID`, `YOUR_TEAM_ID`, `TEAMID`, `PREFIX`, `REPLACE_WITH_TEAM_ID`, and template tags that were never filled in. \
        A prefix is ten characters A to Z and 0 to 9; these are none and are not meant to be.
        """,
        "entry-without-app": """
        `appid` for `appID`, which devices do not know, and an empty `appIDs`. The rules of the entry apply to nobody.
        """,
        "pattern-element-type": """
        Objects such as `{"/": "/path"}` inside of `paths`. Apple's reader takes each for "every URL", the opposite of \
        what was meant.
        """,
        "pattern-list-empty": """
        `"components": []`. Apple's reader lets an empty list match nothing, so that the app opens no link.
        """,
        "entry-opens-nothing": """
        Entries of exclusions alone, and entries whose first rule excludes every URL. No link opens the app that they name.
        """,
        "exclusion-takes-missing-item": """
        `"?": {"xtor": "*"}` with `"exclude": true` and no path. A missing item counts as empty, and `*` takes the empty \
        text: the exclusion holds for every URL, and the rules behind it are never reached.
        """,
        "exclude-after-include": """
        Each was proven by the pattern automata: every URL of the exclusion is taken by an earlier rule that opens the app, \
        nearly always by `*` in front. The message names a URL that shows it.
        """,
        "query-in-path": """
        `?xtor=` and `/#/settings` as a path. The path of a URL holds neither query nor fragment; the first wants `"?"`, \
        the second `"#"`.
        """,
    ]
}
