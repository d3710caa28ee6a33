// A finding: one thing that one check noticed, as identifiers and arguments, never sentences. A catalogue renders it
// (Catalogue/).

package enum Severity: String, Codable, Sendable, Comparable, CaseIterable {
    case note, warning, error

    private var rank: Int {
        switch self {
        case .note: 0
        case .warning: 1
        case .error: 2
        }
    }

    package static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }
}

/// The stable name of a rule, `area.thing`: the key in JSON, metrics and documentation.
package struct Rule: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    package init(from decoder: any Decoder) throws { rawValue = try decoder.singleValueContainer().decode(String.self) }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    package var description: String { rawValue }
}

package struct Finding: Codable, Equatable, Sendable {
    /// What was seen. Rule and reference follow from it, and the severity unless something else weighs against it.
    package let matter: Matter
    package var severity: Severity
    /// Where it was met, if not at the whole of the domain's own server.
    package var place: Place?
    /// What speaks against it, so that it weighs less.
    package var counterevidence: Counterevidence?
    /// What was seen, by name: header, address, date. Fit for display, and bounded.
    package private(set) var evidence: [String: String]

    package init(_ matter: Matter, severity: Severity? = nil, evidence: [String: String] = [:]) {
        self.matter = matter
        self.severity = severity ?? matter.ruling.severity
        self.evidence = [:]
        add(evidence)
    }

    package var rule: Rule { matter.ruling.rule }

    /// The finding in words.
    package var text: FindingText { English.text(of: self) }

    /// The same finding, told as what this machine saw where the step was not seen to work for others.
    func tested(_ isTested: Bool) -> Finding {
        var finding = self
        if !isTested { finding.counterevidence = .untested }
        return finding
    }

    mutating func add(_ more: [String: String]) {
        evidence.merge(more.mapValues { $0.displayable.shortened(to: 2000) }) { $1 }
    }

    package enum Counterevidence: Codable, Equatable, Sendable {
        /// Apple's crawler got the file.
        case appleCopy
        /// And so does one of its user agents here.
        case appleCopyAndAgent(AgentLook.Agent)
        /// Apple's crawler got the file, from another server than the one that this machine's resolver leads to.
        case otherServer
        /// Apple's crawler itself got the file so many seconds ago: what is refused is a client that only bears its name.
        case freshCopy(age: Int)
        /// Apple's crawler met something else than such an address.
        case appleWord
        /// Nothing: but whether the same step works for others was not seen, so that it may be this machine's.
        case untested
    }

    package enum Place: Codable, Equatable, Sendable {
        case behindRedirect(to: String)
        /// At these of so many; `othersAnswer`: they are without the fault, and not dead.
        case addresses([String], of: Int, othersAnswer: Bool)
    }
}

/// What follows from a matter: a case cannot have the rule of another one.
struct Ruling {
    let rule: Rule
    let severity: Severity
    /// A link to the requirement.
    let reference: String

    init(_ rule: Rule, _ severity: Severity, _ reference: String) {
        self.rule = rule
        self.severity = severity
        self.reference = reference
    }
}

/// The pages that decide what is right. The documentation is the rule; what Apple's systems were seen to do only
/// lowers a severity.
enum Reference {
    static let supportingDomains = "https://developer.apple.com/documentation/xcode/supporting-associated-domains"
    static let configuringDomain =
        "https://developer.apple.com/documentation/xcode/configuring-an-associated-domain"
    static let debuggingLinks =
        "https://developer.apple.com/documentation/technotes/tn3155-debugging-universal-links"
    static let appClips =
        "https://developer.apple.com/documentation/appclip/associating-your-app-clip-with-your-website"
    static let applinks = "https://developer.apple.com/documentation/bundleresources/applinks"
    static let archivedGuide =
        "https://developer.apple.com/library/archive/documentation/General/Conceptual/AppSearch/UniversalLinks.html"
    static let systemStatus = "https://www.apple.com/support/systemstatus/"
    static let ownConfiguration = "https://curl.se/docs/sslcerts.html"
    static let curlManual = "https://curl.se/docs/manpage.html"
    static let storeErrors = "https://www.sqlite.org/rescode.html"
}

/// The table of kinds in `Monitoring` and the documentation speak of these names.
extension Rule {
    static func origin(_ thing: String) -> Rule { Rule(rawValue: "origin.\(thing)") }
    static func cdn(_ thing: String) -> Rule { Rule(rawValue: "cdn.\(thing)") }
    static func aasa(_ thing: String) -> Rule { Rule(rawValue: "aasa.\(thing)") }
    static func expect(_ thing: String) -> Rule { Rule(rawValue: "expect.\(thing)") }
    static func monitor(_ thing: String) -> Rule { Rule(rawValue: "monitor.\(thing)") }
}
