import Alerting
import Evidence
import Facts
import Foundation
import Logging
import Monitoring
import Storage
import Synchronization
import TestTraits
import Testing

@testable import Daemon

@Suite("The daemon's parts", .timeLimit(.minutes(120)), .inTurn) struct DaemonSuite {}

let noon = Date(timeIntervalSince1970: 1_795_000_000)
let silent = Logger(label: "x") { _ in SwiftLogNoOpLogHandler() }

/// Receivers whose answer depends on the host name.
final class Receivers: MessageTransport {
    enum Behaviour {
        case takes
        case refuses
        /// It answers with a server error, but may have accepted the message.
        case fails
        /// No connection is possible.
        case isDown
        case hangs
    }

    private let behaviours: Mutex<[String: Behaviour]>
    private let requests = Mutex<[MessageRequest]>([])

    /// By channel, each at `https://NAME.test`; other hosts accept everything.
    init(_ behaviours: [String: Behaviour] = [:]) { self.behaviours = Mutex(behaviours) }

    func set(_ behaviour: Behaviour, for name: String) { behaviours.withLock { $0[name] = behaviour } }

    func sent(to name: String) -> [MessageRequest] {
        requests.withLock { $0.filter { $0.url.contains("//\(name).test") } }
    }

    func post(_ request: MessageRequest) async throws -> TransportAnswer {
        requests.withLock { $0.append(request) }
        let name = URLComponents(string: request.url)?.host?.replacing(".test", with: "") ?? ""
        switch behaviours.withLock({ $0[name] ?? .takes }) {
        case .takes:
            // A success for both channel types: webhooks accept any success status, PagerDuty needs this answer.
            return TransportAnswer(status: 202, body: Data(#"{"status":"success"}"#.utf8))
        case .refuses: return TransportAnswer(status: 403)
        case .fails: return TransportAnswer(status: 500)
        case .isDown:
            return TransportAnswer(
                status: nil, fault: TransportFault(kind: .network, detail: "connection refused", wasSent: false))
        case .hangs:
            try await Task.sleep(for: .seconds(3600))
            throw CancellationError()
        }
    }
}

func hook(_ name: String) throws -> Channel { Channel(name: name, kind: .webhook, url: "https://\(name).test/in") }

func pager(_ name: String) throws -> Channel {
    Channel(
        name: name, kind: .pagerduty, url: "https://\(name).test", token: String(repeating: "a", count: 32))
}

/// A clock that a test moves; every wait ends immediately.
final class MovedTime: MonitorClock {
    private let state = Mutex((now: noon, wall: noon))

    func now() -> Date { state.withLock(\.now) }
    func systemTime() -> Date { state.withLock(\.wall) }

    func pass(_ seconds: TimeInterval) {
        state.withLock { state in
            state.now += seconds
            state.wall += seconds
        }
    }

    func moveWall(_ seconds: TimeInterval) { state.withLock { $0.wall += seconds } }

    func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        pass(duration / .seconds(1))
        await Task.yield()
    }
}

/// A store in its own directory, which is deleted with it.
final class ScratchStore: Sendable {
    let folder: URL
    let store: Store

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "aasa-daemon-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        store = try Store(path: folder.appending(path: "monitor.db").path)
    }

    deinit {
        try? store.close()
        try? FileManager.default.removeItem(at: folder)
    }
}

/// Without channels: nothing is sent.
func delivery(_ store: Store, _ time: any MonitorClock) -> Delivery {
    Delivery(
        store: store,
        routing: Routing(channels: [], domains: [], cdnBaseURL: "https://cdn.test", instance: "monitor-1"),
        transport: Receivers(), time: time, userAgent: "x", logger: silent)
}

/// Answers immediately unless it is stuck, and records which domain was checked when.
final class FakeProbe: DomainProbing {
    let isStuck: Mutex<Bool>
    /// The number of running checks that hang. A check that began before the probe was stuck still ends.
    let hung = Mutex(0)
    let asked = Mutex<[Domain: [Date]]>([:])
    let depths = Mutex<[Depth]>([])

    init(isStuck: Bool = false) { self.isStuck = Mutex(isStuck) }

    /// The number of checks that started.
    var begun: Int { depths.withLock(\.count) }

    func observe(
        _ domain: Domain, mode: AssociationMode, depth: Depth, hadFile: Bool, pages: [String], timeout: Duration?,
        compared: (origin: ContentHash, copy: ContentHash)?, now: Date
    ) async throws -> Observation {
        asked.withLock { $0[domain, default: []].append(now) }
        depths.withLock { $0.append(depth) }
        if isStuck.withLock(\.self) {
            hung.withLock { $0 += 1 }
            defer { hung.withLock { $0 -= 1 } }
            try await Task.sleep(for: .seconds(3600))
        }
        let failure = Failure(kind: .own, phase: .resolving, detail: "not asked")
        return Observation(
            domain: domain, checkedAt: now, mode: mode,
            origin: Retrieval(url: domain.wellKnownURL, outcome: .failed(failure)), cdn: .notAsked(.mode))
    }
}

/// The watchers of `d0.test`, `d1.test` and so on.
func watchers(
    _ count: Int, every interval: Duration = .seconds(300), _ probe: FakeProbe, _ store: Store,
    _ time: any MonitorClock, logger: Logger = silent
) throws -> [DomainWatcher] {
    let delivery = delivery(store, time)
    return try (0..<count).map {
        DomainWatcher(
            WatchedDomain(domain: try Domain("d\($0).test"), checks: CheckSettings(interval: interval)),
            .init(probe: probe, store: store, global: nil, delivery: delivery, time: time, logger: logger))
    }
}
