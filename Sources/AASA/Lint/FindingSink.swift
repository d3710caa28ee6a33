// Where a rule puts what it finds. Keeps the number of findings of one rule bounded, and the work for those beyond it.

struct FindingSink {
    /// Of one rule in one file; the rest are counted.
    static let maximumFindings = 50

    private(set) var drafts: [Draft] = []
    private var surplus = 0
    private var firstSurplus: Draft?
    private let rule: LintRuleDescription

    /// A finding whose lines and columns are yet to be looked up.
    struct Draft {
        let rule: LintRuleDescription
        let range: Range<Int>
        let pointer: String
        let message: String
        let fix: String
        let related: [Related]
        let example: String?
    }

    /// Another place that a finding speaks about.
    struct Related {
        let range: Range<Int>
        let pointer: String
        /// A few words; text of the file through `Quoted`.
        let message: String
    }

    /// Of one finding; more would not be read.
    static let maximumRelated = 4

    init(rule: LintRuleDescription) { self.rule = rule }

    /// Whether more findings would only be counted: a rule that works hard for each may stop.
    var isFull: Bool { drafts.count >= Self.maximumFindings }

    /// Keeps a finding, or counts it where there are enough.
    ///
    /// - Parameters:
    ///   - range: the smallest useful one, in bytes.
    ///   - pointer: of the value or key that the range shows.
    ///   - message: what was seen and what a device does; text of the file through `Quoted`.
    ///   - fix: nil takes the rule's own.
    ///   - related: other places that the message speaks about; the first few are kept.
    ///   - example: a URL that shows it.
    mutating func add(
        _ range: @autoclosure () -> Range<Int>, _ pointer: @autoclosure () -> String,
        _ message: @autoclosure () -> String, fix: String? = nil, related: @autoclosure () -> [Related] = [],
        example: @autoclosure () -> String? = nil
    ) {
        guard isFull else {
            drafts.append(
                Draft(
                    rule: rule, range: range(), pointer: pointer(), message: message(), fix: fix ?? rule.fix,
                    related: Array(related().prefix(Self.maximumRelated)), example: example()))
            return
        }
        surplus += 1
        if firstSurplus == nil {
            firstSurplus = Draft(
                rule: rule, range: range(), pointer: pointer(), message: "", fix: rule.fix, related: [], example: nil)
        }
    }

    /// All drafts, with one in place of those that were only counted.
    var all: [Draft] {
        guard let rest = firstSurplus else { return drafts }
        return drafts + [
            Draft(
                rule: rest.rule, range: rest.range, pointer: rest.pointer, message: "and \(surplus) more of this rule",
                fix: rest.fix, related: [], example: nil)
        ]
    }
}
