// The power fails: the store keeps what was flushed, and a random number of the later writes, in their order. Receivers
// keep what they got. So no message may leave that depends on a write that can still be undone.

import Evidence
import Foundation
import Monitoring
import Storage

extension Simulation {
    /// A site after one of its checks.
    struct Moment {
        let state: DomainState?
        let outlook: Outlook?
    }

    /// More checks than a log can hold between two flushes.
    private static let mostMoments = 1000

    /// Records the state of a site: a power failure may lead back to it.
    func noteMoment(_ site: Int) {
        moments[site, default: []].append(Moment(state: states[site], outlook: outlooks[site]))
        if moments[site]?.count ?? 0 > Self.mostMoments { moments[site]?.removeFirst() }
    }

    /// The state at the start of a process cannot be undone.
    func forgetMoments() {
        moments = [:]
        for site in sites.indices { noteMoment(site) }
    }

    /// Cuts the log of a copied store.
    /// `mark`: of the copied log. `flushed`: where it was last flushed.
    /// - Returns: whether anything was lost.
    func cut(_ copy: String, _ mark: LogMark, flushed: LogMark?) throws -> Bool {
        let kept = powerDice.number(mark.flushed(at: flushed)...mark.frames)
        guard kept < mark.frames, let file = FileHandle(forUpdatingAtPath: copy + "-wal") else { return false }
        try file.truncate(atOffset: mark.bytes(ofFrames: kept))
        try file.close()
        figures.count("machine: power failures")
        figures.count("machine: pages lost", mark.frames - kept)
        log.note(
            clock.passed, "the power fails, and \(mark.frames - kept) pages of \(mark.frames) are lost")
        return true
    }

    /// The audit goes back together with the store, and compares what was sent with what is left.
    func goBack(to copy: String) async throws {
        // Opening a store changes its log, so this opens a copy.
        let result = copy + ".look"
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: copy + suffix) {
            try FileManager.default.copyItem(atPath: copy + suffix, toPath: result + suffix)
        }
        defer {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: result + suffix) }
        }
        let store = try Store(path: result, access: .reader)
        let reading = try StoreReading(path: result)
        defer {
            try? reading.close()
            try? store.close()
        }
        for site in sites.indices {
            let state = try await store.state(of: try SimulatedSetup.domain(of: site))
            if state == states[site] { continue }
            guard let moment = moments[site]?.last(where: { $0.state == state }) else {
                if state == nil, maybeRetired.contains(site) { continue }
                return fail(
                    Violation(rule: .nothingLost, detail: "the state of site \(site) was never committed"))
            }
            (states[site], outlooks[site]) = (moment.state, moment.outlook)
        }
        var present: [String: Set<String>] = [:]
        for channel in setupOfLife.channels {
            present[channel.name] = Set(try reading.messages(channel: channel.name).map(\.key))
        }
        let feeds = Set(setupOfLife.channels.filter(\.isFeed).map(\.name))
        checking { try audit.goBack(to: try reading.incidents(changedAfter: 0), present: present, feeds: feeds) }
    }
}

extension Audit {
    /// `rows`: the remaining incidents. `present`: the keys of the messages under way, by channel.
    mutating func goBack(to rows: [CommittedIncident], present: [String: Set<String>], feeds: Set<String>) throws {
        try ledger.goBack(to: rows)
        for (key, content) in keys {
            for member in content.members {
                guard let incident = ledger[member.incident], incident.version >= member.version else {
                    throw Violation(
                        rule: .committed,
                        detail: "\(content.channel) was sent version \(member.version) of \(member.incident), "
                            + "which a power failure undid")
                }
            }
            // The store may have forgotten the answer: the message goes out again.
            if present[content.channel]?.contains(key) == true { keys[key]?.isSettled = false }
        }
        for id in Array(stories.keys) {
            // Each process sends a feed the current alerts, and an alert that nobody repeats ends there by itself.
            guard !feeds.contains(id.channel) else {
                stories[id] = nil
                continue
            }
            stories[id]?.goBack(present: present[id.channel] ?? [], isOver: ledger[id.incident]?.isOver ?? false)
        }
        active.formUnion(ledger.incidents.keys)
    }
}
