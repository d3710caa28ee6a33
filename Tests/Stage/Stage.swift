// The scenes by name, and the instant at which all of them are shown.

import Evidence
import Foundation
import Monitoring
import StatusServer
import Storage

/// Time that stands still, which makes charts reproducible. The wall clock was corrected after the daemon started, and
/// not by whole seconds. So a page that shows an instant without converting it is two hours early. Midnight would be the
/// previous day.
package struct StageTime: MonitorClock {
    /// What the wall clock shows.
    package static let instant = Date(timeIntervalSince1970: 1_795_357_927.5)  // 2026-11-22T14:32:07Z
    /// How far the wall clock is ahead of the steady clock.
    package static let ahead: TimeInterval = 7200.4

    package init() {}

    package func now() -> Date { Self.instant - Self.ahead }
    package func systemTime() -> Date { Self.instant }
    package func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}

extension StageScenes {
    /// `twelve`, `fleet` (32 domains), `single`, `empty`, `hostile`, or a number of domains.
    package static func named(_ scene: String, now: Date) -> [StageSite] {
        switch scene {
        case "twelve", "empty": twelve(now: now)
        case "fleet": fleet(now: now)
        case "single": single(now: now)
        case "hostile": hostile(now: now)
        default: StageState.named(scene)?.sites ?? many(Int(scene) ?? 50, now: now)
        }
    }

    /// Fills a store with the checks of these sites.
    package static func play(
        _ sites: [StageSite], _ scene: String, into store: Store, now: Date
    ) async throws -> [WatchedDomain] {
        let watched = try sites.map {
            WatchedDomain(domain: try Domain($0.name), mode: $0.mode, labels: $0.labels)
        }
        try await store.watch(watched)
        try await store.note(wallAhead: StageTime.ahead)
        guard scene != "empty" else { return watched }
        let end = StageState.named(scene)?.end ?? now
        for site in sites { try await site.play(into: store, until: end - Double(site.name.count % 5) * 50) }
        if scene == "twelve" || scene == "fleet" { try await StageMessages.send(into: store, now: now) }
        return watched
    }
}
