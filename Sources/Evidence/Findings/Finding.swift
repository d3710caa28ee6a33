// A finding: one thing that one check noticed, as typed arguments, never as sentences. FindingKind.swift has the facts
// of its kind; its words are declared beside its arguments.

import Foundation

package typealias Severity = LintSeverity

package struct Finding: Codable, Equatable, Sendable {
    /// What was noticed. It determines the kind, and the severity unless other evidence lowers it.
    package let problem: Problem
    package var severity: Severity
    /// Where it was found, unless it is about the whole of the domain's own server.
    package var place: Place?
    /// The evidence against it, which lowers its weight.
    package var doubt: Doubt?
    /// Values by name: header, address, date. Fit for display, and bounded.
    package private(set) var evidence: [String: String]

    package init(_ problem: Problem, severity: Severity? = nil, evidence: [String: String] = [:]) {
        self.problem = problem
        self.severity = severity ?? problem.declaration.severity
        self.evidence = [:]
        add(evidence)
    }

    /// nil for rules of the linter.
    package var kind: FindingKind? { problem.kind }

    package var rule: Rule { problem.declaration.rule }

    /// The incident that it feeds if it is an error.
    package var feeds: IncidentKind? { kind.map(\.feeds) ?? rule.feeds }

    /// The same finding, marked as seen only by this machine unless the step was seen to work for others.
    func tested(_ isTested: Bool) -> Finding {
        var finding = self
        if !isTested { finding.doubt = .untested }
        return finding
    }

    mutating func add(_ more: [String: String]) {
        evidence.merge(more.mapValues { $0.displayable.shortened(to: 2000) }) { $1 }
    }

    package enum Doubt: Codable, Equatable, Sendable {
        /// Apple's crawler got the file.
        case appleCopy
        /// The same, and one of its user agents gets the file here.
        case appleCopyAndAgent(AgentResult.Agent)
        /// Apple's crawler got the file, from another server than this machine's resolver gives.
        case otherServer
        /// Apple's crawler got the file at that instant: the server refuses only clients that merely use its name.
        case freshCopy(fetchedAt: Date)
        /// Apple's crawler reports something other than such an address.
        case appleWord
        /// None, but the step was not seen to work for others: this machine may be at fault.
        case untested
    }

    package enum Place: Codable, Equatable, Sendable {
        case behindRedirect(to: String)
        /// At these addresses of so many; `othersAnswer`: others are reachable and without the fault.
        case addresses([String], of: Int, othersAnswer: Bool)
    }
}

// MARK: - What a finding is about

/// One enum per area; the cases are declared in the area's file.
package enum Problem: Codable, Equatable, Sendable {
    case origin(OriginProblem)
    case cdn(CDNProblem)
    case file(FileProblem)
    case monitor(MonitorCause)
    /// A vantage whose own network fails; `detail`: from the network library.
    case vantageFailed(String, detail: String?)

    package enum Area: Sendable {
        case origin, cdn, file, expectation, monitor
    }

    package var area: Area {
        switch self {
        case .origin: .origin
        case .cdn: .cdn
        case .file(.lint), .file(.moreLint), .file(.linksRemoved): .file
        case .file(.copyLacks): .cdn
        case .file: .expectation
        case .monitor, .vantageFailed: .monitor
        }
    }

    package var kind: FindingKind? { declaration.kind }

    /// The position in the file as a JSON pointer (RFC 6901); nil if it has none.
    package var pointer: String? {
        switch self {
        case .file(.lint(let finding)): finding.pointer
        case .file(.linksRemoved): "/applinks"
        default: nil
        }
    }

    var declaration: Declaration {
        switch self {
        case .origin(let problem): problem.declaration
        case .cdn(let problem): problem.declaration
        case .file(let problem): problem.declaration
        case .monitor(let cause): cause.declaration
        case .vantageFailed(let name, let detail):
            .init(
                .vantageFailed, "The vantage \(name) could not be used: \(detail ?? "its proxy failed").",
                "Check the proxy of that vantage. The site is evaluated without it.")
        }
    }
}

/// What one case of an area declares: its kind of finding, its severity, the diagnosis that it leads to, and its words.
struct Declaration {
    let source: Source
    let severity: Severity
    let diagnosis: DiagnosisID
    /// Made on demand, as of an instant, because ages grow.
    let words: (Date) -> Words

    enum Source {
        case kind(FindingKind)
        /// A rule of the linter: its name and its reference.
        case lint(String, reference: String)
    }

    /// `severity`: nil for the kind's.
    init(
        _ kind: FindingKind, severity: Severity? = nil, leads diagnosis: DiagnosisID = .finding,
        _ why: @autoclosure @escaping () -> String, _ action: @autoclosure @escaping () -> String,
        closing: String? = nil, evidence: @autoclosure @escaping () -> [String: String] = [:]
    ) {
        self.init(kind, severity: severity, leads: diagnosis) { _ in
            Words(why(), action(), closing: closing, evidence())
        }
    }

