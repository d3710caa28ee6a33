// A new configuration for a running daemon: validated as a whole, then applied as differences. Unchanged domains keep
// running. A channel that keeps its name and destination repeats nothing and loses nothing.

import Alerting
import Curl
import Evidence
import Foundation
import Logging
import MonitorConfiguration
import Monitoring
import MonitorMetrics
import StatusServer
import Storage
import Synchronization
import UnixSignals

struct Reload: Sendable {
    let parts: MonitorParts
    let site: StatusSite

    private var live: LiveConfiguration { parts.live }
    private var logger: Logger { parts.logger }

    /// Applies the new configuration, or changes nothing.
    /// - Throws: `CurlError` if it cannot be used; the old one stays active.
    func apply(_ wanted: ConfigurationFile) async throws {
        let former = live.current
        let (next, fixed) = wanted.keepingWhatNeedsARestart(of: former)
        // Everything that can fail comes first.
        let drivers = try await newDrivers(from: former, to: next)
        let scheduler = parts.scheduler
        let changes = ConfigurationChanges(
            from: scheduler.watched, to: next.domains, isForAll: !next.checksAs(former))
        await scheduler.stop(changes.ending)
        for domain in changes.ending.subtracting(changes.beginning.map(\.domain)) {
            parts.metrics.set(domain.name, nil)
        }
        await route(next)
        await site.show(next)
        if let driver = drivers.checks { await parts.checks.replace(with: driver) }
        live.replace(with: next)
        await parts.global.replace(
            GlobalEvaluator.Configuration(
                next, parts.checks.present, userAgent: parts.environment.userAgent, time: parts.time))
        await tryStore("removed domains not cleaned up; the next start or reload tries again") {
            try await parts.endDomains(except: next.domains)
        }
        scheduler.start(parts.watchers(for: changes.beginning, of: next))
        parts.delivery.wake()
        site.tellRefusedReload(nil)
        report(changes, former, next, fixed)
        // Last, because it waits for the responses to messages in flight.
        if let driver = drivers.alerts { await parts.alerts.replace(with: driver) }
    }

    /// Applies the new routing and maintenance windows.
    private func route(_ next: ConfigurationFile) async {
        let routing = Routing(next)
        await tryStore("channel pauses not ended") { try await parts.delivery.replace(routing: routing) }
        parts.silences.replace(windows: next.maintenance)
        await parts.storeTrouble.replace(routing: routing)
    }

    /// Logs errors of the store and continues: the configuration is already active.
    private func tryStore(_ fault: String, _ work: () async throws -> Void) async {
        do {
            try await work()
        } catch {
            logger.error("\(fault): store failed", metadata: ["error": "\(error)"])
        }
    }

    private func newDrivers(
        from former: ConfigurationFile, to next: ConfigurationFile
    ) async throws -> (checks: CurlDriver?, alerts: CurlDriver?) {
        var made: CurlDriver?
        if former.network != next.network { made = try CurlDriver(forChecksOf: next) }
        guard former.network != next.network || former.alerts.channels.count < next.alerts.channels.count else {
            return (made, nil)
        }
        do {
            return (made, try CurlDriver(forAlertsOf: next))
        } catch {
            await made?.shutdown()
            throw error
        }
    }

    private func report(
        _ changes: ConfigurationChanges, _ former: ConfigurationFile, _ next: ConfigurationFile, _ fixed: [String]
    ) {
        // Before the last line of a reload: a reader who waits for that line has all others.
        for key in fixed {
            logger.warning("changed setting needs a restart", metadata: ["key": "\(key)"])
        }
        if let words = next.alerts.warningOfSilence { logger.warning("\(words)") }
        let before = Set(former.alerts.channels.map(\.name))
        let after = Set(next.alerts.channels.map(\.name))
        logger.notice(
            "configuration reloaded",
            metadata: [
                "domains": .stringConvertible(next.domains.count), "added": .stringConvertible(changes.added),
                "removed": .stringConvertible(changes.removed),
                "changed": .stringConvertible(changes.changed),
                "new_channels": "\(after.subtracting(before).sorted().joined(separator: ", "))",
                "removed_channels": "\(before.subtracting(after).sorted().joined(separator: ", "))",
            ])
    }
}

extension Reload {
    /// Reads the configuration again at each SIGHUP, until the task is cancelled. A file with errors is refused, all of
    /// them are logged, and the running configuration stays.
    ///
    /// `hangups`: trapped since the start, because SIGHUP would otherwise end the process.
    func follow(_ hangups: UnixSignalsSequence) async {
        for await _ in hangups {
            parts.environment.notifier?.reloading()
            await once()
            parts.environment.notifier?.ready()
        }
    }

