// A store, a clock that the test moves, scripted receivers, and the delivery that uses them, step by step.

import Evidence
import Facts
import Foundation
import Logging
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Alerting
@testable import Monitoring

final class ManualTime: MonitorClock {
    private let state: Mutex<(now: Date, shift: TimeInterval)>

    init(now: Date = noon) { state = Mutex((now, 0)) }

    func now() -> Date { state.withLock(\.now) }
    func systemTime() -> Date { state.withLock { $0.now + $0.shift } }

    func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        advance(to: now() + duration / .seconds(1))
    }

    func advance(to instant: Date) { state.withLock { $0.now = max($0.now, instant) } }

    /// Changes the wall clock only.
    func setWall(by seconds: TimeInterval) { state.withLock { $0.shift += seconds } }
}

final class ScriptedTransport: MessageTransport {
    enum Reply: Sendable {
        case answer(TransportAnswer)
        /// The process ends during the request.
        case dies

        static func status(_ status: Int, _ body: String = "", retryAfter: String? = nil) -> Reply {
            .answer(
                TransportAnswer(
                    status: status, headers: retryAfter.map { [HeaderField(name: "retry-after", value: $0)] } ?? [],
                    body: Data(body.utf8)))
        }

        /// The response of the requested service when it accepts a message.
        static func yes(to request: MessageRequest) -> Reply {
            let body = String(decoding: request.body, as: UTF8.self)
            let service: Service =
                body.contains("\"routing_key\"") ? .pagerduty : request.url.contains("wait=true") ? .discord : .slack
            return .status(service.yes.status, service.yes.body)
        }

        static func fault(_ kind: TransportFault.Kind, _ detail: String = "refused", wasSent: Bool = true) -> Reply {
            .answer(
                TransportAnswer(status: nil, fault: TransportFault(kind: kind, detail: detail, wasSent: wasSent)))
        }
    }

    struct Sent {
        let at: Date
        let request: MessageRequest

        var host: String { URLComponents(string: request.url)?.host ?? "" }
        var id: String? { request.headers.first { $0.name == "webhook-id" }?.value }
        var type: String? { (try? object(request.body))?["type"] as? String }
        var text: String { String(decoding: request.body, as: UTF8.self) }
    }

    private struct State {
        /// By channel name. After the script ends, the service accepts every message.
        var script: [String: [Reply]]
        var sent: [Sent] = []
    }

    private let time: any MonitorClock
    private let state: Mutex<State>

    init(time: any MonitorClock, script: [String: [Reply]] = [:]) {
        self.time = time
        state = Mutex(State(script: script))
    }

    var sent: [Sent] { state.withLock(\.sent) }

    func sent(to channel: String) -> [Sent] { sent.filter { $0.host == "\(channel).test" } }

    func script(_ channel: String, _ replies: [Reply]) { state.withLock { $0.script[channel] = replies } }

    func post(_ request: MessageRequest) async throws -> TransportAnswer {
        let reply = state.withLock { state in
            let sent = Sent(at: time.now(), request: request)
            state.sent.append(sent)
            let name = sent.host.replacingOccurrences(of: ".test", with: "")
            guard var replies = state.script[name], !replies.isEmpty else { return Reply.yes(to: request) }
            let next = replies.removeFirst()
            state.script[name] = replies
            return next
        }
        switch reply {
        case .answer(let answer): return answer
        case .dies: throw CancellationError()
        }
    }
}

final class World {
    let folder: String
    private(set) var store: Store
    let time = ManualTime()
    let transport: ScriptedTransport
    let log = LogBook()
    private(set) var delivery: Delivery
    private var steps: DeliverySteps
    private(set) var routing: Routing
    private var incidents: [String: Incident] = [:]

    static func routing(
        _ channels: [Channel], domains: [String] = ["example.com"], fallback: String? = nil,
        escalation: Escalation = Escalation(), remindEvery: Duration? = .seconds(86_400), groupWait: Duration = .zero,
        groupInterval: Duration = .zero, routed: [String]? = nil
    ) throws -> Routing {
        let watched = try domains.map {
            WatchedDomain(
                domain: try Domain($0), checks: CheckSettings(interval: .seconds(60)), labels: ["team": "growth"],
                channels: routed)
        }
        return Routing(
            channels: channels, domains: watched, fallback: fallback,
            escalation: escalation, cdnBaseURL: "https://cdn.test/a/v1", remindEvery: remindEvery,
            groupWait: groupWait, groupInterval: groupInterval, instance: "monitor-1")
    }

