// The report of `check` about one target: JSON (docs/reference/json.md), text and Markdown.

import AASA
import Evidence
import Foundation
import Monitoring
import Report

struct CheckReport: Sendable {
    let observation: Observation
    let readings: Readings
    let verdict: Verdict
    /// When it was evaluated; nil: when the check began.
    var judgedAt: Date?
    /// The URL of Apple's copy, even if it was not requested.
    let cdnURL: String
    var expectations = Expectations()
    /// The service that was asked about; nil for the whole domain.
    var service: String?
    /// What `--why` adds; nil without it.
    var why: WhyReport?

    /// What the origin's file does with the expected URLs.
    var expected: ExpectedAnswers { ExpectedAnswers(expectations.urls, of: observation.domain, readings.originFile) }

    /// The instant that the report describes.
    var now: Date { judgedAt ?? observation.checkedAt }

    var findings: [FindingText] { verdict.findings.map { $0.text(at: now) } }
    var ignored: [IgnoredFindingText] { verdict.ignored.map { $0.text(at: now) } }

    /// The diagnosis in words.
    var diagnosis: DiagnosisText { verdict.text(at: now) }
}

extension Effect {
    fileprivate var opensNoLink: Bool { if case .none = links { true } else { false } }
}

extension TextStyle.Sign {
    /// `status`: what phones do. It may be bad although no finding counts: a change is propagating, or the configuration
    /// ignores what is wrong.
    init(_ level: Verdict.Level?, _ status: DomainStatus?) {
        self.init(level, isCurrent: (status ?? .inSync).tile == .current)
    }
}

extension Target {
    /// What was asked about: the domain, or an entitlement as an app has it.
    var subject: String {
        let mode = mode == .production ? "" : "?mode=\(mode.rawValue)"
        return service.map { "\($0):\(domain.name)\(mode)" } ?? domain.name
    }
}

// The report as text: what phones do, why, what to do, until when. A healthy domain takes one line. With `-v` the
// evidence follows. Text from the watched site is made harmless before it gets here, or when it is printed.
extension CheckReport {
    var subject: String {
        Target(domain: observation.domain, mode: observation.mode, service: service).subject
    }

    var status: DomainStatus { DomainStatus(of: verdict, open: []) }

    /// Whether nothing needs to be done.
    var isCalm: Bool { verdict.level == .ok && [.inSync, .direct, .propagating].contains(status) }

    private var sign: TextStyle.Sign { TextStyle.Sign(verdict.level, status) }

    /// Trouble comes first.
    var urgency: Int {
        switch verdict.level {
        case .failing: 0
        case .warning: 1
        case .unknown: 2
        case .ok: isCalm ? status == .propagating ? 4 : 5 : 3
        }
    }

    /// The name of its state when several targets are counted.
    var stateInTotal: String {
        switch verdict.level {
        case .failing: "failing"
        case .warning: "warning"
        case .unknown: DomainStatus.unknown.word.lowercased()
        // Trouble at level OK has only ignored findings.
        case .ok: isCalm ? status.word.lowercased() : "OK with ignored findings"
        }
    }

    /// `column`: the width of the column of names.
    func text(style: TextStyle, column: Int? = nil, isVerbose: Bool = false) -> String {
        // The answer about a URL comes first, then the report of its domain as the reason.
        var lines = why.map { $0.lines(style: style) + ($0.isApart ? [""] : []) } ?? []
        let text = diagnosis
        if isCalm {
            let more = isVerbose ? "" : unsaid
            lines += style.heading(
                sign, subject, calmWords + more, brief: status == .propagating ? nil : status.word + more,
                column: column)
        } else {
            lines += style.heading(sign, subject, text.effect, column: column)
        }
        guard !isCalm || isVerbose else { return style.signs(lines.joined(separator: "\n")) }
        let note = ignoredInWords.map { style.part("note", $0) } ?? []
        // First explain why it is OK in spite of the trouble.
        if verdict.level == .ok { lines += note }
        lines += style.parts(text.cause, text.action, text.outlook)
        if isVerbose {
            lines += expected.text(style).map { "    " + $0 } + details(style)
        } else {
            lines += also(style) + expected.text(style).map { "    " + $0 }
            if verdict.level != .ok { lines += note }
            lines += style.remark(EvidenceText(report: self, style: style).brief)
            let rules = findings.filter { $0.severity > .note }.map(\.rule.rawValue).uniqued
            let named = [rules.joined(separator: ", "), noteCount, "evidence: check -v"].compactMap(\.self)
            lines += style.remark(named.filter { !$0.isEmpty }.joined(separator: " · "))
        }
        return style.signs(lines.joined(separator: "\n"))
    }

