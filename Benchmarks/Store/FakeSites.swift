// Sites and receivers that answer at once, in the process itself: what is left is the monitor's own work.

import Alerting
import Evidence
import Foundation
import Monitoring
import Synchronization
import TestSupport

final class FakeSites: Sendable {
    private struct Key: Hashable {
        let domain: String
        let depth: Depth
        let isFailing: Bool
    }

    private struct State {
        var isFailing = false
        var observations: [Key: Observation] = [:]
        var checks = 0
    }

    private let state = Mutex(State())
    private let posted = Atomic<Int>(0)
    private let postedBytes = Atomic<Int>(0)

    private static let edges = 8

    /// Messages that went out, and the bytes of their bodies.
    var messages: (count: Int, bytes: Int) {
        (posted.load(ordering: .relaxed), postedBytes.load(ordering: .relaxed))
    }

    /// From now on all origins answer 503, or the file again.
    func fail(_ isFailing: Bool) { state.withLock { $0.isFailing = isFailing } }

    /// What a check of a domain sees. No two checks take equally long.
    func observe(_ domain: Domain, depth: Depth, now: Date) throws -> Observation {
        let (known, key, number) = state.withLock { state in
            let key = Key(domain: domain.name, depth: depth, isFailing: state.isFailing)
            state.checks += 1
            return (state.observations[key], key, state.checks)
        }
        var observation = try known ?? Self.observation(key)
        if known == nil { state.withLock { $0.observations[key] = observation } }
        observation.checkedAt = now
        let time = 20 + Double(number % 17)
        observation.origin.connection?.timings = Timings(firstByte: time, total: time)
        return observation
    }

    private static func observation(_ key: Key) throws -> Observation {
        let file = Reply.file(ServedFile.content)
        let origin = key.isFailing ? Reply.status(503) : file
        switch key.depth {
        case .light: return try .of(key.domain, origin: origin, cdn: file)
        case .full:
            let scene = TestSupport.Scene.calm(origin).edges([Reply](repeating: file, count: edges))
            return try .of(key.domain, origin: origin, cdn: file, scene: scene)
        }
    }
}

extension FakeSites: MessageTransport {
    func post(_ request: MessageRequest) async throws -> TransportAnswer {
        posted.add(1, ordering: .relaxed)
        postedBytes.add(request.body.count, ordering: .relaxed)
        return TransportAnswer(status: 200, body: Data("ok".utf8))
    }
}
