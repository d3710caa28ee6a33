import Curl
import Facts
import Foundation
import Lab
import LabFaults
import TestSupport
import TestTraits
import Testing

extension CurlTests {
    @Suite struct DriverTests {
        @Test("a cancelled transfer ends immediately, whether it runs or waits")
        func cancel() async throws {
            try await withLab(maximumConcurrent: 1) { lab, driver in
                lab.origin(host).behaviour = .fault(.hang)
                let running = Task { try await driver.perform(request(site)) }
                try await until { lab.origin(host).requests.count > 0 }
                let waiting = Task { try await driver.perform(request(site)) }
                waiting.cancel()
                await #expect(throws: CancellationError.self) { try await waiting.value }
                running.cancel()
                await #expect(throws: CancellationError.self) { try await running.value }
                lab.origin(host).behaviour = .reply(.json("{}"))
                let next = try await driver.perform(request(site))
                #expect(next.status == 200, "the slot is free again")
            }
        }

        @Test("a task cancelled before its request gets no transfer")
        func cancelledBefore() async throws {
            try await withLab { lab, driver in
                let (gate, open) = AsyncStream.makeStream(of: Void.self)
                let task = Task {
                    for await _ in gate { break }
                    return try await driver.perform(request(site))
                }
                task.cancel()
                open.finish()
                await #expect(throws: CancellationError.self) { try await task.value }
                _ = lab.origin(host)
            }
        }

        @Test("cancelling at any moment leaves nothing behind", arguments: [0, 1, 5, 20])
        func cancelStorm(yields: Int) async throws {
            try await withLab(maximumConcurrent: 4) { lab, driver in
                lab.origin(host).behaviour = .reply(.json("{}"))
                for _ in 0..<20 {
                    let tasks = (0..<5).map { _ in Task { try? await driver.perform(request(site)) } }
                    for _ in 0..<yields { await Task.yield() }
                    for task in tasks { task.cancel() }
                    for task in tasks { _ = await task.value }
                }
                let last = try await driver.perform(request(site))
                #expect(last.status == 200)
            }
        }

