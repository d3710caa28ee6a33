import Foundation

extension Checks {
    /// The file at the site's root, where systems before iOS 9.3 looked. That Apple's crawler still falls back on it is
    /// probable, and documented nowhere: what its CDN has is the evidence.
    @Sendable static func rootCopy(_ context: CheckContext) -> [Finding] {
        guard let root = context.observation.full?.rootCopy, let copy = context.readings.file(of: root),
            copy.namesService, let meaning = copy.meaning
        else { return [] }
        var evidence = ["url": root.url, "root_sha256": copy.hash.hex]
        if let origin = context.readings.originFile {
            guard origin.meaning != meaning else { return [] }
            evidence["well_known_sha256"] = origin.hash.hex
            return [Finding(.origin(.rootCopyDiffers), evidence: evidence)]
        }
        guard context.readings.originSaysNoFile else { return [] }
        if let cdn = context.cdn?.answer {
            evidence["cdn_status"] = "\(cdn.status)"
            evidence["cdn_sha256"] = context.readings.cdnFile?.hash.hex
        }
        return [Finding(.origin(.rootOnly(context.domain)), evidence: evidence)]
    }
}