    private var calmWords: String {
        let comparison = ComparisonReport(verdict.comparison, at: now, time: ReportTime(now: now))
        var words = status.progress(comparison)
        if verdict.comparison.isWithoutEffect == true { words += ": \(comparison.summary)" }
        let effect = verdict.diagnosis.effect
        if status != .propagating, effect.service != nil || effect.opensNoLink { words += ". \(diagnosis.effect)" }
        if status == .propagating, let limit = verdict.diagnosis.outlook?.limit { words += " (\(limit))" }
        return words
    }

    /// `OK because the configuration ignores origin.status, cdn.missing: moved house (until 2027-01-01)`
    private var ignoredInWords: String? {
        guard !ignored.isEmpty else { return nil }
        let reasons = ignored.map(\.why).uniqued.map { why in
            let rules = ignored.filter { $0.why == why }.map(\.text.rule.rawValue).uniqued
            return "\(rules.joined(separator: ", ")): \(why)"
        }
        let start =
            verdict.level == .ok && !isCalm ? "OK because the configuration ignores" : "The configuration ignores"
        return "\(start) \(reasons.joined(separator: "; "))"
    }

    private var noteCount: String? {
        let count = findings.count { $0.severity == .note }
        return count == 0 ? nil : count.of("note")
    }

    /// What a line leaves out: `, 2 URLs as expected · note: origin.content-type (text/plain) · check -v`
    private var unsaid: String {
        let untold = verdict.findings.filter { !verdict.diagnosis.tells($0) }
        let isTypeNoted = untold.contains { $0.kind == .contentType }
        let notes = untold.map { finding in
            finding.rule.rawValue + (finding.kind == .contentType ? oddType.map { " (\($0))" } ?? "" : "")
        }.uniqued
        let parts = [
            notes.isEmpty ? nil : "\(notes.count == 1 ? "note" : "notes"): \(notes.listed(upTo: 2))",
            ignored.isEmpty ? nil : "\(ignored.count) ignored",
            isTypeNoted ? nil : oddType.map { "Content-Type \($0)" },
        ].compactMap(\.self)
        let met = expected.metCount
        return (met == 0 ? "" : ", \(met.of("URL")) as expected")
            + (parts.isEmpty ? "" : " · \(parts.joined(separator: ", ")) · check -v")
    }

    /// Apple accepts any type, but some tools and devices do not.
    private var oddType: String? {
        let type = observation.origin.answer?.header("content-type")?.prefix { $0 != ";" }.lowercased()
        return type == "application/json" ? nil : type?.displayable.shortened(to: 40)
    }

    /// Trouble that the diagnosis does not mention, in the same format.
    func also(_ style: TextStyle) -> [String] {
        let others = zip(verdict.findings, findings).filter { finding, _ in
            finding.severity > .note && !verdict.diagnosis.tells(finding)
        }
        var rules = verdict.diagnosis.cause.rule.map { [$0] } ?? []
        var lines: [String] = []
        var more = 0
        for (_, text) in others {
            // A repeated mistake counts once.
            guard !rules.contains(text.rule), rules.count <= Self.mostOthers else {
                more += 1
                continue
            }
            rules.append(text.rule)
            lines += style.part("also", text.message)
            if text.fix != diagnosis.action { lines += style.part("do", text.fix) }
        }
        if more > 0 { lines += style.part("also", "\(more.of("more finding")): check -v") }
        return lines
    }

    private static let mostOthers = 3

    /// All findings and evidence. Does not repeat the diagnosis.
    private func details(_ style: TextStyle) -> [String] {
        var lines: [String] = []
        for (finding, text) in zip(verdict.findings, findings) {
            lines += [""] + Self.text(of: text, style: style, isTold: verdict.diagnosis.leads(finding))
        }
        for ignored in ignored { lines += [""] + Self.text(of: ignored, style: style) }
        if !verdict.comparison.changes.isEmpty {
            lines += ["", "  " + style.dim("what the CDN does not have yet")]
            for change in verdict.comparison.changes {
                lines += style.wrapped(
                    "\(change.kind.mark) \(change.summary.displayable.shortened(to: 200))", indentation: 4, hanging: 2)
            }
            if let more = verdict.comparison.differences.more(after: .max) { lines.append("    \(more)") }
        }
        if !verdict.comparison.behaviour.isEmpty {
            lines += ["", "  " + style.dim("what phones will do differently then")]
            for note in verdict.comparison.behaviour {
                lines += style.wrapped(note.sentence, indentation: 4, hanging: 2)
            }
        }
        return lines + [""] + EvidenceText(report: self, style: style).lines
    }

