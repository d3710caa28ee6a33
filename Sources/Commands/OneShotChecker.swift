// One check without a daemon, with the history of a daemon's store if there is one.

import Curl
import Daemon
import Evidence
import Facts
import Foundation
import MonitorConfiguration
import Monitoring
import Probing
import StatusServer
import Storage
import Synchronization

/// Checks single targets according to the options and an optional configuration.
struct OneShotChecker: Sendable {
    private let driver: CurlDriver
    let probe: DomainProbe
    private let store: Store?
    private let configuration: ConfigurationFile?
    private let defaults: CheckSettings
    private let reached = ReachedTargets()
    /// From the command line, for the origin and again for the CDN; nil: the configuration's.
    private let timeout: Duration?
    /// From the command line, in addition to those of the configuration.
    private let expectations: [Domain: Expectations]

    /// `asksEdges`: nil leaves it to the configuration. `targets`: how many there are. For few, each
    /// connection reads only the certificates that it needs; for many, the whole trust store is parsed once.
    init<Limit>(
        network: NetworkOptions<Limit>, asksCDN: Bool, asksEdges: Bool? = nil,
        targets: Int,
        configuration: ConfigurationFile?,
        expectations: [Domain: Expectations] = [:]
    ) throws {
        self.configuration = configuration
        timeout = network.timeout
        self.expectations = expectations
        // Without a file, use the defaults.
        let file = configuration ?? ConfigurationFile(domains: [])
        defaults = file.defaults
        let route = Curl.NetworkSettings(
            caFile: network.caFile ?? file.network.caFile,
            caFolder: targets <= 8 ? TrustStore.distributionFolder : nil,
            // The command line's entries come first: the first match wins.
            connectTo: network.connectTo + file.network.connectTo,
            resolve: file.network.resolve + network.resolve,
            proxy: network.proxy ?? file.network.proxy?.reveal())
        do {
            driver = try CurlDriver(network: route, maximumConcurrent: file.network.maxConcurrent)
        } catch {
            throw CommandFailure(.software, "the network cannot be used: \(error.failure.detail)")
        }
        var settings = ProbeSettings(file, cdnBaseURL: network.cdnURL, userAgent: Version.userAgent)
        settings.family = network.family
        if let timeout { settings.timeout = timeout }
        if let asksEdges { settings.asksEdges = asksEdges }
        if asksCDN { settings.asksBeforeOrigin = true }
        probe = DomainProbe(driver: driver, settings: settings)
        store = configuration.flatMap { Self.openStore($0.store.path) }
    }

