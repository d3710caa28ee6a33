// Effects that take hours to appear: `make soak` runs it, nightly and for releases.

import Foundation
import Lab
import LabFaults
import TestTraits
import Testing
import TestSupport

enum Soak {
    static let minutes = ProcessInfo.processInfo.environment["AASA_SOAK_MINUTES"].flatMap(Int.init) ?? 0
    static var isWanted: Bool { minutes > 0 }
    static let absence: Comment = "it takes long; make soak runs it"
}

/// Runs alone, because it runs longer than the other suites.
@Suite(.timeLimit(.minutes(60 * 24)), .inTurn(.large, first: true))
struct SoakTests {
    private static let hosts = (0..<100).map { "site\($0).test" }

    @Test(
        "the daemon's memory does not grow with time",
        .enabled(if: Soak.isWanted, Soak.absence))
    func memory() async throws {
        try await Stage.with { stage in
            for host in Self.hosts { stage.lab.origin(host).serve(file()) }
            let receiver = try await LabReceiver.start()
            let watch = try Watch(
                stage, Self.hosts,
                Watch.Settings(
                    interval: "5s", staleAfter: Watch.soon, channels: [Watch.webhook(receiver.url("/in"))]))
            let (process, page) = try await watch.started()
            let begin = ContinuousClock.now
            let end = begin + .seconds(60 * Soak.minutes)
            var held: [Int] = []
            var round = 0
            while ContinuousClock.now < end {
                try await Self.trouble(round, stage, process)
                for path in ["", "metrics", "api/v1/domains", "domains/\(Self.hosts[round % Self.hosts.count])"] {
                    #expect(try await !fetch(page + path, on: stage).isEmpty, "\(path)")
                }
                try #require(process.end == nil, "\(process.errors.suffix(2000))")
                held.append(MemoryReading(of: process.pid, "VmRSS:").kilobytes)
                round += 1
                // One round per second, however long the pages took.
                try await Task.sleep(until: begin + .seconds(round), clock: .continuous)
            }
            process.signal(SIGTERM)
            #expect(try await process.ended() == .exit(0))
            #expect(!receiver.messages.isEmpty)
            // By then each host has had trouble, and caches of fixed size are full.
            let quarter = held.count / 4
            let early = held[quarter..<2 * quarter].max() ?? 0
            let late = held.suffix(quarter).max() ?? 0
            print("memory over \(Soak.minutes) min: \(early) kB in the second quarter, \(late) kB in the last one")
            #expect(late < early + early / 10, "\(early) kB, then \(late) kB")
            await receiver.shutdown()
        }
    }

    /// One host after the other breaks for half a minute. From time to time the configuration is reloaded.
    private static func trouble(_ round: Int, _ stage: Stage, _ process: MonitorProcess) async throws {
        if round.isMultiple(of: 10) {
            stage.lab.origin(hosts[round / 10 % hosts.count]).behaviour = .reply(.status(500))
            let mended = hosts[(round / 10 + hosts.count - 3) % hosts.count]
            stage.lab.origin(mended).serve(file("v\(round / 1000)"))
            stage.lab.cdn.refresh(mended)
        }
        if round % 300 == 299 { process.signal(SIGHUP) }
    }
}

/// The kernel's figures for a process' memory.
struct MemoryReading {
    /// 0 if the process has ended.
    let kilobytes: Int

    /// `VmRSS:` is the current size, `VmHWM:` the peak.
    init(of pid: pid_t, _ field: String) {
        let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(field) } ?? ""
        kilobytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
    }
}
