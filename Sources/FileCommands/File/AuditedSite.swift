// What `audit` knows about a domain that an app claims: from a check, or from its file alone.

import Evidence
import Foundation

/// A claimed domain, seen by a check, or only its file.
package protocol AuditedSite: Sendable {
    /// The file that devices get. It shows the services that the app does not claim.
    func file(in mode: AssociationMode) -> ContentReading?
    func answer(to asked: AskedService) -> AuditAnswer
}

/// The result for a claimed domain, one service and one app.
package struct AuditAnswer {
    let level: Verdict.Level
    /// Whether the entry works on devices; nil if unknown.
    let works: Bool?
    let diagnosis: DiagnosisText
    let source: Source
    /// Findings beside the diagnosis.
    let also: (TextStyle) -> [String]

    /// What was read, what it says about the app in a few words, and its JSON.
    package enum Source {
        case check(origin: String, copy: String, OrderedJSON)
        case file(name: String, says: String, OrderedJSON)
    }

    package init(
        level: Verdict.Level, works: Bool?, diagnosis: DiagnosisText, source: Source,
        also: @escaping (TextStyle) -> [String]
    ) {
        (self.level, self.works, self.diagnosis) = (level, works, diagnosis)
        (self.source, self.also) = (source, also)
    }

    /// What the source says, in one line. `place`: names the domain of the file if the entry does not.
    func standing(_ place: String) -> String {
        switch source {
        case .check(let origin, let copy, _):
            origin == copy
                ? "\(origin), at the origin\(place) and in Apple's copy"
                : "origin\(place): \(origin) · Apple's copy: \(copy)"
        case .file(let name, let says, _): "\(says), in \(name)\(place)"
        }
    }
}

/// The local file of a domain, from `--file`.
struct FileInHand: AuditedSite {
    private let text: SourceText
    private let domain: Domain
    private let reading: ContentReading

    init(_ source: FileSource, of domain: Domain) throws {
        (text, self.domain) = (try SourceText(local: source), domain)
        // Throws for a signed file, which cannot be checked.
        _ = try text.content()
        reading = ContentReading(Data(text.bytes))
    }

    func file(in mode: AssociationMode) -> ContentReading? { reading }

    func answer(to asked: AskedService) -> AuditAnswer {
        let verdict = FileVerdict(of: Data(text.bytes), reading, at: domain, asked: asked, now: Date())
        let name = text.name.displayable
        let says = verdict.standing?.words ?? "is not an association file"
        // Those that `lint` shows.
        let more = verdict.findings.dropFirst().count {
            if case .file(.lint) = $0.problem { $0.severity > .note } else { false }
        }
        let isPlain = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+,:".contains($0)) }
        let command =
            text.source == .standardInput ? "" : ": aasa-monitor lint \(isPlain ? name : name.quotedForShell)"
        return AuditAnswer(
            level: verdict.level, works: verdict.standing?.works ?? false, diagnosis: verdict.diagnosis,
            source: .file(
                name: name, says: says,
                .object([
                    ("path", .string(text.name)), ("says", .string(says)),
                    ("findings", .document(verdict.findings.map { $0.text(at: Date()) })),
                ])),
            also: { more < 1 ? [] : $0.part("also", more.of("more finding") + command) })
    }
}