        @Test("200 transfers finish, never more than 8 concurrently")
        func bounded() async throws {
            let receiver = try await LabReceiver.start()
            let driver = try CurlDriver(maximumConcurrent: 8, slotTimeout: .seconds(1000))
            var plain = request(receiver.url("/"))
            plain.allowPlainHTTP = true
            let asked = plain
            // Concurrent: none of these ends.
            receiver.behaviour = .fault(.hang)
            let endless = (0..<8).map { _ in Task { try await driver.perform(asked) } }
            try await until { receiver.received.count == endless.count }
            for task in endless { task.cancel() }
            for task in endless { _ = try? await task.value }

            let pause = Duration.milliseconds(20)
            receiver.behaviour = .after(pause, .reply(.json("{}")))
            let statuses = try await withThrowingTaskGroup(of: Int?.self) { group in
                for _ in 0..<200 { group.addTask { try await driver.perform(asked).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count == 200)
            #expect(statuses.allSatisfy { $0 == 200 })
            // A transfer lasts at least from the arrival of the request until the delayed answer. So transfers that
            // arrive within that time run concurrently.
            let arrivals = receiver.received.dropFirst(endless.count).map(\.receivedAt).sorted()
            let window = milliseconds(pause) / 1000 * 0.9
            let peak = arrivals.map { first in
                arrivals.count { $0 >= first && $0.timeIntervalSince(first) < window }
            }.max()
            #expect((1...8).contains(peak ?? 0))
            await driver.shutdown()
            await receiver.shutdown()
        }

        /// When a server stays silent.
        enum Silence: CaseIterable { case beforeTheConnection, beforeTheAnswer }

        @Test("servers that never answer do not keep their slots", arguments: Silence.allCases)
        func deadServers(_ silence: Silence) async throws {
            let hole = try FullBacklog()
            try await withLab { lab, _ in
                lab.origin("hang.test").behaviour = .fault(.hang)
                lab.origin(host).behaviour = .reply(.json("{}"))
                let driver = try CurlDriver(
                    network: NetworkSettings(
                        caFile: lab.caFile,
                        connectTo: [host, "hang.test"].map { "\($0):443:127.0.0.1:\(lab.port)" }),
                    maximumConcurrent: 4)
                let dead =
                    switch silence {
                    case .beforeTheConnection: "https://127.0.0.1:\(hole.port)/"
                    case .beforeTheAnswer: "https://hang.test/"
                    }
                try await withThrowingTaskGroup(of: Int?.self) { group in
                    for _ in 0..<60 {
                        group.addTask { try await driver.perform(request(dead, total: .seconds(3600))).status }
                    }
                    group.addTask {
                        // Once this one had its turn, the others are in the queue or before it.
                        _ = try await driver.perform(request(dead, total: .milliseconds(300)))
                        return try await driver.perform(request(site)).status
                    }
                    let first = try await group.next()
                    #expect(first == 200)
                    group.cancelAll()
                }
                await driver.shutdown()
            }
            withExtendedLifetime(hole) {}
        }

        @Test("the time limit of a queued transfer starts with the transfer", .waitsForTimeout)
        func timeoutStartsLate() async throws {
            try await withLab(maximumConcurrent: 1, slotTimeout: .seconds(1000)) { lab, driver in
                lab.origin("hang.test").behaviour = .fault(.hang)
                lab.origin(host).behaviour = .reply(.json("{}"))
                async let first = driver.perform(request("https://hang.test/", total: .seconds(30)))
                try await until { lab.origin("hang.test").requests.count > 0 }
                // It waits longer than its own limit.
                let second = try await driver.perform(request(site, total: .seconds(20)))
                #expect(second.status == 200, "\(String(describing: second.error))")
                #expect(try await first.failure?.kind == .timedOut)
            }
        }

        @Test("idle connections are reused")
        func kept() async throws {
            try await withLab { lab, driver in
                lab.origin(host).behaviour = .reply(.json("{}"))
                var asked = request(site)
                asked.keepsConnection = true
                var results: [TransferResult] = []
                for _ in 0..<5 { results.append(try await driver.perform(asked)) }
                #expect(results.allSatisfy { $0.status == 200 })
                #expect(lab.connectionsAccepted == 1)
                #expect(results.map(\.isReused) == [false, true, true, true, true])
                #expect(results.allSatisfy { $0.connection.tls?.version == "TLSv1.3" })
                #expect(results.allSatisfy { $0.connection.address == "127.0.0.1" })
            }
        }

        @Test("fresh connections are not reused, and do not reuse an idle one")
        func fresh() async throws {
            try await withLab { lab, driver in
                lab.origin(host).behaviour = .reply(.json("{}"))
                var kept = request(site)
                kept.keepsConnection = true
                _ = try await driver.perform(kept)
                for _ in 0..<4 {
                    let result = try await driver.perform(request(site))
                    #expect(!result.isReused)
                    #expect(result.connection.tls?.chain.count == 2, "a full handshake")
                }
                #expect(lab.connectionsAccepted == 5)
                #expect(try await driver.perform(kept).isReused)
                #expect(lab.connectionsAccepted == 5)
            }
        }

        @Test("busy fresh connections do not evict an idle one")
        func keptBesideFresh() async throws {
            let lab = try await Lab.start()
            let driver = try CurlDriver(
                network: NetworkSettings(caFile: lab.caFile, connectTo: [lab.connectTo]), maximumConcurrent: 8,
                keptConnections: 1)
            lab.origin("hang.test").behaviour = .fault(.hang)
            lab.origin(host).behaviour = .reply(.json("{}"))
            let hanging = (0..<6).map { _ in Task { try await driver.perform(request("https://hang.test/")) } }
            try await until { lab.origin("hang.test").requests.count >= 6 }
            var asked = request(site)
            asked.keepsConnection = true
            _ = try await driver.perform(asked)
            let again = try await driver.perform(asked)
            #expect(again.isReused)
            #expect(lab.connectionsAccepted == 7)
            await driver.shutdown()
            for task in hanging { _ = try? await task.value }
            await lab.shutdown()
        }

        @Test("a server that hangs delays no other transfer")
        func hangAlone() async throws {
            try await withLab { lab, driver in
                lab.origin("hang.test").behaviour = .fault(.hang)
                lab.origin(host).behaviour = .reply(.json("{}"))
                let hanging = Task { try await driver.perform(request("https://hang.test/")) }
                try await until { lab.origin("hang.test").requests.count > 0 }
                for _ in 0..<10 {
                    let result = try await driver.perform(request(site))
                    #expect(result.status == 200)
                }
                // Still hanging: nothing has waited for its time limit.
                hanging.cancel()
                await #expect(throws: CancellationError.self) { try await hanging.value }
            }
        }

        @Test("shutdown ends every running, waiting and later transfer")
        func shutdown() async throws {
            try await withLab(maximumConcurrent: 4) { lab, driver in
                lab.origin(host).behaviour = .fault(.hang)
                let tasks = (0..<12).map { _ in Task { try await driver.perform(request(site)) } }
                try await until { lab.origin(host).requests.count >= 4 }
                await driver.shutdown()
                for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
                await #expect(throws: CancellationError.self) { try await driver.perform(request(site)) }
                await driver.shutdown()
            }
        }

        @Test("many drivers can be created and shut down", arguments: [true, false])
        func comeAndGo(orderly: Bool) async throws {
            for _ in 0..<20 {
                let driver = try CurlDriver()
                if orderly { await driver.shutdown() }
            }
        }

        @Test("the version names libcurl and its TLS library")
        func version() {
            #expect(CurlDriver.version.hasPrefix("libcurl/"))
            #expect(CurlDriver.version.contains("OpenSSL"))
        }
    }
}
