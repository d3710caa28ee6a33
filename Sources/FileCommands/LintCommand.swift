import AASA
import ArgumentParser
import Evidence

/// `aasa-monitor lint SOURCE...`: checks files.
struct LintCommand<Network: Remote>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "lint",
            abstract: "Check apple-app-site-association files: errors, traps, and how devices read them.",
            discussion: """
                \(Network.sourceHelp(nil)) \
                --explain NAME explains the rule of any finding and any kind of alert, not only the rules of lint.
                """)
    }

    @Argument(help: ArgumentHelp("What to check.", valueName: "source"), completion: .file())
    var sources: [String] = []

    @Option(
        help: ArgumentHelp(
            "Explain a rule or a kind of alert, such as rule-unreachable, origin.status or cdn.stale.",
            valueName: "name"),
        completion: .list(Explanation.names))
    var explain: String?

    @Option(.text, .json, .github, .sarif, .codequality) var format: OutputFormat

    @Flag(help: "Exit with 1 for warnings too.")
    var strict = false

    @OptionGroup var fixing: LintFixOptions
    @OptionGroup var color: ColorOption
    @OptionGroup var network: Network

    func validate() throws {
        guard sources.isEmpty == (explain != nil) else {
            throw ValidationError(
                explain == nil
                    ? "Missing expected argument '<source> ...'" : "--explain takes no source; leave one of them out")
        }
    }

    func run() async throws {
        if let explain { return Console.print(try Explanation.text(of: explain)) }
        let ignored = try fixing.ignoredRules()
        try fixing.check(sources)
        let reader = SourceReader(remote: network)
        let answers = try await reader.readEach(sources)
        var results: [LintResult] = []
        var failures: [CommandFailure] = []
        for answer in answers {
            switch answer {
            case .success(let text):
                // A file that cannot be written does not affect the others.
                let (result, failure) = fixing.result(of: text, ignoring: ignored, isText: format == .text)
                results.append(result)
                if let failure { failures.append(failure) }
            case .failure(let failure): failures.append(failure)
            }
        }
        // If nothing could be read, show no result: an empty one would look like success.
        if !results.isEmpty { show(results, failures) }
        for failure in failures { Console.remark(failure.message) }
        // A missing input outranks findings in the others.
        if failures.contains(where: { $0.exit == .noInput }) { throw MonitorExit.noInput.code }
        let worst = results.flatMap(\.report.findings).map(\.severity).max()
        let isFound = worst.map { $0 >= (strict ? .warning : .error) } ?? false
        if isFound || !failures.isEmpty { throw MonitorExit.found.code }
    }

    private func show(_ results: [LintResult], _ failures: [CommandFailure]) {
        switch format {
        case .json: Console.print(OrderedJSON.document(results.map(LintDocument.init)).text(isPretty: true))
        case .github: results.flatMap(\.annotations).forEach(Console.print)
        case .sarif: Console.print(SARIF.log(of: results, failures: failures.map(\.message)).text(isPretty: true))
        case .codequality: Console.print(CodeQuality.report(of: results).text(isPretty: true))
        default: Console.print(LintText(style: .standardOutput).describe(results))
        }
    }
}

/// The result of `lint` for one source.
struct LintResult {
    let text: SourceText
    let report: LintReport
    /// How many findings `--fix` would correct.
    var fixable = 0

    /// One annotation per finding, at its place in the file.
    var annotations: [String] {
        report.findings.map { finding in
            WorkflowCommand(
                level: .init(finding.severity),
                properties: [
                    ("file", text.name), ("line", "\(finding.start.line)"), ("col", "\(finding.start.column)"),
                    ("endLine", "\(finding.end.line)"), ("endColumn", "\(finding.end.column)"),
                    ("title", "aasa.\(finding.rule)"),
                ], message: "\(finding.message); \(finding.fix)"
            ).line
        }
    }
}

/// The text of `lint`: each finding in a compiler's format, errors first, with its line of the file below.
struct LintText {
    let style: TextStyle

    func describe(_ results: [LintResult]) -> String {
        results.map(describe).joined(separator: "\n\n")
    }

    private func describe(_ result: LintResult) -> String {
        var lines: [String] = []
        for finding in result.report.findings.worstFirst(by: \.severity) {
            let place = "\(result.text.name.displayable):\(finding.start.line):\(finding.start.column)"
            lines.append(
                "\(style.bold(place)): \(style.severity(finding.severity)): \(finding.message.displayable) "
                    + "[\(finding.rule)]")
            lines += excerpt(result.text.bytes, finding)
            lines += style.wrapped("fix: " + finding.fix.displayable, indentation: 4, hanging: 5)
        }
        lines.append("\(result.text.name.displayable): \(summary(result))")
        return lines.joined(separator: "\n")
    }

    /// The line with a mark under the finding. Of a long line, only the part around it: a line can be the whole file.
    private func excerpt(_ bytes: [UInt8], _ finding: LintFinding) -> [String] {
        let place = min(finding.range.lowerBound, bytes.count)
        // A character has at most four bytes.
        let near = bytes[..<place].suffix(4 * Self.before).reversed().prefix { !Self.endsLine($0) }.count
        let head = Array(String(decoding: bytes[(place - near)..<place], as: UTF8.self).unicodeScalars)
            .suffix(min(Self.before, finding.start.column - 1))
        let tail = Array(
            String(decoding: bytes[place...].prefix(4 * Self.width).prefix { !Self.endsLine($0) }, as: UTF8.self)
                .unicodeScalars.drop { $0 == "\u{FEFF}" }.prefix(Self.width - head.count))
        guard !tail.isEmpty else { return [] }
        let scalars = head + tail
        // Binary data would be unreadable.
        guard scalars.count(where: { $0 == "\u{FFFD}" }) * 8 < scalars.count else { return [] }
        // A tab would shift the mark; every other invisible character is shown as one character.
        let shown = String(String.UnicodeScalarView(scalars.map { $0 == "\t" ? " " : $0 })).displayable
        let length = finding.end.line == finding.start.line ? finding.end.column - finding.start.column : tail.count
        let mark =
            String(repeating: " ", count: head.count) + "^"
            + String(repeating: "~", count: max(1, min(length, tail.count)) - 1)
        return ["    " + shown, "    " + style.bold(mark)]
    }

    /// The most characters shown before the place, and in total.
    private static let before = 40
    private static let width = 90

    private static func endsLine(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

    private func summary(_ result: LintResult) -> String {
        let report = result.report
        let counts = [LintSeverity.error, .warning, .note].compactMap { severity -> String? in
            let count = report.findings.count { $0.severity == severity }
            return count == 0 ? nil : "\(count) \(severity.rawValue)\(count == 1 ? "" : "s")"
        }
        if counts.isEmpty { return "valid, no findings" }
        let fixable = result.fixable == 0 ? "" : "; --fix corrects \(result.fixable)"
        return (report.isValid ? "valid, " : "not valid, ") + counts.joined(separator: ", ") + fixable
    }
}
