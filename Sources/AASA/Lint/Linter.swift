// Checks a file with all rules: parses the bytes once, runs each rule, then computes the lines and columns of all
// findings. Also defines findings, which commands, checks and alerts print.

/// The linter: what is wrong with an apple-app-site-association file, and what devices do with it.
public enum Linter {
    /// All rules, in the order of docs/reference/lint-rules.md.
    public static let rules: [LintRuleDescription] = LintRegistry.rules.map { $0.description }

    /// Time and memory are bounded for any input. A finding reports what the limits skip: `order-not-checked`, or
    /// `file-too-large`.
    public static func lint(_ bytes: [UInt8]) -> LintReport { lint(bytes, meter: WorkMeter(.lint)) }

    static func lint(_ bytes: [UInt8], meter: WorkMeter) -> LintReport {
        let subject = LintSubject(bytes, meter)
        // Devices ignore a file that is too large.
        let rules = subject.isTooLarge ? [FileTooLarge.self] : LintRegistry.rules
        var fixes: [LintFix] = []
        let findings = rules.flatMap { rule in
            var sink = FindingSink(rule: rule.description, lines: subject.lines)
            rule.check(subject, &sink)
            fixes += sink.fixes
            return sink.findings
        }
        let sorted = findings.enumerated().sorted { left, right in
            let (one, other) = (left.element, right.element)
            // At the same position, the more severe finding comes first; then the order of the rules.
            return (one.range.lowerBound, other.severity, left.offset)
                < (other.range.lowerBound, one.severity, right.offset)
        }
        return LintReport(findings: sorted.map(\.element), file: subject.file, fixes: fixes)
    }
}

/// The severity of a finding.
public enum LintSeverity: String, Codable, Sendable, Hashable, CaseIterable, Comparable {
    /// Worth knowing; nothing breaks.
    case note
    /// It works only because devices are lenient, or is risky.
    case warning
    /// It breaks for someone.
    case error

    /// A note is less than an error.
    public static func < (left: LintSeverity, right: LintSeverity) -> Bool { left.weight < right.weight }

    private var weight: Int {
        switch self {
        case .note: 0
        case .warning: 1
        case .error: 2
        }
    }
}

/// One fault of a file, with its position.
public struct LintFinding: Codable, Sendable, Hashable {
    /// The rule's id in kebab-case, without a prefix.
    public let rule: String
    public let severity: LintSeverity
    /// What the linter found, and what a device does with it. Safe to print: quotes from the file are escaped and cut.
    public let message: String
    public let fix: String
    /// The page with the authoritative rule.
    public let reference: String
    /// Offsets in bytes.
    public let range: Range<Int>
    public let start: SourcePosition
    /// The position after the last character.
    public let end: SourcePosition
    /// RFC 6901; empty for the whole file. It contains raw keys of the file: escape it before printing. A pointer over
    /// 1,024 bytes is cut and ends in `…`.
    public let pointer: String
    /// Other places that the finding refers to, such as rules that match the same URLs first; only the first few.
    public let related: [LintPlace]
    /// A URL as an example, as path with query and fragment, if the rule has one.
    public let example: String?

    package init(
        rule: String, severity: LintSeverity, message: String, fix: String, reference: String, range: Range<Int>,
        start: SourcePosition, end: SourcePosition, pointer: String, related: [LintPlace] = [], example: String? = nil
    ) {
        self.rule = rule
        self.severity = severity
        self.message = message
        self.fix = fix
        self.reference = reference
        self.range = range
        self.start = start
        self.end = end
        self.pointer = pointer
        self.related = related
        self.example = example
    }

    /// Evidence by name, for programs: `example`, and for each related place `related_place_1` (line and column) and
    /// `related_pointer_1`, counted from 1. It contains raw text of the file: escape it before printing.
    package var evidence: [(name: String, value: String)] {
        var evidence: [(name: String, value: String)] = example.map { [("example", $0)] } ?? []
        for (index, place) in related.enumerated() {
            evidence.append(("related_place_\(index + 1)", "\(place.start)"))
            evidence.append(("related_pointer_\(index + 1)", place.pointer))
        }
        return evidence
    }
}

/// Another place of the same file that a finding refers to.
public struct LintPlace: Codable, Sendable, Hashable {
    /// A few words, safe to print.
    public let message: String
    /// Offsets in bytes.
    public let range: Range<Int>
    public let start: SourcePosition
    /// The position after the last character.
    public let end: SourcePosition
    /// RFC 6901. It contains raw keys of the file: escape it before printing.
    public let pointer: String
}

public struct LintReport: Sendable {
    /// In the order of the text.
    public let findings: [LintFinding]
    /// nil if the text is not JSON.
    public let file: AssociationFile?
    /// The findings that have one right answer.
    package let fixes: [LintFix]

