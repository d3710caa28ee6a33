import Evidence
import Foundation

/// The configuration that `init` writes: `monitor.yaml` of this project, with other domains.
enum InitialConfiguration {
    /// `targets`: of none the domain of the example stays. A domain in several modes is watched in production: those devices
    /// read Apple's copy of the same file.
    static func text(watching targets: [Target]) -> String {
        let example = String(decoding: PackageResources.monitor_yaml, as: UTF8.self)
        guard !targets.isEmpty else { return example }
        return example.replacing("\n  - example.com\n", with: "\n" + entries(targets).joined(), maxReplacements: 1)
    }

    private static func entries(_ targets: [Target]) -> [String] {
        var seen: Set<Domain> = []
        return targets.filter { seen.insert($0.domain).inserted }.map { first in
            let modes = targets.filter { $0.domain == first.domain }.map(\.mode)
            let mode = modes.contains(.production) ? .production : first.mode
            return mode == .production
                ? "  - \(first.domain)\n" : "  - {domain: \(first.domain), mode: \(mode.rawValue)}\n"
        }
    }
}
