import AASA
import Foundation

extension Checks {
    /// More findings would hide what else a check saw; `lint` shows all.
    static let maximumLintFindings = 15

    /// By the hash of the body, worst first; the rules do not change while the process runs. A domain's state shares
    /// this storage.
    private static let lintFindings = BoundedCache<ContentHash, [LintedFinding]>(
        capacity: 131_072, weight: { 1 + 8 * $0.count })

    typealias LintedFinding = (rule: String, finding: Finding)

    /// What the linter says about the origin's body. Devices read strict JSON with an object at its root.
    @Sendable static func fileLint(_ context: CheckContext) -> [Finding] {
        guard let answer = context.origin.answer, answer.status == 200, answer.body.end == .complete,
            // The linter cannot judge a body that we cannot decompress to its end.
            !isUndecodable(answer, context), !isCutInCompression(answer, context),
            let hash = answer.body.hash, let content = context.observation.contents[hash]
        else { return [] }
        let all = linted(hash, content)
        let news = all.filter { isNews($0.rule, context) }.map(\.finding)
        // Ignored findings do not use the space of the others.
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

    /// A valid file in which no link opens an app any more.
    @Sendable static func removedLinks(_ context: CheckContext) -> [Finding] {
        guard let file = context.readings.originFile, case .noLinks(let services) = file.use,
            context.history.hadLinks || context.readings.copies.contains(where: context.readings.opensLinks)
        else { return [] }
        return [Finding(.file(.linksRemoved(services: services)))]
    }

    static func linted(_ hash: ContentHash, _ content: Data) -> [LintedFinding] {
        lintFindings.value(for: hash) {
            Linter.lint(Array(content)).findings.sorted { $0.severity > $1.severity }.map {
                ($0.rule, Finding(.file(.lint($0))))
            }
        }
    }

    /// Whether the linter says the same about Apple's copy: then it does not explain an old copy.
    static func isInCopy(_ finding: Finding, _ context: CheckContext) -> Bool {
        guard let copy = context.readings.cdnFile, let content = context.observation.contents[copy.hash] else {
            return false
        }
        return linted(copy.hash, content).contains { $0.finding.rule == finding.rule }
    }

    /// The origin's own checks report the size, and an example app is normal on a domain for tests.
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