    /// Without the findings of some rules, by their ids.
    package func ignoring(_ rules: Set<String>) -> LintReport {
        rules.isEmpty
            ? self
            : LintReport(
                findings: findings.filter { !rules.contains($0.rule) }, file: file,
                fixes: fixes.filter { !rules.contains($0.finding.rule) })
    }

    public var isValid: Bool { !findings.contains { $0.severity == .error } }
}

/// A place that a finding can point to.
protocol LintSite {
    /// The smallest useful range, in bytes.
    var range: Range<Int> { get }
    /// Of the value or key in the range.
    var pointer: String { get }
}

/// Collects the findings of one rule. Limits their number, and the work for the rest.
struct FindingSink {
    /// For one rule in one file; the rest are only counted.
    static let maximumFindings = 50

    private let rule: LintRuleDescription
    private let lines: LineTable
    private var kept: [LintFinding] = []
    private(set) var fixes: [LintFix] = []
    private var surplus = 0
    private var firstSurplus: (range: Range<Int>, pointer: String)?

    /// Another place that a finding refers to.
    struct Related {
        let range: Range<Int>
        let pointer: String
        /// A few words; text of the file through `Quoted`.
        let message: String
    }

    /// For one finding; nobody would read more.
    static let maximumRelated = 4

    init(rule: LintRuleDescription, lines: LineTable) { (self.rule, self.lines) = (rule, lines) }

    /// Whether more findings are only counted: a rule with expensive findings can stop, or `count` the rest.
    var isFull: Bool { kept.count >= Self.maximumFindings }

    /// Keeps a finding, or counts it if there are enough.
    ///
    /// - Parameters:
    ///   - range: the smallest useful one, in bytes.
    ///   - pointer: of the value or key in the range.
    ///   - message: what the linter found and what a device does; text of the file through `Quoted`.
    ///   - fix: nil uses the rule's fix.
    ///   - remedy: what `lint --fix` writes.
    ///   - related: other places that the message refers to; the first few are kept.
    ///   - example: a URL as an example.
    mutating func add(
        _ range: @autoclosure () -> Range<Int>, _ pointer: @autoclosure () -> String,
        _ message: @autoclosure () -> String, fix: @autoclosure () -> String? = nil,
        remedy: @autoclosure () -> LintRemedy = .byHand,
        related: @autoclosure () -> [Related] = [],
        example: @autoclosure () -> String? = nil
    ) {
        guard isFull else {
            let finding = finding(
                range(), pointer(), message(), fix: fix(), related: related().prefix(Self.maximumRelated),
                example: example())
            kept.append(finding)
            if let fix = LintFix(finding, remedy()) { fixes.append(fix) }
            return
        }
        count()
        if firstSurplus == nil { firstSurplus = (range(), pointer()) }
    }

    mutating func add(
        _ site: some LintSite, _ message: @autoclosure () -> String, fix: @autoclosure () -> String? = nil,
        remedy: @autoclosure () -> LintRemedy = .byHand, related: @autoclosure () -> [Related] = [],
        example: @autoclosure () -> String? = nil
    ) {
        add(
            site.range, site.pointer, message(), fix: fix(), remedy: remedy(), related: related(), example: example())
    }

    private func finding(
        _ range: Range<Int>, _ pointer: String, _ message: String, fix: String? = nil,
        related: ArraySlice<Related> = [], example: String? = nil
    ) -> LintFinding {
        LintFinding(
            rule: rule.id, severity: rule.severity, message: message, fix: fix ?? rule.fix, reference: rule.reference,
            range: range, start: lines.position(of: range.lowerBound), end: lines.position(of: range.upperBound),
            pointer: Self.cut(pointer),
            related: related.map {
                LintPlace(
                    message: $0.message, range: $0.range, start: lines.position(of: $0.range.lowerBound),
                    end: lines.position(of: $0.range.upperBound), pointer: Self.cut($0.pointer))
            }, example: example.map(Self.cut))
    }

    /// Counts a finding beyond the limit.
    mutating func count() { surplus += 1 }

    /// A key or a pattern of the file may be as long as the file, and occur in each of its findings.
    private static func cut(_ text: String) -> String { text.cut(beyond: 1024) }

    /// The kept findings, and one that counts the rest.
    var findings: [LintFinding] {
        guard let firstSurplus else { return kept }
        return kept + [finding(firstSurplus.range, firstSurplus.pointer, "and \(surplus) more of this rule")]
    }
}

/// A rule for readers.
public struct LintRuleDescription: Sendable, Hashable {
    /// Kebab-case. Stable, like the anchors of docs/reference/lint-rules.md.
    public let id: String
    public let severity: LintSeverity
    /// A few words, no full stop.
    public let title: String
    /// What a device does, and how we know it.
    public let why: String
    /// A file, or the relevant part, with the fault.
    public let example: String
    /// The same without the fault.
    public let fixedExample: String
    public let fix: String
    /// The page of Apple, or the standard, with the authoritative rule.
    public let reference: String
    /// The real case behind the rule: the number of files in the corpus, a public report, or Apple's documentation.
    package let seen: String
}

