// What `lint --fix` writes: the edits that rules declare with their findings, and the proof that tidying is safe.

/// A range of bytes, and the text that replaces it.
package struct LintEdit: Sendable, Hashable {
    /// Offsets in bytes; empty where text is inserted.
    package let range: Range<Int>
    package let text: String

    init(_ range: Range<Int>, _ text: String) { (self.range, self.text) = (range, text) }

    /// Puts brackets around a value, which makes it a list of one element.
    static func brackets(around node: JSONNode) -> [LintEdit] {
        let (start, end) = (node.range.lowerBound, node.range.upperBound)
        return [LintEdit(start..<start, "["), LintEdit(end..<end, "]")]
    }

    /// Removes an element or a member, and the comma before it. The first of a list has no comma before it.
    static func removal(of range: Range<Int>, after previous: Range<Int>) -> [LintEdit] {
        [LintEdit(previous.upperBound..<range.upperBound, "")]
    }

    fileprivate func overlaps(_ other: LintEdit) -> Bool {
        range.lowerBound < other.range.upperBound && other.range.lowerBound < range.upperBound
    }
}

/// What a rule can write for a finding. Only for faults with one right answer; a person must correct the others.
enum LintRemedy {
    case byHand
    /// The file means the same to devices before and after. `Linter.fix` proves that no URL changes.
    case tidy([LintEdit])
    /// Makes devices read what the author meant.
    case repair([LintEdit])

    static func repair(_ edits: [LintEdit]?) -> Self { edits.map { .repair($0) } ?? .byHand }
    static func tidy(_ edits: [LintEdit]?) -> Self { edits.map { .tidy($0) } ?? .byHand }
}

/// A finding and its one right answer.
package struct LintFix: Sendable {
    package let finding: LintFinding
    let edits: [LintEdit]
    let isRepair: Bool

    init?(_ finding: LintFinding, _ remedy: LintRemedy) {
        switch remedy {
        case .byHand: return nil
        case .tidy(let edits): (self.edits, isRepair) = (edits, false)
        case .repair(let edits): (self.edits, isRepair) = (edits, true)
        }
        guard !edits.isEmpty else { return nil }
        self.finding = finding
    }
}

/// A file after all fixes.
package struct FixedFile: Sendable {
    package fileprivate(set) var bytes: [UInt8]
    /// The fixed findings, in order. Each has its position at the time of its fix: later fixes can shift lines.
    package fileprivate(set) var fixed: [LintFinding] = []
    /// How many of them change no URL, proven for all URLs.
    package fileprivate(set) var tidied = 0
    /// The report on `bytes`.
    package fileprivate(set) var report: LintReport

    fileprivate init(_ bytes: [UInt8]) {
        self.bytes = bytes
        report = Linter.lint(bytes)
    }

    /// A parser stops at the first error, so each wrong comma takes a round. No real file needs so many.
    private static let maximumRounds = 50

    /// Applies the fixes that `isMeant` selects, and the ones that appear after those.
    fileprivate mutating func apply(where isMeant: (LintFix) -> Bool) {
        for _ in 0..<Self.maximumRounds {
            var edits: [LintEdit] = []
            for fix in report.fixes where isMeant(fix) {
                guard !fix.edits.contains(where: { edit in edits.contains { $0.overlaps(edit) } }) else { continue }
                edits += fix.edits
                fixed.append(fix.finding)
            }
            guard !edits.isEmpty else { return }
            edits.sort { ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound) }
            var result: [UInt8] = []
            var end = 0
            for edit in edits {
                result += bytes[end..<edit.range.lowerBound]
                result += edit.text.utf8
                end = edit.range.upperBound
            }
            bytes = result + bytes[end...]
            report = Linter.lint(bytes)
        }
    }
}

extension Linter {
    /// Applies the fixes with one right answer, and changes no other byte. If the text is still not JSON after that, it
    /// stays as it was, because nothing can be proven about it. Tidying fixes apply only if a proof shows that they
    /// change no URL. Findings of `ignored` rules stay.
    package static func fix(_ bytes: [UInt8], ignoring ignored: Set<String> = []) -> FixedFile {
        var file = FixedFile(bytes)
        let unchanged = file
        file.apply { $0.isRepair && !ignored.contains($0.finding.rule) }
        guard let repaired = file.report.file else { return unchanged }
        let untidy = file
        file.apply { !$0.isRepair && !ignored.contains($0.finding.rule) }
        guard let tidied = file.report.file, changesNoURL(repaired, tidied) else { return untidy }
        file.tidied = file.fixed.count - untidy.fixed.count
        return file
    }

    private static func changesNoURL(_ old: AssociationFile, _ new: AssociationFile) -> Bool {
        if old.document.root.canonicalForm == new.document.root.canonicalForm { return true }
        let behaviour = BehaviourDiff.compare(old.applinks, new.applinks, meter: WorkMeter(.standard))
        func apps(_ file: AssociationFile) -> [String: Set<String>] {
            Dictionary(file.services.map { ($0.name, Set($0.appIDs)) }) { $1 }
        }
        return behaviour.isComplete && behaviour.changes.isEmpty && apps(old) == apps(new)
    }
}