    init(script: [String: [ScriptedTransport.Reply]] = [:], _ routing: Routing? = nil) throws {
        // In memory where possible: hours of virtual time are thousands of flushes.
        let memory = "/dev/shm"
        let root = FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
        folder = "\(root)/aasa-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let store = try Store(path: folder + "/monitor.db", access: .monitor)
        let transport = ScriptedTransport(time: time, script: script)
        let routing = try routing ?? Self.routing([channel("hook")])
        let delivery = Self.delivery(store, routing, transport, time, log)
        self.store = store
        self.transport = transport
        self.routing = routing
        self.delivery = delivery
        steps = DeliverySteps(delivery)
        delivery.set(global: .distantFuture)
    }

    deinit {
        try? store.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static func delivery(
        _ store: Store, _ routing: Routing, _ transport: ScriptedTransport, _ time: ManualTime, _ log: LogBook
    ) -> Delivery {
        Delivery(
            store: store, routing: routing, transport: transport, time: time,
            userAgent: "aasa-monitor/test", jitter: { 0 },
            logger: Logger(label: "test") { _ in log.handler() })
    }

    /// Ends the process and starts another one from the store.
    func restart(_ routing: Routing? = nil) async throws {
        try store.close()
        store = try Store(path: folder + "/monitor.db", access: .monitor)
        self.routing = routing ?? self.routing
        delivery = Self.delivery(store, self.routing, transport, time, log)
        steps = DeliverySteps(delivery)
        delivery.set(global: .distantFuture)
        try await delivery.prepare()
    }

    func reload(_ routing: Routing) async throws {
        let former = self.routing.channels.map(\.name)
        self.routing = routing
        try await delivery.replace(routing: routing)
        // The last step of channels that the configuration no longer names.
        for name in former where routing.channel(named: name) == nil { _ = try await step(name) }
    }

    // MARK: - State

    /// Commits a change of an incident as a check would.
    /// `new`: as a new incident after one that ended.
    func commit(
        _ transition: IncidentChange.Transition, _ domain: String = "example.com", kind: IncidentKind = .cdnStale,
        severity: Severity? = nil, changes: [AssociationChange] = [], reason: Incident.Resolution = .recovered,
        new isNew: Bool = false
    ) async throws {
        let now = time.now()
        let key = "\(kind.rawValue) \(domain)"
        if isNew { incidents[key] = nil }
        var incident =
            try incidents[key]
            ?? Incident(
                id: String(ContentHash(of: (isNew ? "\(key) \(now)" : key).utf8).hex.prefix(16)),
                subject: .domain(try Domain(domain)), kind: kind,
                severity: .error, state: .pending, since: now - 3600, openedAt: now)
        func raise() -> Incident.Mark {
            incident.version += 1
            return Incident.Mark(version: incident.version, at: now)
        }
        switch transition {
        case .opened, .other, .rewritten, .dropped: break
        case .firing:
            incident.state = .firing
            incident.firedAt = now
            _ = raise()
        case .worse: incident.worse = raise()
        case .again:
            incident.state = .firing
            incident.resolvedAt = nil
            incident.reason = nil
            incident.again = raise()
        case .flapping:
            incident.flapping = raise()
            incident.isFlapping = true
        case .changed: _ = raise()
        case .recovering: incident.state = .recovering
        case .resolved:
            incident.state = .resolved
            incident.resolvedAt = now
            incident.reason = reason
        }
        incident.severity = severity ?? incident.severity
        incidents[key] = incident
        try await commit(incident, transition, changes: changes)
    }

    func commit(
        _ incident: Incident, _ transition: IncidentChange.Transition, changes: [AssociationChange] = [],
        affected: AffectedDomains? = nil,
        diagnosis: Diagnosis = .saying("the CDN lags"), findings: [Finding] = [finding()]
    ) async throws {
        let facts = IncidentFacts(
            diagnosis: diagnosis,
            comparison: Comparison(state: .stale, changedAt: incident.since, lagSeconds: 3600, changes: changes),
            findings: findings, affected: affected)
        let change = IncidentChange(incident: incident, facts: facts, transition: transition)
        if let domain = incident.domain {
            var state = DomainState(domain: domain)
            state.lastCheckedAt = time.now()
            if try await store.commit(Evaluation(state: state, changes: [change])) {
                delivery.wake()
            }
        } else if try await store.commit(GlobalEvaluation(state: GlobalState(), changes: [change])) {
            delivery.wake()
        }
    }

    /// A check of a domain that changes nothing.
    func check(_ domain: String = "example.com") async throws {
        var state = DomainState(domain: try Domain(domain))
        state.lastCheckedAt = time.now()
        _ = try await store.commit(Evaluation(state: state))
    }

    func incident(_ domain: String = "example.com", kind: IncidentKind = .cdnStale) throws -> Incident {
        try #require(incidents["\(kind.rawValue) \(domain)"])
    }

    /// Silences a domain or `all`, from the start of the test until `end` seconds later.
    func silence(_ text: String = "all", until end: TimeInterval) throws {
        let scope = SilenceScope(domains: [try DomainPattern(text)])
        delivery.set(
            silences: Silences(silences: [
                Silence(id: "1", scope: scope, startsAt: noon, endsAt: noon + end, author: "eva", reason: "work")
            ]))
    }

    func acknowledge(_ id: String) async throws {
        _ = try await store.acknowledge(named: id, Acknowledgement(by: "eva", reason: "", at: time.now()))
        delivery.wake()
    }

    func unacknowledge(_ id: String) async throws {
        _ = try await store.unacknowledge(named: id)
        delivery.wake()
    }

    // MARK: - Time

    /// Lets the loops do all that is due now.
    func settle() async throws { try await pass(0) }

    /// Lets this many seconds pass, with a check of each domain every ten minutes unless `isChecking` is false.
    func pass(_ seconds: TimeInterval, isChecking: Bool = true) async throws {
        let end = time.now() + seconds
        var checked = time.now()
        while true {
            if isChecking, time.now() >= checked + 600 || time.now() == checked {
                for domain in routing.domains.keys.sorted() { try await check(domain.name) }
                checked = time.now()
            }
            var next = end
            for channel in routing.channels.map(\.name) {
                var turns = 0
                while true {
                    let step = try await step(channel)
                    if case .at(let due) = step {
                        if let due { next = min(next, due) }
                        break
                    }
                    turns += 1
                    try #require(turns < 5000, "the loop of \(channel) does not come to rest")
                }
            }
            guard time.now() < end else { return }
            if isChecking { next = min(next, checked + 600) }
            time.advance(to: max(min(next, end), time.now() + 0.001))
        }
    }

    private func step(_ channel: String) async throws -> NextTurn {
        do { return try await steps.step(channel) } catch is CancellationError { return .at(nil) }
    }

    // MARK: - What was sent

    /// `incident.firing` and so on, without `incident.`.
    func types(_ channel: String = "hook") -> [String] {
        transport.sent(to: channel).map { ($0.type ?? "").replacingOccurrences(of: "incident.", with: "") }
    }

    /// The actions that a pager got: `trigger`, `acknowledge`, `resolve`.
    func actions() throws -> [String] {
        try transport.sent.map { try object($0.request.body)["event_action"] as? String ?? "" }
    }

    /// Seconds since the start.
    func offsets(_ channel: String = "hook") -> [Int] {
        transport.sent(to: channel).map { Int($0.at.timeIntervalSince(noon).rounded()) }
    }

    func data(_ index: Int, _ channel: String = "hook") throws -> [String: Any] {
        let sent = try #require(transport.sent(to: channel).dropFirst(index).first)
        return try #require(object(sent.request.body)["data"] as? [String: Any])
    }

    func known(_ channel: String = "hook", _ domain: String = "example.com") async throws -> NotificationRecord? {
        let id = try incident(domain).id
        return try await store.inspect(channel: channel) { try $0.notification(id) }
    }
}

/// All log lines as text.
final class LogBook: Sendable {
    private let lines = Mutex<[String]>([])

    var text: [String] { lines.withLock(\.self) }

    func handler() -> any LogHandler { Handler(book: self) }

    private struct Handler: LogHandler {
        let book: LogBook
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            book.lines.withLock { $0.append("\(event.level) \(event.message) \(event.metadata ?? [:])") }
        }
    }
}
