import Curl
import Facts
import Foundation
import TestSupport
import Testing

extension CurlTests {
    @Suite("Name lookups")
    struct ResolverTests {
        @Test(
            "a name server's answers map to four outcomes",
            arguments: [
                ("gone.test", .nameNotFound), ("empty.test", .noAddress), ("broken.test", .nameServerFailure),
                ("refused.test", .nameServerFailure), ("bad..name", .nameNotFound), ("half.test", .nameServerFailure),
            ] as [(String, Failure.Kind)])
        func outcomes(_ name: String, _ kind: Failure.Kind) async throws {
            let server = try FakeNameServer()
            defer { server.stop() }
            let result = try await Self.answer(for: name, from: Resolver(servers: server.address))
            #expect(throws: Failure.self) { try result.get() }
            if case .failure(let fault) = result { #expect(fault.kind == kind, "\(fault)") }
        }

        @Test(
            "a name without an address reports its alias",
            arguments: [
                ("alias.test", "site.azurewebsites.net"), ("chain.test", "site.azurewebsites.net"), ("gone.test", nil),
                ("empty.test", nil),
            ])
        func alias(_ name: String, _ target: String?) async throws {
            let server = try FakeNameServer()
            defer { server.stop() }
            // Each query has two seconds. Without the answer to the last one, the reason or the alias is another.
            let fault = try await attempt { () -> Failure? in
                let result = try await Resolver(servers: server.address).addresses(of: name, timeout: .seconds(600))
                guard case .failure(let fault) = result else { return nil }
                return fault
            } again: {
                $0?.kind == .noNameServer || $0?.alias != target
            }
            #expect(
                fault != nil && fault?.kind != .noNameServer && fault?.alias == target, "\(String(describing: fault))")
        }

        @Test("lookups return the addresses of both families, or of the one that has any")
        func found() async throws {
            let server = try FakeNameServer()
            defer { server.stop() }
            let resolver = Resolver(servers: server.address)
            #expect(try await resolver.addresses(of: "good.test", timeout: .seconds(600)) == .success(["192.0.2.7"]))
            let both = try await resolver.addresses(of: "both.test", timeout: .seconds(600)).get()
            #expect(Set(both) == ["192.0.2.7", "2001:db8::7"])
            #expect(try await resolver.addresses(of: "www.test", timeout: .seconds(600)) == .success(["192.0.2.7"]))
        }

        @Test("the answer for one family does not change the other one's")
        func families() async throws {
            let (server, second) = (try FakeNameServer(), try FakeNameServer())
            defer {
                server.stop()
                second.stop()
            }
            let resolver = Resolver(servers: "\(server.address),\(second.address)")
            func addresses(of name: String, within limit: Duration = .seconds(600)) async throws -> [String] {
                try await Self.answer(for: name, from: resolver, within: limit).get()
            }
            #expect(try await addresses(of: "six.test") == ["2001:db8::7"])
            #expect(try await addresses(of: "denying.test") == ["192.0.2.7"])
            // If time runs out before the last server fails, the known addresses count.
            #expect(try await addresses(of: "lame.test", within: .seconds(8)) == ["192.0.2.7"])
        }

        @Test(
            "this machine's own name and names below it are looked up only in the hosts file",
            arguments: ["localhost", "LOCALHOST.", "a.localhost"])
        func localhost(_ name: String) async throws {
            let server = try FakeNameServer()
            defer { server.stop() }
            let found = try await Resolver(servers: server.address).addresses(of: name, timeout: .seconds(600)).get()
            #expect(!found.isEmpty && Set(found).isSubset(of: ["127.0.0.1", "::1"]), "\(found)")
            #expect(server.questions == 0)
        }