    private func once() async {
        guard let read = parts.environment.rereading else {
            logger.warning("SIGHUP ignored: there is no configuration file")
            return
        }
        do {
            let (configuration, warnings) = try read()
            for warning in warnings { logger.warning("\(warning)") }
            if let words = live.suspicion(of: configuration) { return refuse(words) }
            try await apply(configuration)
        } catch is CancellationError {
            return
        } catch let fault as ConfigurationFault {
            for problem in fault.problems { logger.error("\(problem)") }
            refuse(fault.problems.first { $0.severity == .error }.map { "\($0)" } ?? "\(fault)")
        } catch {
            refuse("\(error)")
        }
    }

    private func refuse(_ reason: String) {
        live.refuse(reason, at: parts.time.now())
        site.tellRefusedReload(reason)
        logger.error(
            "configuration not reloaded: the running one stays active. Fix the file and send SIGHUP again.",
            metadata: ["reason": "\(reason)"])
    }
}

/// The watchers that a new configuration stops and starts.
struct ConfigurationChanges {
    /// Removed and changed domains.
    let ending: Set<Domain>
    /// New and changed domains.
    let beginning: [WatchedDomain]
    let added: Int
    let removed: Int
    let changed: Int

    /// `isForAll`: a setting that affects the checks of all domains has changed.
    init(from present: [Domain: WatchedDomain], to wanted: [WatchedDomain], isForAll: Bool) {
        beginning = isForAll ? wanted : wanted.filter { present[$0.domain] != $0 }
        let staying = Set(wanted.map(\.domain)).subtracting(beginning.map(\.domain))
        ending = Set(present.keys).subtracting(staying)
        added = beginning.count { present[$0.domain] == nil }
        changed = beginning.count - added
        removed = ending.count - changed
    }
}

extension ConfigurationFile {
    /// Whether a channel is notified of changes.
    var followsChanges: Bool { alerts.channels.contains { $0.notifies.contains(.changes) } }

    /// Whether the settings shared by all checks are equal, so that an unchanged domain needs no new watcher.
    fileprivate func checksAs(_ other: ConfigurationFile) -> Bool {
        defaults.timeout == other.defaults.timeout && network == other.network && cdn == other.cdn
            && vantages == other.vantages && followsChanges == other.followsChanges
    }

    /// This configuration with the running values of settings that only a restart can change, and the names of those
    /// that differ.
    func keepingWhatNeedsARestart(of running: ConfigurationFile) -> (ConfigurationFile, fixed: [String]) {
        var next = self
        var fixed: [String] = []
        if server.host != running.server.host || server.port != running.server.port {
            // The token belongs to the address: on another address the page may be open to everybody.
            next.server = running.server
            fixed.append("server.listen")
        }
        if store.path != running.store.path {
            next.store.path = running.store.path
            fixed.append("store.path")
        }
        if log != running.log {
            next.log = running.log
            fixed.append("log")
        }
        return (next, fixed)
    }
}

/// The running configuration, and why the file was refused.
final class LiveConfiguration: Sendable {
    private struct State {
        var configuration: ConfigurationFile
        var refusal: RefusedConfiguration?
        /// The domains of a file that was refused because it has too few.
        var fewDomains: Set<Domain>?
        let takenAt = Date()
    }

    private let state: Mutex<State>

    init(_ configuration: ConfigurationFile) { state = Mutex(State(configuration: configuration)) }

    var current: ConfigurationFile { state.withLock(\.configuration) }

    /// The store also remembers removed channels.
    func hasChannel(_ name: String) -> Bool { current.alerts.channels.contains { $0.name == name } }

    /// Why the file is not active; nil if it is.
    var refusal: RefusedConfiguration? { state.withLock(\.refusal) }

    /// When the running configuration was read, by the wall clock.
    var takenAt: Date { state.withLock(\.takenAt) }

    func replace(with configuration: ConfigurationFile) {
        state.withLock { $0 = State(configuration: configuration) }
    }

    /// Why a file with less than half of the current domains is refused at first: it may be half written. A second
    /// reload with the same domains applies it. nil: it is accepted.
    func suspicion(of next: ConfigurationFile) -> String? {
        state.withLock { state in
            let present = Set(state.configuration.domains.map(\.domain))
            let wanted = Set(next.domains.map(\.domain))
            let kept = present.intersection(wanted).count
            guard present.count >= Self.fewestToDoubt, 2 * kept < present.count, state.fewDomains != wanted else {
                return nil
            }
            state.fewDomains = wanted
            return "it has \(kept) of \(present.count) domains; if this is intended, reload again"
        }
    }

    /// With fewer domains, it is normal to remove most of them.
    private static let fewestToDoubt = 5

    /// Keeps the running configuration. `words`: the reason, without secrets.
    func refuse(_ words: String, at now: Date) {
        state.withLock { $0.refusal = RefusedConfiguration(since: $0.refusal?.since ?? now, words: words) }
    }
}