    init(
        _ kind: FindingKind, severity: Severity? = nil, leads diagnosis: DiagnosisID = .finding,
        _ words: @autoclosure @escaping () -> Words
    ) {
        self.init(kind, severity: severity, leads: diagnosis) { _ in words() }
    }

    /// `words`: for texts with ages.
    init(
        _ kind: FindingKind, severity: Severity? = nil, leads diagnosis: DiagnosisID = .finding,
        words: @escaping (Date) -> Words
    ) {
        source = .kind(kind)
        self.severity = severity ?? kind.severity
        self.diagnosis = diagnosis
        self.words = words
    }

    init(_ lint: LintFinding, _ words: @autoclosure @escaping () -> Words) {
        source = .lint(lint.rule, reference: lint.reference)
        severity = lint.severity
        diagnosis = lint.severity == .error ? .fileFault : .fileWarning
        self.words = { _ in words() }
    }

    /// nil for rules of the linter.
    var kind: FindingKind? { if case .kind(let kind) = source { kind } else { nil } }

    var rule: Rule {
        switch source {
        case .kind(let kind): Rule(kind)
        case .lint(let name, _): Rule(lint: name)
        }
    }

    var reference: String {
        switch source {
        case .kind(let kind): kind.reference
        case .lint(_, let reference): reference
        }
    }
}

/// What is wrong and why, and what to do: a sentence or two each. The action begins with a verb.
struct Words {
    var why: String?
    var action: String?
    /// Further information, shown after the action.
    var closing: String?
    /// Evidence that needs words.
    var evidence: [String: String]

    init(_ why: String?, _ action: String? = nil, closing: String? = nil, _ evidence: [String: String] = [:]) {
        self.why = why
        self.action = action
        self.closing = closing
        self.evidence = evidence
    }

    /// The action and the further information.
    var advice: String? { action.map { [$0, closing].compactMap(\.self).joined(separator: " ") } }
}

/// The first few of many names.
package struct TruncatedList: Codable, Equatable, Sendable {
    package let names: [String]
    package let more: Int

    package init(_ all: [String], upTo limit: Int = 3) {
        names = Array(all.prefix(limit))
        more = max(0, all.count - limit)
    }

    package var count: Int { names.count + more }
}

// MARK: - In words

/// A finding for people and for receivers of alerts.
package struct FindingText: Codable, Equatable, Sendable {
    package let rule: Rule
    package let severity: Severity
    /// What is wrong, in a sentence or two.
    package var message: String
    package var evidence: [String: String]
    /// What to do about it.
    package var fix: String
    /// A link to the requirement.
    package let reference: String
}

extension Finding {
    /// The finding in words as of an instant.
    package func text(at now: Date) -> FindingText {
        let declaration = problem.declaration
        let words = declaration.words(now)
        var message = (place.map { "\(English.text(of: $0)): " } ?? "") + (words.why ?? "")
        switch doubt {
        case nil: break
        case .untested: message += " Only this machine saw it."
        case .appleWord: message += " Apple's crawler reports a different problem."
        case .appleCopy, .appleCopyAndAgent, .otherServer, .freshCopy:
            if case .origin(.notPublic) = problem {
                message += " But Apple's CDN has the file, so public DNS answers differently."
            } else {
                message += " Apple's CDN has the file."
            }
        }
        let fix = fix(words.advice ?? "", now)
        // The words may quote a watched site.
        return FindingText(
            rule: declaration.rule, severity: severity, message: message.displayable.shortened(to: 1000),
            evidence: evidence.merging(words.evidence.mapValues { $0.displayable.shortened(to: 2000) }) { $1 },
            fix: fix.displayable.shortened(to: 1000), reference: declaration.reference)
    }

    private func fix(_ fix: String, _ now: Date) -> String {
        switch (problem, doubt) {
        case (_, nil): fix
        case (_, .freshCopy(let fetched)):
            "Nothing needs to be done: Apple's crawler got the file \(English.age(since: fetched, now)) ago. Protections that "
                + "verify bots by address refuse clients that only use the name."
        case (_, .untested): English.elsewhereFirst(fix)
        case (.origin(.notPublic), _), (_, .otherServer), (_, .appleWord):
            "Check from a network with public DNS, or add a vantage. Nothing needs to be done at the site."
        case (_, .appleCopyAndAgent(let agent)): "Let every user agent read the file, as \(agent.shortName) can."
        case (_, .appleCopy):
            "Check from another network, or allow this machine's address: Apple's copy shows that its crawler gets the file."
        }
    }
}

extension English {
    static func text(of place: Finding.Place) -> String {
        switch place {
        case .behindRedirect(let host): "Behind the redirect to \(host.inSentence)"
        case .addresses(let addresses, let all, othersAnswer: true):
            "At \(addresses.listed(upTo: 3)) only (\(addresses.count) of \(all) addresses)"
        case .addresses(let addresses, _, othersAnswer: false):
            "At \(addresses.listed(upTo: 3)), while the other addresses do not answer"
        }
    }

    /// The action for a fault that may be this machine's.
    static func elsewhereFirst(_ action: String) -> String {
        "First check from another network. If it fails there too, \(action.midSentence)"
    }
}