        @Test("silent and missing servers count as no name server")
        func silent() async throws {
            let server = try FakeNameServer()
            defer { server.stop() }
            for (servers, timeout) in [(server.address, Duration.milliseconds(100)), ("127.0.0.1:9", .seconds(30))] {
                let result = try await Resolver(servers: servers).addresses(of: "silent.test", timeout: timeout)
                if case .failure(let fault) = result { #expect(fault.kind == .noNameServer, "\(fault)") }
                #expect(throws: Failure.self) { try result.get() }
            }
        }

        @Test("if one name server fails, the next one is asked", arguments: [2, 5] as [UInt8])
        func second(_ rcode: UInt8) async throws {
            let (bad, good) = (try FakeNameServer(rcode: rcode), try FakeNameServer())
            defer {
                bad.stop()
                good.stop()
            }
            let resolver = Resolver(servers: "\(bad.address),\(good.address)")
            #expect(try await resolver.addresses(of: "good.test", timeout: .seconds(600)) == .success(["192.0.2.7"]))
            #expect(bad.questions > 0)
            for (name, kind) in [
                ("gone.test", Failure.Kind.nameNotFound), ("empty.test", .noAddress),
                ("broken.test", .nameServerFailure),
            ] {
                let result = try await Self.answer(for: name, from: resolver)
                #expect(Self.kind(result) == kind, "\(name): \(result)")
            }
        }

        @Test("a name server's failure takes precedence over a missing server")
        func failedAndAbsent() async throws {
            let bad = try FakeNameServer(rcode: 2)
            defer { bad.stop() }
            for servers in ["\(bad.address),127.0.0.1:9", "127.0.0.1:9,\(bad.address)"] {
                let result = try await Self.answer(for: "good.test", from: Resolver(servers: servers))
                #expect(Self.kind(result) == .nameServerFailure, "\(result)")
            }
        }

        private static func kind(_ result: LookUpResult) -> Failure.Kind? {
            if case .failure(let failure) = result { failure.kind } else { nil }
        }

        /// The result of a lookup that a name server answers. The reason of a failure is asked for only once, and the
        /// answer counts only within 2 s.
        private static func answer(
            for name: String, from resolver: Resolver, within limit: Duration = .seconds(600)
        ) async throws -> LookUpResult {
            try await attempt {
                try await resolver.addresses(of: name, timeout: limit)
            } again: {
                kind($0) == .noNameServer
            }
        }

        @Test("a machine without a route to its name server fails immediately")
        func noRoute() async throws {
            // The lookup fails before it waits: sending to a broadcast address needs a socket option.
            let result = try await Resolver(servers: "255.255.255.255").addresses(
                of: "good.test", timeout: .seconds(600))
            if case .failure(let fault) = result { #expect(fault.kind == .noNameServer, "\(fault)") }
            #expect(throws: Failure.self) { try result.get() }
        }

        @Test("an unreadable server list is our own fault")
        func unreadableServers() async throws {
            let result = try await Resolver(servers: "nonsense").addresses(of: "good.test", timeout: .seconds(600))
            if case .failure(let fault) = result { #expect(fault.kind == .own, "\(fault)") }
            #expect(throws: Failure.self) { try result.get() }
        }

        @Test("an answer from the last minute is used only if allowed")
        func recent() async throws {
            let server = try FakeNameServer()
            defer { server.stop() }
            let resolver = Resolver(servers: server.address)
            func ask(_ isRecentEnough: Bool) async throws {
                let result = try await resolver.addresses(
                    of: "good.test", isRecentEnough: isRecentEnough, timeout: .seconds(600))
                #expect(result == .success(["192.0.2.7"]))
            }
            try await ask(true)
            // A slow server may not yet have read a repeated query, but reads it before those of this lookup.
            _ = try await resolver.addresses(of: "both.test", timeout: .seconds(600))
            server.forget()
            try await ask(true)
            #expect(!server.names.contains("good.test"))
            try await ask(false)
            #expect(server.names.contains("good.test"))
        }

        @Test("unanswered names delay no other lookup")
        func deadNames() async throws {
            let server = try FakeNameServer()
            defer { server.stop() }
            let resolver = Resolver(servers: server.address)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let result = try await resolver.addresses(of: "silent.\(number).test", timeout: .seconds(600))
                        #expect(throws: Failure.self) { try result.get() }
                    }
                }
                // Concurrent with the silent ones, which take seconds.
                let result = try await resolver.addresses(of: "good.test", timeout: .seconds(600))
                #expect(result == .success(["192.0.2.7"]))
                group.cancelAll()
                while let _ = await group.nextResult() {}
            }
        }

        @Test("with more lookups than may run concurrently, each one has its own outcome")
        func crowd() async throws {
            let server = try FakeNameServer()
            defer { server.stop() }
            let resolver = Resolver(servers: server.address)
            let names: [(label: String, kind: Failure.Kind?)] = [
                ("good", nil), ("gone", .nameNotFound), ("empty", .noAddress), ("half", .nameServerFailure),
                ("broken", .nameServerFailure),
            ]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<600 {
                    let (label, kind) = names[number % names.count]
                    group.addTask {
                        let result = try await Self.answer(for: "\(label).n\(number).test", from: resolver)
                        #expect(Self.kind(result) == kind, "\(label): \(result)")
                    }
                }
                try await group.waitForAll()
            }
        }

        @Test("a lookup that waits for others also ends in time")
        func waiting() async throws {
            let server = try FakeNameServer()
            defer { server.stop() }
            let resolver = Resolver(servers: server.address)
            try await withThrowingTaskGroup(of: Void.self) { group in
                // 256 run at once and end after 8 s. With fewer in all, the last lookup could soon have its turn.
                for number in 0..<1500 {
                    group.addTask {
                        _ = try await resolver.addresses(of: "silent.n\(number).test", timeout: .seconds(3600))
                    }
                }
                try await until { server.names.count >= 256 }
                let result = try await resolver.addresses(of: "good.test", timeout: .milliseconds(300))
                #expect(Self.kind(result) == .noNameServer, "\(result)")
                group.cancelAll()
                while let _ = await group.nextResult() {}
            }
            #expect(try await resolver.addresses(of: "good.test", timeout: .seconds(600)) == .success(["192.0.2.7"]))
        }

        @Test(
            "a transfer reports why it has no address",
            arguments: [
                ("gone.b\u{FC}cher.test", .any, "name-not-found"), ("a\u{FFFD}.test", .any, "bad-url"),
                ("gone.test", .any, "name-not-found"), ("empty.test", .any, "no-address"),
                ("broken.test", .any, "name-server-failure"), ("good.test", .v6, "no-ipv6-address"),
            ] as [(String, TransferRequest.AddressFamily, String)])
        func transfer(_ name: String, _ family: TransferRequest.AddressFamily, _ code: String) async throws {
            let server = try FakeNameServer()
            defer { server.stop() }
            let driver = try CurlDriver(resolver: Resolver(servers: server.address))
            var request = request("https://\(name)/")
            request.family = family
            // As in `answer(for:from:)`.
            let result = try await attempt {
                try await driver.perform(request)
            } again: {
                $0.failure?.kind == .noNameServer
            }
            #expect(result.error?.code.description == code, "\(String(describing: result.error))")
            #expect(result.failure?.phase == .resolving)
            await driver.shutdown()
        }
    }
}