protocol LintRule: SendableMetatype {
    static var description: LintRuleDescription { get }

    /// The bytes of the example, if the text in the description is only a placeholder.
    static var exampleBytes: [UInt8] { get }

    /// Time must grow linearly with any file.
    static func check(_ subject: LintSubject, _ findings: inout FindingSink)
}

extension LintRule {
    static var exampleBytes: [UInt8] { Array(description.example.utf8) }
}

/// Authoritative pages.
package enum LintReference {
    static let json = "https://www.rfc-editor.org/rfc/rfc8259"
    package static let associatedDomains =
        "https://developer.apple.com/documentation/xcode/supporting-associated-domains"
    package static let configuringDomain =
        "https://developer.apple.com/documentation/xcode/configuring-an-associated-domain"
    package static let applinks = "https://developer.apple.com/documentation/bundleresources/applinks"
    static let details = applinks + "/details"
    static let components = details + "/components"
    static let query = components + "/query"
    static let defaults = applinks + "/defaults"
    static let variables = applinks + "/substitutionvariables"
    package static let technote = "https://developer.apple.com/documentation/technotes/tn3155-debugging-universal-links"
    package static let archivedGuide =
        "https://developer.apple.com/library/archive/documentation/General/Conceptual/AppSearch/UniversalLinks.html"
    package static let appClips =
        "https://developer.apple.com/documentation/appclip/associating-your-app-clip-with-your-website"
    static let whatsNew2020 = "https://developer.apple.com/videos/play/wwdc2020/10098/"
}

/// Small complete files for the rules' examples.
enum LintExample {
    static func details(_ entries: String) -> String {
        "{\"applinks\": {\"details\": [\n  " + entries + "\n]}}"
    }

    static func components(_ lines: String...) -> String {
        details(
            "{\"appIDs\": [\"D7KQ4ZW2MX.com.acme.shop\"], \"components\": [\n    "
                + lines.joined(separator: ",\n    ") + "\n  ]}")
    }

    static func paths(_ list: String) -> String {
        "{\"applinks\": {\"apps\": [], \"details\": [\n  "
            + "{\"appID\": \"D7KQ4ZW2MX.com.acme.shop\", \"paths\": [" + list + "]}\n]}}"
    }

    static func variables(_ variables: String, _ component: String) -> String {
        "{\"applinks\": {\n  \"substitutionVariables\": " + variables + ",\n"
            + "  \"details\": [{\"appIDs\": [\"D7KQ4ZW2MX.com.acme.shop\"], \"components\": [" + component + "]}]\n}}"
    }

    static func credentials(_ apps: String) -> String { "{\"webcredentials\": {\"apps\": [" + apps + "]}}" }
}

/// All rules, in the order of the documentation. A rule that is not listed does not run.
enum LintRegistry {
    static let rules: [any LintRule.Type] = [
        // The body.
        JSONSyntax.self, OtherFile.self, SignedFile.self, ByteOrderMark.self, RootNotObject.self,
        FileTooLarge.self, FileSizeNearLimit.self, JSONDuplicateKey.self,
        // Services.
        NoService.self, ServiceWithoutApps.self, EmptyService.self, ServiceMisplaced.self,
        // Keys.
        MisspeltKey.self, ExcludeNotRead.self, MisplacedKey.self, UnknownComponentKey.self, UnknownKey.self,
        // applinks.
        DetailsElementType.self, DetailsDictionary.self, AppsBesideDetails.self,
        // App IDs.
        AppIDFormat.self, AppIDBlank.self, AppIDPlaceholder.self, EntryWithoutApp.self, AppIDExample.self,
        AppIDStoreNumber.self, AppIDsDisagree.self, AppInSeveralEntries.self, AppIDDuplicate.self, AppClipID.self,
        // Pattern lists.
        PatternListMissing.self, PatternElementType.self, PatternListEmpty.self, EntryOpensNothing.self,
        PathsBesideComponents.self, WholeSite.self,
        // Components.
        ComponentType.self, QueryItemName.self, ExclusionTakesMissingItem.self, QueryItemTakesMissing.self,
        DefaultsConstraint.self, SettingsType.self,
        // Order.
        ExcludeAfterInclude.self, RuleUnreachable.self, RuleMatchesNothing.self, SharedURLSpace.self,
        OrderNotChecked.self,
        // Variables.
        UndefinedVariable.self, NestedVariable.self, VariableName.self, EmptyVariableValue.self, UnusedVariable.self,
        // Patterns.
        PatternTooComplex.self, PatternNotEncoded.self, PatternEscape.self, ForeignNotation.self, HostInPath.self,
        QueryInPath.self, MalformedNot.self, PatternNormalized.self,
    ]
}
