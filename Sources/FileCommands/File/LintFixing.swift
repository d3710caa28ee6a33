// `lint --fix`: fixes what has only one right answer, and prints the fixes and their effect on phones.

import AASA
import ArgumentParser
import Evidence
import Foundation

/// `--ignore`, `--fix` and `--dry-run` of `lint`.
struct LintFixOptions: ParsableArguments {
    @Option(
        name: .customLong("ignore"), parsing: .singleValue,
        help: ArgumentHelp("Leave out the findings of this rule.", valueName: "rule"),
        completion: .list(Linter.rules.map(\.id)))
    var ignored: [String] = []

    @Flag(
        name: .customLong("fix"),
        help: ArgumentHelp(
            "Fix in the file what has only one right answer, and nothing else.",
            discussion:
                "Shows which URLs change, proves that the other fixes change none, and lists what is left to fix."))
    var fixes = false

    @Flag(help: "With --fix: show the difference, but write nothing.")
    var dryRun = false

    func validate() throws {
        if dryRun, !fixes { throw ValidationError("--dry-run needs --fix; give both") }
    }

    /// The ids of the rules to leave out.
    /// - Throws: `CommandFailure` for an unknown rule.
    func ignoredRules() throws -> Set<String> { Set(try ignored.map(Explanation.lintRule)) }

    /// - Throws: `CommandFailure` if a source to fix is not a file.
    func check(_ sources: [String]) throws {
        guard fixes else { return }
        for source in sources {
            // A missing file is reported when it is read.
            guard let source = try? FileSource(parsing: source) else { continue }
            guard case .path = source else {
                throw CommandFailure(.usage, "--fix can change files only, and '\(source)' is not a file")
            }
        }
    }

    /// The result of `lint` for a text, after any requested fixes; and why the file could not be written.
    func result(
        of text: SourceText, ignoring rules: Set<String>, isText: Bool
    ) -> (LintResult, CommandFailure?) {
        let report = Linter.lint(text.bytes).ignoring(rules)
        // Nothing can be fixed.
        guard !report.fixes.isEmpty else { return (LintResult(text: text, report: report), nil) }
        let fixing = LintFixing(text: text, file: Linter.fix(text.bytes, ignoring: rules), isDryRun: dryRun)
        let isFile = if case .path = text.source { true } else { false }
        let asItIs = LintResult(text: text, report: report, fixable: isFile ? fixing.file.fixed.count : 0)
        guard fixes, !fixing.file.fixed.isEmpty else { return (asItIs, nil) }
        if !dryRun, let failure = fixing.write() { return (asItIs, failure) }
        // In a format for programs, standard output contains nothing else.
        isText ? Console.print(fixing.text(style: .standardOutput) + "\n") : Console.note(fixing.text(style: .plain))
        if dryRun { return (asItIs, nil) }
        return (LintResult(text: fixing.result, report: fixing.file.report.ignoring(rules)), nil)
    }
}

/// One file with its fixes.
private struct LintFixing {
    let text: SourceText
    let file: FixedFile
    let isDryRun: Bool

    var result: SourceText { SourceText(source: text.source, bytes: file.bytes) }

