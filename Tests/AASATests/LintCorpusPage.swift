// The text of docs/reference/lint-corpus.md: what the rules find in real files, and why each error is really an error.

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

    /// Error rules with findings, but without a reason in `defence`.
    var undefended: [String] {
        Linter.rules.filter { $0.severity == .error && counts[$0.id] != nil && Self.defence[$0.id] == nil }.map(\.id)
    }

    /// Rules whose `seen` gives a wrong number of files.
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
            error. A test counts them, and fails if this page is out of date. We read each error finding.

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

            ## Rules without a finding in these files

            Each rule has other evidence: Apple's documentation, observed behaviour of its reader, or a public report.

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
        Trailing commas, typographic quotes and spaces, comments, a missing comma or bracket, a missing or extra \
        quote, an RTF document, S/MIME text, notes instead of a file, empty files. No strict parser reads any of \
        them, and devices are strict. The corpus index, made with another parser, has the same verdicts.
        """,
        "no-service": "The only service is called `applinkss`. Devices look for `applinks`.",
        "service-without-apps": """
        `"apps"` is a string, but devices read an array; Handoff is off for the site.
        """,
        "app-id-format": """
        Bundle IDs without a team ID, prefixes of 8 or 9 characters, an empty ID, and one bundle ID with an \
        underscore, which Apple does not allow. No signed app has such an identifier, so the comparison always fails.
        """,
        "app-id-blank": """
        A space inside the ID: `29 T66LHW6L…`, or an app's display name instead of its bundle ID. Devices compare the \
        ID as a whole, and no app matches it.
        """,
        "app-id-placeholder": """
        `TEAM_ID`, `YOUR_TEAM_ID`, `TEAMID`, `PREFIX`, `REPLACE_WITH_TEAM_ID`, and template tags that were never filled in. \
        A team ID has ten characters A to Z and 0 to 9; these texts are placeholders for one.
        """,
        "entry-without-app": """
        `appid` for `appID`, which devices do not know, and an empty `appIDs`. The rules of the entry apply to no app.
        """,
        "pattern-element-type": """
        Objects such as `{"/": "/path"}` inside `paths`. Apple's reader reads each one as "every URL", the opposite of \
        the intention.
        """,
        "pattern-list-empty": """
        `"components": []`. An empty list matches nothing in Apple's reader, so the app opens no link.
        """,
        "entry-opens-nothing": """
        Entries with only exclusions, and entries whose first rule excludes every URL. No link opens the app that they \
        name.
        """,
        "exclusion-takes-missing-item": """
        `"?": {"xtor": "*"}` with `"exclude": true` and no path. A missing item counts as empty, and `*` matches the \
        empty text: the exclusion applies to every URL, and the rules after it are never used.
        """,
        "exclude-after-include": """
        The pattern automata proved each one: an earlier rule that opens the app matches every URL of the exclusion, \
        nearly always a `*` before it. The message names such a URL.
        """,
        "query-in-path": """
        `?xtor=` and `/#/settings` as a path. The path of a URL contains neither query nor fragment. The first belongs \
        under `"?"`, the second under `"#"`.
        """,
    ]
}
