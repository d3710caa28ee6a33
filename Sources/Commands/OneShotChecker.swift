// One check without a daemon, with the history of a daemon's store where there is one.

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

/// Checks single targets with what the options and an optional configuration say.
struct OneShotChecker: Sendable {
    private let driver: CurlDriver
    let probe: DomainProbe
    private let store: Store?
    private let configuration: ConfigurationFile?
    private let defaults: CheckSettings
    private let reached = ReachedTargets()
    /// For each of origin and CDN, of the command line; nil: the configuration's.
    private let timeout: Duration?
    /// Of the command line, besides those of the configuration.
    private let expectations: [Domain: Expectations]

    /// `timeout`, `asksEdges`: nil leaves them to the configuration. `targets`: how many there are; of few, each connection
    /// reads the few certificates that it needs, of many the whole trust store is parsed once.
    init(
        connections: ConnectionOptions, timeout: Duration?, asksCDN: Bool, asksEdges: Bool? = nil,
        targets: Int,
        configuration: ConfigurationFile?,
        expectations: [Domain: Expectations] = [:]
    ) throws {
        self.configuration = configuration
        self.timeout = timeout
        self.expectations = expectations
        // Without a file its defaults hold.
        let file = configuration ?? ConfigurationFile(domains: [])
        defaults = file.defaults
        let network = Curl.NetworkSettings(
            caFile: connections.caFile ?? file.network.caFile,
            caFolder: targets <= 8 ? TrustStore.distributionFolder : nil,
            // The command line's entries come first: the first that fits counts.
            connectTo: connections.connectTo + file.network.connectTo,
            resolve: file.network.resolve + connections.resolve,
            proxy: connections.proxy ?? file.network.proxy?.reveal())
        do {
            driver = try CurlDriver(network: network, maximumConcurrent: file.network.maxConcurrent)
        } catch {
            throw CommandFailure(.software, "the network cannot be used: \(error.failure.detail)")
        }
        var settings = ProbeSettings(file, cdnBaseURL: connections.cdnURL, userAgent: Version.userAgent)
        settings.family = connections.family
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
            Console.remark("without history, since \(error.message)")
            return nil
        }
    }

    /// One check of a domain, to be judged for one service or several.
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

    /// `mode`: nil: that of the target, or else of the configuration.
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
        // What other targets of the same run reached shows what this machine can do.
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

    /// How devices reach the file of a target: by its entitlement, or by the configuration.
    func mode(of target: Target) -> AssociationMode {
        target.mode == .production ? watched(target.domain)?.mode ?? .production : target.mode
    }

    /// How long the CDN took for earlier changes, as the store remembers them; nil where it does not.
    func usualTime(of domain: Domain) async -> UsualTime? {
        let propagations = (try? await store?.state(of: domain))?.propagations ?? []
        return UsualTime(propagations.map { TimeInterval($0.seconds) })
    }

    /// The questions to the store; nil where there is none.
    var api: API? { store.map { API($0, now: Date()) } }

    private func watched(_ domain: Domain) -> WatchedDomain? { configuration?.domains.first { $0.domain == domain } }

    /// Works with it, then closes its connections and the store, however the work ends.
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

    /// - Returns: nil where there is no earlier change.
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

    /// Notes whether a target answered, under a certificate that is trusted.
    /// - Returns: whether another one did.
    func note(_ observation: Observation) -> Bool {
        domains.withLock { domains in
            let origin = observation.origin
            if origin.answer != nil, origin.connection?.tls?.trusted == true { domains.insert(observation.domain) }
            return domains.contains { $0 != observation.domain }
        }
    }
}

/// Many pieces of work at once, their results in the order given and as soon as that order allows.
enum OrderedWork {
    /// Runs `work` on each input, at most `maximumConcurrent` at once, and gives the results to `each` in the order of the
    /// inputs. The first error ends all of it and is thrown.
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
