import Foundation

extension Checks {
    /// The file at the site's root, where systems before iOS 9.3 looked. Whether Apple's crawler still falls back on it is
    /// not known.
    @Sendable static func rootCopy(_ context: CheckContext) -> [Finding] {
        guard let root = context.observation.full?.rootCopy, let copy = context.readings.file(of: root),
            copy.namesService, let meaning = copy.meaning
        else { return [] }
        var evidence = ["url": root.url, "root_sha256": copy.hash.hex]
        if let origin = context.readings.originFile {
            guard origin.meaning != meaning else { return [] }
            evidence["well_known_sha256"] = origin.hash.hex
            return [
                Finding(
                    rule: .origin("root-copy-differs"), severity: .warning,
                    message: "the file at /apple-app-site-association is another one than at /.well-known/: which of "
                        + "them counts depends on who reads",
                    evidence: evidence, fix: "serve the same file at both places, or remove the one at the root",
                    reference: Reference.archivedGuide)
            ]
        }
        guard context.readings.originSaysNoFile else { return [] }
        return [
            Finding(
                rule: .origin("root-only"), severity: .warning,
                message: "the file is at /apple-app-site-association only: devices since iOS 9.3 ask "
                    + "/.well-known/ first, and developer mode and newer systems ask nowhere else",
                evidence: evidence, fix: "serve it at \(context.domain.wellKnownURL) too",
                reference: Reference.supportingDomains)
        ]
    }
}