    /// One finding: what was seen, and what to do.
    /// `isTold`: whether the diagnosis says it already.
    static func text(of finding: FindingText, style: TextStyle, isTold: Bool = false) -> [String] {
        var lines = ["  \(style.severity(finding.severity))  \(finding.rule.rawValue)"]
        if !isTold {
            lines += style.wrapped(finding.message, indentation: 4)
            lines += style.wrapped("do:   " + finding.fix, indentation: 4, hanging: 6)
        }
        let evidence = finding.evidence.sorted { $0.key < $1.key }.filter { !$0.value.isEmpty && $0.key != "url" }
        if !evidence.isEmpty {
            let seen = evidence.map { "\($0.key): \($0.value.displayable.shortened(to: 300))" }
            lines += style.wrapped("seen: " + seen.joined(separator: " · "), indentation: 4, hanging: 6)
        }
        lines.append("    see:  " + finding.reference)
        return lines
    }

    private static func text(of ignored: IgnoredFindingText, style: TextStyle) -> [String] {
        ["  \(style.dim("ignored"))  \(ignored.text.rule.rawValue) (\(ignored.text.severity.rawValue))"]
            + style.wrapped(ignored.text.message, indentation: 4)
            + style.wrapped("why:  " + ignored.why, indentation: 4, hanging: 6)
    }

}

// A report as Markdown, for job summaries, pull requests and tickets.
extension CheckReport {
    var markdown: String {
        let name = subject
        let text = diagnosis
        var lines = why.map { $0.markdown + [""] } ?? []
        lines += ["## \(Self.mark(verdict.level)) \(Markdown.text(name)): \(verdict.level.rawValue)", ""]
        lines.append("**\(Markdown.text(text.effect))**")
        if verdict.level == .ok, !isCalm, let ignoredInWords { lines += ["", Markdown.text(ignoredInWords)] }
        for (label, part) in [("Why", text.cause), ("Do", text.action), ("Until when", text.outlook)] {
            if let part { lines += ["", "\(label): \(Markdown.text(part))"] }
        }
        for line in expected.text(TextStyle(isColoured: false)) { lines += ["", Markdown.text(line)] }
        if !findings.isEmpty {
            lines += ["", "| severity | finding | what to do |", "|---|---|---|"]
            lines += findings.map { finding in
                let rule = "[\(finding.rule.rawValue)](\(Markdown.link(finding.reference)))"
                return "| \(finding.severity.rawValue) | \(rule): \(Markdown.text(finding.message)) "
                    + "| \(Markdown.text(finding.fix)) |"
            }
        }
        if !ignored.isEmpty {
            lines += ["", "| ignored | finding | why |", "|---|---|---|"]
            lines += ignored.map { ignored in
                let rule = "[\(ignored.text.rule.rawValue)](\(Markdown.link(ignored.text.reference)))"
                return "| \(ignored.text.severity.rawValue) | \(rule): \(Markdown.text(ignored.text.message)) "
                    + "| \(Markdown.text(ignored.why)) |"
            }
        }
        let comparison = verdict.comparison
        if !comparison.changes.isEmpty || !comparison.behaviour.isEmpty {
            lines += ["", "What Apple's CDN does not have yet:", ""]
            lines += comparison.changes.map { "- \($0.kind.rawValue): \(Markdown.text($0.summary))" }
            if let more = comparison.differences.more(after: .max) { lines.append("- \(more)") }
            lines += comparison.behaviour.map { "- \(Markdown.text($0.sentence))" }
        }
        return lines.joined(separator: "\n")
    }

    private static func mark(_ level: Verdict.Level) -> String {
        switch level {
        case .ok: "✅"
        case .warning: "⚠️"
        case .failing: "❌"
        case .unknown: "❔"
        }
    }
}

extension JUnit {
    /// A domain of `check` is a test. It fails if it makes the exit code 1.
    mutating func add(_ report: CheckReport, isBad: Bool) {
        let text = report.text(style: .plain, isVerbose: true)
        let isUnknown = report.verdict.level == .unknown
        add(
            report.why.flatMap { $0.isTarget ? $0.url : nil } ?? report.subject, in: "domains",
            isUnknown ? .error(text) : isBad ? .failed(text) : .passed,
            notes: report.findings.isEmpty ? "" : text)
    }
}

extension CheckReport {
    /// One annotation per finding; without counted findings, one with the result. The answer to `--why` comes first.
    var annotations: [String] { (why.map { [$0.annotation] } ?? []) + ofFindings }

    private var ofFindings: [String] {
        let name = subject
        let findings = findings
        let ignored = self.ignored.map { ignored in
            WorkflowCommand(
                level: .notice, properties: [("title", "\(name): \(ignored.text.rule.rawValue) (ignored)")],
                message: "\(ignored.text.message) Ignored: \(ignored.why)"
            ).line
        }
        guard !findings.isEmpty else {
            let line = WorkflowCommand(
                level: .notice, properties: [("title", name)], message: diagnosis.oneLine
            ).line
            return [line] + ignored
        }
        let counted = findings.map { finding in
            WorkflowCommand(
                level: .init(finding.severity), properties: [("title", "\(name): \(finding.rule.rawValue)")],
                message: "\(finding.message) \(finding.fix)"
            ).line
        }
        return counted + ignored
    }
}
