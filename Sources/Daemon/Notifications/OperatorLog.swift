// What people do to notifications is logged in one place, whichever process wrote it: a command, the page or the API.

import Evidence
import Foundation
import Logging
import Monitoring
import Storage
import Synchronization

/// Logs silences and acknowledgements, with who and why.
final class OperatorLog: Sendable {
    private let store: Store
    private let time: any MonitorClock
    private let logger: Logger
    private let known = Mutex(Known())

    private struct Known {
        /// Those that were not over at the last look; nil: there was none.
        var silences: [String: Silence]?
        /// The last change of an incident that was looked at; nil: none was.
        var seen: Int64?
        /// In force, by the id of the incident.
        var acknowledged: [String: Acknowledgement] = [:]
    }

    /// So many changes of incidents are read at a time.
    private static let page = 500

    init(store: Store, time: any MonitorClock, logger: Logger) {
        self.store = store
        self.time = time
        self.logger = logger
    }

    /// Takes the silences that are not over.
    func note(_ silences: [Silence]) {
        let now = Dictionary(silences.map { ($0.id, $0) }) { first, _ in first }
        let before = known.withLock { known in
            defer { known.silences = now }
            return known.silences
        }
        let isStart = before == nil
        for silence in silences where before?[silence.id] != silence {
            let words: Logger.Message =
                isStart ? "silence in force" : before?[silence.id] == nil ? "silence added" : "silence changed"
            logger.log(level: isStart ? .info : .notice, words, metadata: metadata(silence))
        }
        for silence in (before ?? [:]).values.sorted(by: { $0.id < $1.id }) where now[silence.id] == nil {
            logger.notice(
                silence.endsAt <= time.systemTime() ? "silence over" : "silence ended early",
                metadata: metadata(silence))
        }
    }

    /// Reads what changed since the last look.
    func followAcknowledgements() async throws {
        guard var seen = known.withLock(\.seen) else {
            let latest = try await store.latestChange()
            let acknowledged = try await store.acknowledgements()
            known.withLock { known in
                known.seen = latest
                known.acknowledged = acknowledged
            }
            return
        }
        while try await store.latestChange() > seen {
            let records = try await store.incidents(changedAfter: seen, limit: Self.page)
            guard let last = records.last else { return }
            for record in records { note(record) }
            seen = last.change
            known.withLock { $0.seen = last.change }
        }
    }

    private func note(_ record: IncidentRecord) {
        let incident = record.incident
        let now = incident.state == .resolved ? nil : record.acknowledgement
        let before = known.withLock { known in
            defer { known.acknowledged[incident.id] = now }
            return known.acknowledged[incident.id]
        }
        guard incident.state != .resolved, now != before else { return }
        var metadata: Logger.Metadata = ["incident": "\(incident.id)", "kind": "\(incident.kind.rawValue)"]
        if let domain = incident.domain { metadata["domain"] = "\(domain)" }
        if let by = (now ?? before)?.by { metadata["by"] = "\(by.displayable)" }
        if let now {
            if !now.reason.isEmpty { metadata["why"] = "\(now.reason.displayable)" }
            logger.notice("incident acknowledged", metadata: metadata)
        } else if let before {
            logger.notice(
                before.holds(for: incident)
                    ? "acknowledgement ended" : "acknowledgement lapsed: the incident became worse or came back",
                metadata: metadata)
        }
    }

    private func metadata(_ silence: Silence) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "silence": .stringConvertible(Int(silence.id) ?? 0), "scope": "\(silence.scope)",
            "until": "\(silence.endsAt.rfc3339)",
            "by": "\(silence.author.displayable)", "why": "\(silence.reason.displayable)",
        ]
        if silence.startsAt > time.systemTime() { metadata["from"] = "\(silence.startsAt.rfc3339)" }
        return metadata
    }
}
