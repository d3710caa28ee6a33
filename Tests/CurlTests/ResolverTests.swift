import Curl
import Facts
import Foundation
import TestSupport
import Testing

extension CurlTests {
    @Suite("Name look-ups")
    struct ResolverTests {
        @Test(
            "a name server's answers are four outcomes",
            arguments: [
                ("gone.test", .nameNotFound), ("empty.test", .noAddress), ("broken.test", .nameServerFailure),
                ("refused.test", .nameServerFailure), ("bad..name", .nameNotFound), ("half.test", .nameServerFailure),
            ] as [(String, Failure.Kind)])
        func outcomes(_ name: String, _ kind: Failure.Kind) async throws {
            let server = try FakeNameServer()
            defer { server.stop() }
            let result = try await Resolver(servers: server.address).addresses(of: name, timeout: .seconds(600))
            #expect(throws: Failure.self) { try result.get() }
            if case .failure(let fault) = result { #expect(fault.kind == kind, "\(fault)") }
        }

        @Test(
            "a name without an address tells what it is an alias of",
            arguments: [
                ("alias.test", "site.azurewebsites.net"), ("chain.test", "site.azurewebsites.net"), ("gone.test", nil),
                ("empty.test", nil),
            ])
        func alias(_ name: String, _ target: String?) async throws {
            let server = try FakeNameServer()
            defer { server.stop() }
            let result = try await Resolver(servers: server.address).addresses(of: name, timeout: .seconds(600))
            guard case .failure(let fault) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(fault.alias == target)
        }

        @Test("a name's addresses are those of both families, an answer of one of them will do")
        func found() async throws {
            let server = try FakeNameServer()
            defer { server.stop() }
            let resolver = Resolver(servers: server.address)
            #expect(try await resolver.addresses(of: "good.test", timeout: .seconds(600)) == .success(["192.0.2.7"]))
            let both = try await resolver.addresses(of: "both.test", timeout: .seconds(600)).get()
            #expect(Set(both) == ["192.0.2.7", "2001:db8::7"])
            #expect(try await resolver.addresses(of: "www.test", timeout: .seconds(600)) == .success(["192.0.2.7"]))
        }

        @Test("the answer about one family takes nothing from the other's")
        func families() async throws {
            let (server, second) = (try FakeNameServer(), try FakeNameServer())
            defer {
                server.stop()
                second.stop()
            }
            let resolver = Resolver(servers: "\(server.address),\(second.address)")
            func addresses(of name: String, within limit: Duration = .seconds(600)) async throws -> [String] {
                try await resolver.addresses(of: name, timeout: limit).get()
            }
            #expect(try await addresses(of: "six.test") == ["2001:db8::7"])
            #expect(try await addresses(of: "denying.test") == ["192.0.2.7"])
            // Where time runs out before the last server is given up, what is known counts.
            #expect(try await addresses(of: "lame.test", within: .seconds(8)) == ["192.0.2.7"])
        }

        @Test(
            "this machine's own name is looked up in its file alone, as is each name below it",
            arguments: ["localhost", "LOCALHOST.", "a.localhost"])
        func localhost(_ name: String) async throws {
            let server = try FakeNameServer()
            defer { server.stop() }
            let found = try await Resolver(servers: server.address).addresses(of: name, timeout: .seconds(600)).get()
            #expect(!found.isEmpty && Set(found).isSubset(of: ["127.0.0.1", "::1"]), "\(found)")
            #expect(server.questions == 0)
        }

        @Test("servers that do not answer, and one that is not there, are no servers")
        func silent() async throws {
            let server = try FakeNameServer()
            defer { server.stop() }
            for (servers, timeout) in [(server.address, Duration.milliseconds(100)), ("127.0.0.1:9", .seconds(30))] {
                let result = try await Resolver(servers: servers).addresses(of: "silent.test", timeout: timeout)
                if case .failure(let fault) = result { #expect(fault.kind == .noNameServer, "\(fault)") }
                #expect(throws: Failure.self) { try result.get() }
            }
        }

        @Test("where one name server fails the next is asked", arguments: [2, 5] as [UInt8])
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
                let result = try await resolver.addresses(of: name, timeout: .seconds(600))
                #expect(Self.kind(result) == kind, "\(name): \(result)")
            }
        }

        @Test("a name server that failed says more than one that is not there")
        func failedAndAbsent() async throws {
            let bad = try FakeNameServer(rcode: 2)
            defer { bad.stop() }
            for servers in ["\(bad.address),127.0.0.1:9", "127.0.0.1:9,\(bad.address)"] {
                let result = try await Resolver(servers: servers).addresses(of: "good.test", timeout: .seconds(600))
                #expect(Self.kind(result) == .nameServerFailure, "\(result)")
            }
        }

        private static func kind(_ result: LookUpResult) -> Failure.Kind? {
            if case .failure(let failure) = result { failure.kind } else { nil }
        }

        @Test("a machine without a way to its name server is told at once")
        func noRoute() async throws {
            // The look-up fails before it waits for anything: nobody may broadcast without asking for it.
            let result = try await Resolver(servers: "255.255.255.255").addresses(
                of: "good.test", timeout: .seconds(600))
            if case .failure(let fault) = result { #expect(fault.kind == .noNameServer, "\(fault)") }
            #expect(throws: Failure.self) { try result.get() }
        }

        @Test("servers that cannot be read are our own fault")
        func unreadableServers() async throws {
            let result = try await Resolver(servers: "nonsense").addresses(of: "good.test", timeout: .seconds(600))
            if case .failure(let fault) = result { #expect(fault.kind == .own, "\(fault)") }
            #expect(throws: Failure.self) { try result.get() }
        }

        @Test("an answer of the last minute is used by those who allow it only")
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
            let first = server.questions
            try await ask(true)
            #expect(server.questions == first)
            try await ask(false)
            #expect(server.questions > first)
        }

        @Test("names that nobody answers for hold up no other look-up")
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
                // Beside the silent ones, which take seconds.
                let result = try await resolver.addresses(of: "good.test", timeout: .seconds(600))
                #expect(result == .success(["192.0.2.7"]))
                group.cancelAll()
                while let _ = await group.nextResult() {}
            }
        }

        @Test("of more look-ups than are under way at once each has its own outcome")
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
                        let result = try await resolver.addresses(
                            of: "\(label).n\(number).test", timeout: .seconds(600))
                        #expect(Self.kind(result) == kind, "\(label): \(result)")
                    }
                }
                try await group.waitForAll()
            }
        }

        @Test("a look-up that waits for others to end is over in time as well")
        func waiting() async throws {
            let server = try FakeNameServer()
            defer { server.stop() }
            let resolver = Resolver(servers: server.address)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<300 {
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
            "a transfer tells why it has no address",
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
            let result = try await driver.perform(request)
            #expect(result.error?.code.description == code, "\(String(describing: result.error))")
            #expect(result.failure?.phase == .resolving)
            await driver.shutdown()
        }
    }
}
