import Curl
import Evidence
import Facts
import Foundation
import Testing

@testable import Probing

extension ProbingTests {
    @Suite("Addresses of a name")
    struct AddressTests {
        private func resolution(
            _ network: NetworkSettings, of host: String, _ family: TransferRequest.AddressFamily = .any
        ) async throws -> Resolution {
            try await CurlDriver(network: network).resolution(of: host, family: family, timeout: .seconds(600))
        }

        @Test("the user's own rules come first, in libcurl's format")
        func rules() async throws {
            let network = NetworkSettings(
                connectTo: ["a.test:443:b.test:8443", "c.test::127.0.0.5:"],
                resolve: ["b.test:8443:127.0.0.2,[::1]", "d.test:443:10.1.2.3,100.64.1.1,192.0.2.7,8.8.8.8"])
            func addresses(_ host: String) async throws -> [String] {
                let seen = try await resolution(network, of: host)
                #expect(seen.source == .rules)
                return seen.addresses.map { "\($0.address) \($0.scope.rawValue)" }
            }
            #expect(try await addresses("a.test") == ["127.0.0.2 loopback", "::1 loopback"])
            #expect(try await addresses("c.test") == ["127.0.0.5 loopback"])
            #expect(
                try await addresses("d.test") == [
                    "10.1.2.3 private", "100.64.1.1 carrier_grade_nat", "192.0.2.7 reserved", "8.8.8.8 public",
                ])
        }

        @Test("asking for one address family leaves the other one out")
        func family() async throws {
            let network = NetworkSettings(resolve: ["a.test:443:127.0.0.2,::1"])
            let v4 = try await resolution(network, of: "a.test", .v4)
            let v6 = try await resolution(network, of: "a.test", .v6)
            #expect(v4.addresses.map(\.address) == ["127.0.0.2"])
            #expect(v6.addresses.map(\.address) == ["::1"])
        }

        @Test("without rules the system's resolver is used, including its files")
        func system() async throws {
            let seen = try await resolution(NetworkSettings(), of: "localhost")
            #expect(seen.source == .system)
            #expect(seen.addresses.contains { $0.scope == .loopback })
            #expect(Set(seen.addresses).count == seen.addresses.count)
        }

        @Test("a name that DNS cannot have is a lookup failure")
        func noSuchName() async throws {
            let seen = try await resolution(NetworkSettings(), of: "bad..name.invalid")
            #expect(seen.addresses.isEmpty)
            #expect(seen.failure?.phase == .resolving)
        }

        @Test("many concurrent lookups all return")
        func many() async throws {
            let resolver = Resolver()
            let results = try await together(Array(0..<200)) { _ in
                try await resolver.addresses(of: "localhost", timeout: .seconds(600))
            }
            #expect(results.count == 200)
            for result in results { #expect(try result.get().isEmpty == false) }
        }

        @Test("a cancelled lookup does not wait for the name servers")
        func cancelled() async throws {
            let task = Task {
                try await Resolver().addresses(of: "localhost", timeout: .seconds(600))
            }
            task.cancel()
            // Either may come first; the test only requires that it returns.
            _ = await task.result
        }
    }
}
