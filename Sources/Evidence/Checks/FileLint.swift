import AASA
import Foundation

extension Checks {
    /// More findings than these would hide what else a check saw; `lint` shows all.
    static let maximumLintFindings = 15

    /// By the hash of the body, worst first; the rules do not change while the process lives. What a domain's state keeps of
    /// them is the same storage.
    private static let lintFindings = Recollection<ContentHash, [LintedFinding]>(
        capacity: 131_072, weight: { 1 + 8 * $0.count })

    private typealias LintedFinding = (rule: String, finding: Finding)

    /// What the linter says of the origin's body. Devices read strict JSON with an object at its root.
    @Sendable static func fileLint(_ context: CheckContext) -> [Finding] {
        guard let answer = context.origin.answer, answer.status == 200, answer.body.end == .complete,
            // What we cannot decompress, or not to its end, is no text to judge.
            !isUndecodable(answer, context), !isCutInCompression(answer, context),
            let hash = answer.body.hash, let content = context.observation.contents[hash]
        else { return [] }
        let all = linted(hash, content)
        let news = all.filter { isNews($0.rule, context) }.map(\.finding)
        // What does not count takes no room from what does.
        let findings = news.filter { !context.ignored.contains($0.rule) }
        let others = news.filter { context.ignored.contains($0.rule) }
        var result = Array(findings.prefix(maximumLintFindings)) + others.prefix(maximumLintFindings)
        if findings.count > maximumLintFindings, let worst = findings.dropFirst(maximumLintFindings).first {
            result.append(
                Finding(
                    .file(.moreLint(findings.count - maximumLintFindings, context.domain)),
                    severity: worst.severity))
        }
        return result
    }

    /// Valid, and no link opens an app any more.
    @Sendable static func removedLinks(_ context: CheckContext) -> [Finding] {
        guard let file = context.readings.originFile, case .noLinks(let services) = file.use,
            context.history.hadLinks || context.readings.copies.contains(where: context.readings.opensLinks)
        else { return [] }
        return [Finding(.file(.linksRemoved(services: services)))]
    }

    private static func linted(_ hash: ContentHash, _ content: Data) -> [LintedFinding] {
        lintFindings.value(for: hash) {
            Linter.lint(Array(content)).findings.sorted { $0.severity > $1.severity }.map {
                ($0.rule, Finding(.file(.lint($0))))
            }
        }
    }

    /// Whether the linter says the same of Apple's copy: then it is nothing that makes the copy old.
    static func isInCopy(_ finding: Finding, _ context: CheckContext) -> Bool {
        guard let copy = context.readings.cdnFile, let content = context.observation.contents[copy.hash] else {
            return false
        }
        return linted(copy.hash, content).contains { $0.finding.rule == finding.rule }
    }

    /// The origin's own checks have told the size; and a made-up app is at home on a domain made for tests.
    private static func isNews(_ rule: String, _ context: CheckContext) -> Bool {
        switch rule {
        case "file-too-large": false
        case "app-id-example": !context.domain.isReservedForExamples
        default: true
        }
    }
}

extension Domain {
    /// Names set aside for tests and documentation: https://www.rfc-editor.org/rfc/rfc2606
    var isReservedForExamples: Bool {
        let labels = name.split(separator: ".")
        if let last = labels.last, ["test", "example", "invalid", "localhost"].contains(last) { return true }
        return ["example.com", "example.net", "example.org"].contains(labels.suffix(2).joined(separator: "."))
    }
}