    /// Writes the file in place, as a text editor does: owner, mode and links stay.
    /// - Returns: why the file was not written.
    func write() -> CommandFailure? {
        guard case .path(let path) = text.source else { return nil }
        func failure(_ reason: String) -> CommandFailure {
            CommandFailure(.noInput, "'\(path.displayable)' cannot be written: \(reason)")
        }
        func because(_ number: Int32) -> CommandFailure { failure(String(cString: strerror(number)).lowercased()) }
        // Without O_NONBLOCK, opening a pipe waits for a reader.
        let output = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK)
        guard output >= 0 else { return errno == ENXIO ? failure("it is a pipe") : because(errno) }
        defer { close(output) }
        var facts = stat()
        guard fstat(output, &facts) == 0 else { return because(errno) }
        guard facts.st_mode & S_IFMT == S_IFREG else { return failure("it is not a regular file") }
        guard let reason = Self.replace(output, with: file.bytes) else { return nil }
        // Even a full disk has room for the old content.
        guard Self.replace(output, with: text.bytes) == nil else {
            return failure("\(String(cString: strerror(reason)).lowercased()); it is damaged now")
        }
        return because(reason)
    }

    /// - Returns: the number of the error.
    private static func replace(_ output: Int32, with bytes: [UInt8]) -> Int32? {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { pwrite(output, $0.baseAddress, $0.count, off_t(written)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count < 0 ? errno : ENOSPC }
            written += count
        }
        return ftruncate(output, off_t(bytes.count)) == 0 ? nil : errno
    }

    func text(style: TextStyle) -> String {
        let name = text.name.displayable
        var lines = file.fixed.map { finding in
            "\(style.bold("\(name):\(finding.start)")): \(isDryRun ? "to fix" : "fixed"): "
                + "\(finding.message.displayable) [\(finding.rule)]"
        }
        if isDryRun { lines += [""] + difference }
        return (lines + ["", proof(style)]).joined(separator: "\n")
    }

    /// What the fixes change for phones. If phones ignored the old file, it has no content to compare with.
    private func proof(_ style: TextStyle) -> String {
        let old = (try? text.content())?.file
        let new = (try? result.content())?.file
        let names = ["\(text.name) as it \(isDryRun ? "is" : "was")", "\(text.name) fixed"]
        var lines = old == nil ? ["the file was not valid before the fixes"] : []
        lines.append(FileDifference(old: old, new: new, names: names).text(style: style))
        let tidied = file.tidied
        if tidied > 0, tidied < file.fixed.count {
            lines.append("\(tidied) of \(file.fixed.count) fixes change no URL (proven for all URLs)")
        }
        return lines.joined(separator: "\n")
    }

    /// In the unified format, without context lines.
    private var difference: [String] {
        let (old, new) = (Self.lines(of: text.bytes), Self.lines(of: file.bytes))
        var (gone, come) = (Set<Int>(), Set<Int>())
        // The cost grows with the number of lines times the number of changes.
        if old.count > 5_000 {
            (gone, come) = (Set(old.indices), Set(new.indices))
        } else {
            for change in new.difference(from: old) {
                switch change {
                case .remove(let offset, _, _): gone.insert(offset)
                case .insert(let offset, _, _): come.insert(offset)
                }
            }
        }
        var lines = ["--- \(text.name.displayable)", "+++ \(text.name.displayable)"]
        var (before, after) = (0, 0)
        while before < old.count || after < new.count {
            let start = (before, after)
            while gone.contains(before) { before += 1 }
            while come.contains(after) { after += 1 }
            guard start != (before, after) else {
                (before, after) = (before + 1, after + 1)
                continue
            }
            // An empty hunk has the number of the line before it.
            let places = [(start.0, before), (start.1, after)].map { "\($0 + ($0 == $1 ? 0 : 1)),\($1 - $0)" }
            lines.append("@@ -\(places[0]) +\(places[1]) @@")
            let (left, right) = (Array(old[start.0..<before]), Array(new[start.1..<after]))
            for (sign, some, others) in [("-", left, right), ("+", right, left)] {
                lines += some.enumerated().map { index, line in
                    sign + Self.shown(line, besides: others.indices.contains(index) ? others[index] : "")
                }
            }
        }
        return lines
    }

    /// A line can be the whole file. Of a long line, only the part that differs from the other side is shown.
    private static func shown(_ line: String, besides other: String) -> String {
        let (line, other) = (line.displayable, other.displayable)
        guard line.unicodeScalars.count > width else { return line }
        let same = zip(line.unicodeScalars, other.unicodeScalars).prefix { $0 == $1 }.count
        let skipped = max(0, same - width / 4)
        let rest = String(line.unicodeScalars.dropFirst(skipped))
        return (skipped > 0 ? "…" : "") + rest.shortened(to: width)
    }

    private static let width = 400

    private static func lines(of bytes: [UInt8]) -> [String] {
        bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self).replacing("\r", with: "")
        }
    }
}
