// The reference hosts, asked only when the local network is suspect, and then seldom: they are other people's machines.

import Evidence
import Foundation
import Monitoring
import Probing

/// How the reference hosts are asked: by the network, or a test's idea of one.
package protocol CanaryProbing: Sendable {
    /// As `CanaryProbe.reachesAny`.
    func reachesAny(of hosts: [String]) async throws -> Bool
}

extension CanaryProbe: CanaryProbing {}

package actor CanaryWatch {
    private let hosts: [String]
    private let probe: any CanaryProbing
    private let time: any Timekeeper
    /// How long an answer holds.
    private let life: TimeInterval
    private var last: CanaryRound?
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var isAsking = false

    /// `interval`: the shortest between two checks of a domain; an answer that is older than that is no help to the next.
    package init(hosts: [String], probe: any CanaryProbing, time: any Timekeeper, interval: Duration) {
        self.hosts = hosts
        self.probe = probe
        self.time = time
        life = min(30, interval.inSeconds)
    }

    /// What they said when they were last asked; before that, that they are there.
    var round: CanaryRound { last ?? CanaryRound(at: .distantPast, hosts: hosts, isLost: false) }

    /// Asks them, unless that was done just now. Callers at the same time share the answer.
    func ask() async {
        if let last, time.now().timeIntervalSince(last.at) < life, time.now() >= last.at { return }
        guard !isAsking else { return await withCheckedContinuation { waiting.append($0) } }
        isAsking = true
        // A process that ends asks nobody, and learns nothing from that.
        if let isReached = try? await probe.reachesAny(of: hosts) {
            last = CanaryRound(at: time.now(), hosts: hosts, isLost: !isReached)
        }
        isAsking = false
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}
