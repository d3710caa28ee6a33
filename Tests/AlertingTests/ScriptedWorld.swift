// A clock that moves when told, and a network that answers by script.

import Evidence
import Foundation
import Monitoring
import Synchronization

@testable import Alerting

final class ManualTime: Timekeeper {
    private struct State {
        var now: Date
        var nextID = 0
        var sleepers: [Int: (due: Date, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var cancelled: Set<Int> = []
    }

    private let state: Mutex<State>

    init(now: Date = noon) { state = Mutex(State(now: now)) }

    func now() -> Date { state.withLock(\.now) }

    /// When the first sleeper wakes.
    var nextWake: Date? { state.withLock { $0.sleepers.values.map(\.due).min() } }

    func sleep(for duration: Duration) async throws { try await sleep(until: now() + duration / .seconds(1)) }

    func sleep(until instant: Date) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let end: Result<Void, any Error>? = state.withLock { state in
                    if state.cancelled.remove(id) != nil { return .failure(CancellationError()) }
                    // The instant may have passed since it was reckoned.
                    guard instant > state.now else { return .success(()) }
                    state.sleepers[id] = (instant, continuation)
                    return nil
                }
                if let end { continuation.resume(with: end) }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                let sleeper = state.sleepers.removeValue(forKey: id)
                if sleeper == nil { state.cancelled.insert(id) }
                return sleeper
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    func advance(to instant: Date) {
        let due = state.withLock { state in
            state.now = max(state.now, instant)
            let due = state.sleepers.filter { $0.value.due <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.sorted { $0.due < $1.due }
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// As by somebody who corrects the clock.
    func setBack(by seconds: Double) { state.withLock { $0.now -= seconds } }
}

final class ScriptedTransport: MessageTransport {
    enum Reply: Sendable {
        case answer(TransportAnswer)
        case hang

        static func status(_ status: Int, _ body: String = "", retryAfter: String? = nil) -> Reply {
            .answer(
                TransportAnswer(
                    status: status, headers: retryAfter.map { [HeaderField(name: "Retry-After", value: $0)] } ?? [],
                    body: Data(body.utf8)))
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
    }

    private struct State {
        /// By the channel's name; 200 once the script is played out.
        var script: [String: [Reply]]
        var sent: [Sent] = []
    }

    private let time: any Timekeeper
    private let state: Mutex<State>

    init(time: any Timekeeper, script: [String: [Reply]] = [:]) {
        self.time = time
        state = Mutex(State(script: script))
    }

    var sent: [Sent] { state.withLock(\.sent) }

    func sent(to channel: String) -> [Sent] { sent.filter { $0.host == "\(channel).test" } }

    func post(_ request: MessageRequest) async throws -> TransportAnswer {
        let reply = state.withLock { state in
            let sent = Sent(at: time.now(), request: request)
            state.sent.append(sent)
            let name = sent.host.replacingOccurrences(of: ".test", with: "")
            guard var replies = state.script[name], !replies.isEmpty else { return Reply.status(200, "ok") }
            let next = replies.removeFirst()
            state.script[name] = replies
            return next
        }
        switch reply {
        case .answer(let answer): return answer
        case .hang:
            while true { try await Task.sleep(for: .seconds(60)) }
        }
    }
}