    /// A store that does not exist yet, or cannot be read, only means that there is no history.
    private static func openStore(_ path: String) -> Store? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        do {
            return try Store(path: path, access: .reader)
        } catch {
            Console.remark("no history: \(error.message)")
            return nil
        }
    }

    /// One check of a domain. It can be evaluated for several services.
    struct Sighting: Sendable {
        let readings: Readings
        fileprivate let history: CopyHistory
        fileprivate let checks: CheckSettings
        fileprivate let expectations: Expectations
        fileprivate let cdnURL: String
        fileprivate let now: Date

        func report(on asked: AskedService?) -> CheckReport {
            CheckReport(
                observation: readings.observation, readings: readings,
                verdict: Verdict(
                    of: readings, history: history, checks: checks, expectations: expectations, asked: asked, now: now),
                judgedAt: now, cdnURL: cdnURL, expectations: expectations, service: asked?.name)
        }
    }

    /// `mode`: nil: that of the target, otherwise that of the configuration.
    func check(_ target: Target, in mode: AssociationMode? = nil, depth: Depth) async throws -> CheckReport {
        try await look(
            at: target.domain, in: mode ?? self.mode(of: target), depth: depth, places: target.namedPlaces
        )
        .report(on: target.service.map { AskedService($0) })
    }

    func look(
        at domain: Domain, in mode: AssociationMode, depth: Depth, places: [String] = []
    ) async throws -> Sighting {
        let state = try? await store?.state(of: domain)
        let watched = watched(domain)
        let expectations = (watched?.expect ?? Expectations()).adding(expectations[domain] ?? Expectations())
        let started = Date()
        let observation = try await probe.observe(
            domain, mode: mode, depth: depth,
            hadFile: state?.hadFile ?? false, pages: expectations.pages(of: domain),
            timeout: timeout ?? watched?.checks.timeout, places: places, now: started)
        // If another target of this run answered, this machine's network works.
        let readings = Readings(observation, witness: reached.note(observation) ? .proven : .asSeen)
        let now = Date()
        var history = CopyHistory.none
        if var state {
            state.noteOrigin(readings, at: now)
            history = state.history
        }
        return Sighting(
            readings: readings, history: history, checks: watched?.checks ?? defaults, expectations: expectations,
            cdnURL: probe.cdnURL(of: domain), now: now)
    }

    /// How devices reach the file of a target, from its entitlement or from the configuration.
    func mode(of target: Target) -> AssociationMode {
        target.mode == .production ? watched(target.domain)?.mode ?? .production : target.mode
    }

    /// How long the CDN took for earlier changes, from the store; nil if it has none.
    func usualTime(of domain: Domain) async -> UsualTime? {
        let propagations = (try? await store?.state(of: domain))?.propagations ?? []
        return UsualTime(propagations.map { TimeInterval($0.seconds) })
    }

    /// Queries to the store; nil without one.
    var api: API? { store.map { API($0, now: Date()) } }

    private func watched(_ domain: Domain) -> WatchedDomain? { configuration?.domains.first { $0.domain == domain } }

    /// Runs `work`, then closes the connections and the store, even if the work fails.
    func close<Value>(after work: () async throws -> Value) async throws -> Value {
        defer { try? store?.close() }
        return try await driver.shutdown(after: work)
    }
}

/// How long Apple's CDN took for earlier changes of a domain.
struct UsualTime: Sendable {
    /// In seconds.
    let median: TimeInterval
    /// `usually 6 h here, between 2 h and 26 h (5 changes)`
    let words: String

    /// - Returns: nil if there is no earlier change.
    init?(_ seconds: [TimeInterval]) {
        guard let shortest = seconds.min(), let longest = seconds.max() else { return nil }
        median = seconds.sorted().medianOfSorted
        words =
            seconds.count == 1
            ? "the last change took \(median.inWords) here"
            : "usually \(median.inWords) here, between \(shortest.inWords) and \(longest.inWords) (\(seconds.count) changes)"
    }
}

/// Which targets of a run answered this machine.
private final class ReachedTargets: Sendable {
    private let domains = Mutex<Set<Domain>>([])

    /// Notes whether a target answered with a trusted certificate.
    /// - Returns: whether another target did.
    func note(_ observation: Observation) -> Bool {
        domains.withLock { domains in
            let origin = observation.origin
            if origin.answer != nil, origin.connection?.tls?.trusted == true { domains.insert(observation.domain) }
            return domains.contains { $0 != observation.domain }
        }
    }
}

/// Runs work concurrently and passes on the results in the order of the inputs, each as early as that order allows.
enum OrderedWork {
    /// Runs `work` on each input, at most `maximumConcurrent` at once, and passes the results to `each` in the order of
    /// the inputs. The first error stops everything and is thrown.
    static func run<Input: Sendable, Output: Sendable>(
        _ inputs: [Input], maximumConcurrent: Int, work: @escaping @Sendable (Input) async throws -> Output,
        each: (Output) -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: (Int, Output).self) { group in
            var waiting: [Int: Output] = [:]
            var next = 0
            var shown = 0
            func start() {
                guard next < inputs.count else { return }
                let index = next
                let input = inputs[index]
                group.addTask { (index, try await work(input)) }
                next += 1
            }
            for _ in 0..<max(1, maximumConcurrent) { start() }
            while let (index, output) = try await group.next() {
                waiting[index] = output
                start()
                while let ready = waiting.removeValue(forKey: shown) {
                    each(ready)
                    shown += 1
                }
            }
        }
    }
}
