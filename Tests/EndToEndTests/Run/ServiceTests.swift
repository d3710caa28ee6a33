// What systemd gets from the daemon, on a real datagram socket.

import Dispatch
import Foundation
import Lab
import LabFaults
import TestSupport
import Testing

extension EndToEndTests {
    @Suite("systemd") struct ServiceTests {
        private static func start(
            _ stage: Stage, _ watch: Watch, _ socket: NotifySocket, _ more: [String: String] = [:]
        ) throws -> MonitorProcess {
            try stage.start(
                ["run", "--config", watch.file],
                environment: ["NOTIFY_SOCKET": socket.name].merging(more) { $1 })
        }

        private static func address(of stage: Stage, isAbstract: Bool) -> String {
            isAbstract ? "@aasa-\(UUID().uuidString)" : stage.path("notify")
        }

        @Test("systemd gets ready, reload, watchdog, counts and end", arguments: [false, true])
        func protocolInOrder(_ isAbstract: Bool) async throws {
            try await Stage.with { stage in
                stage.lab.origin("good.test").serve(file())
                stage.lab.origin("bad.test").behaviour = .reply(.status(500))
                let socket = try NotifySocket(Self.address(of: stage, isAbstract: isAbstract))
                let watch = try Watch(stage, ["good.test", "bad.test"], Watch.Settings(staleAfter: "1h"))
                let process = try Self.start(stage, watch, socket, ["WATCHDOG_USEC": "300000"])
                try await until("READY", seen: { process.errors }) { socket.messages.contains("READY=1") }
                // The log does not come through the socket.
                try await until("the address", seen: { process.errors }) {
                    process.errors.firstMatch(of: /status page at http[^ \n]+\s/) != nil
                }
                let address = try #require(process.errors.firstMatch(of: /status page at (http[^ \n]+)/)?.1)
                #expect(try await fetch("\(address)healthz", on: stage).hasPrefix("ok"))
                try await until("the watchdog", seen: { "\(socket.messages)" }) {
                    socket.messages.count { $0 == "WATCHDOG=1" } > 3
                }
                try await until("the counts", seen: { "\(socket.messages)" }) {
                    socket.messages.contains("STATUS=2 domains, 1 failing, 1 incident open")
                }

                // A refused reload also reports its end.
                for text in [nil, "version: 1\ndomains: 7\n"] {
                    let before = socket.messages.count
                    if let text { try stage.write(watch.file, text) }
                    let signalled = ContinuousMoment.microseconds
                    process.signal(SIGHUP)
                    try await until("the end of the reload", seen: { "\(socket.messages)" }) {
                        socket.messages.dropFirst(before).contains("READY=1")
                    }
                    let states = socket.messages.dropFirst(before).filter { $0.contains("RE") }
                    let begin = try #require(states.first?.wholeMatch(of: /RELOADING=1\nMONOTONIC_USEC=([0-9]+)/)?.1)
                    #expect(states.dropFirst() == ["READY=1"])
                    #expect((signalled...ContinuousMoment.microseconds).contains(Int64(begin) ?? 0))
                }

                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                let messages = socket.messages
                #expect(messages.count { $0 == "STOPPING=1" } == 1)
                #expect(messages.count { $0 == "READY=1" } == 3)
            }
        }

        /// The clock of `MONOTONIC_USEC`.
        private enum ContinuousMoment {
            static var microseconds: Int64 { Int64(DispatchTime.now().uptimeNanoseconds / 1000) }
        }

        @Test("another process's watchdog gets no messages, and a missing socket does no harm")
        func others() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                let socket = try NotifySocket(stage.path("notify"))
                let watch = try Watch(stage, ["site.test"], Watch.Settings())
                let process = try Self.start(stage, watch, socket, ["WATCHDOG_USEC": "30000", "WATCHDOG_PID": "1"])
                try await until("READY", seen: { process.errors }) { socket.messages.contains("READY=1") }
                try await watch.checks(2, of: "site.test")
                #expect(!socket.messages.contains("WATCHDOG=1"))
                try FileManager.default.removeItem(atPath: socket.name)
                try await watch.checks(2, of: "site.test")
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
            }
        }

        @Test("a daemon whose port is in use is never ready and checks nothing")
        func portInUse() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                let socket = try NotifySocket(stage.path("notify"))
                let first = try Watch(stage, ["other.test"], Watch.Settings(store: "first.db"), file: "first.yaml")
                let (running, page) = try await first.started()
                let port = try #require(URL(string: page)?.port)
                let watch = try Watch(stage, ["site.test"], Watch.Settings(listen: "127.0.0.1:\(port)"))
                let process = try Self.start(stage, watch, socket)
                #expect(try await process.ended() == .exit(78))
                #expect(process.errors.contains("server.listen"))
                #expect(!socket.messages.contains("READY=1"))
                #expect(stage.lab.origin("site.test").requests.isEmpty)
                #expect(running.end == nil)
            }
        }
    }
}
