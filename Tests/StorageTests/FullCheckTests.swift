import Evidence
import Facts
import Foundation
import GRDB
import Testing

@testable import Monitoring
@testable import Storage

extension StorageSuite {
    @Suite("Full checks")
    struct FullCheckTests {
        let folder: ScratchFolder
        let store: Store

        init() throws {
            folder = try ScratchFolder()
            store = try Store(path: folder.store)
        }

        private func commit(_ observation: Observation) async throws {
            try await store.commit(Evaluation(state: try state(at: observation.checkedAt)), of: observation)
        }

        /// One answer as a retrieval from an address.
        private func retrieval(
            _ body: String = "{}", status: Int = 200, address: String = "192.0.2.1", headers: [String: String] = [:]
        ) -> Retrieval {
            Retrieval(
                url: "https://example.com/.well-known/apple-app-site-association",
                outcome: .answered(
                    Answer(
                        status: status,
                        headers: headers.sorted { $0.key < $1.key }.map { HeaderField(name: $0.key, value: $0.value) },
                        body: .init(
                            hash: ContentHash(of: "hash-of-\(body)".utf8), decodedBytes: body.utf8.count,
                            wireBytes: Int.random(in: 1...99), end: .complete))),
                connection: Connection(
                    address: address, port: 443, httpVersion: "2", tls: nil,
                    timings: Timings(total: Double.random(in: 1...99))))
        }

        /// A full check whose addresses and edges answer with these bodies.
        private func full(
            at instant: Date = noon, addresses: KeyValuePairs<String, String> = ["192.0.2.1": "{}"],
            edges: KeyValuePairs<String, String> = [:], pages: [String] = []
        ) throws -> Observation {
            var result = try observation(at: instant)
            var probed = FullCheck(
                resolution: Resolution(source: .system, milliseconds: Double.random(in: 1...99)),
                rootCopy: retrieval(UUID().uuidString, status: 404))
            for (address, body) in addresses {
                let resolved = ResolvedAddress(address: address, scope: .public)
                probed.resolution.addresses.append(resolved)
                probed.addresses.append(AddressResult(address: resolved, retrieval: retrieval(body, address: address)))
                result.contents[ContentHash(of: "hash-of-\(body)".utf8)] = Data(body.utf8)
            }
            for (address, body) in edges {
                probed.edges.append(EdgeResult(address: address, retrieval: retrieval(body, address: address)))
                result.contents[ContentHash(of: "hash-of-\(body)".utf8)] = Data(body.utf8)
            }
            for body in pages {
                probed.pages.append(PageResult(url: "https://example.com/help", retrieval: retrieval(body)))
                result.contents[ContentHash(of: "hash-of-\(body)".utf8)] = Data(body.utf8)
            }
            result.full = probed
            return result
        }

        @Test("the newest full check is stored with its bodies, and deleted with its domain")
        func newest() async throws {
            let domain = try Domain("example.com")
            #expect(try await store.lastFullCheck(of: domain) == nil)
            try await commit(try full(addresses: ["192.0.2.1": "{}"], edges: ["a": "{}"]))
            try await commit(try full(at: noon + 60, addresses: ["192.0.2.9": "{}"], edges: ["b": "{}"]))
            try await commit(try observation(at: noon + 120))
            let probed = try #require(try await store.lastFullCheck(of: domain))
            #expect(probed.checkedAt == noon + 60)
            #expect(probed.full?.addresses.map(\.address.address) == ["192.0.2.9"])
            #expect(probed.full?.edges.map(\.address) == ["b"])
            #expect(probed.contents == [ContentHash(of: "hash-of-{}".utf8): Data("{}".utf8)])
            try await store.forget(domain)
            #expect(try await store.lastFullCheck(of: domain) == nil)
        }

        @Test("a full check stores a bounded number of extra bodies, and never pages")
        func bodies() async throws {
            var probed = try full(pages: ["<html>page</html>"])
            for index in 0..<32 {
                let body = "body \(index)"
                probed.full?.addresses.append(
                    AddressResult(
                        address: ResolvedAddress(address: "192.0.2.\(index)", scope: .public),
                        retrieval: retrieval(body)))
                probed.contents[ContentHash(of: "hash-of-\(body)".utf8)] = Data(body.utf8)
            }
            try await commit(probed)
            let count = try await store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM body") }
            #expect(count == 1 + Observation.maximumOtherBodies)
            #expect(try await store.body(ContentHash(of: "hash-of-<html>page</html>".utf8)) == nil)
            let domain = try Domain("example.com")
            #expect(try await store.lastFullCheck(of: domain)?.full?.pages.first?.retrieval.answer?.body.hash == nil)
        }

        @Test("an answer with many headers takes little space")
        func headersBounded() async throws {
            var probed = try full()
            let headers = Dictionary(
                uniqueKeysWithValues: (0..<400).map { ("x-\($0)", String(repeating: "x", count: 5_000)) })
            for index in 0..<32 {
                probed.full?.addresses.append(
                    AddressResult(
                        address: ResolvedAddress(address: "192.0.2.\(index)", scope: .public),
                        retrieval: retrieval(headers: headers)))
            }
            try await commit(probed)
            let size = try await store.read { try Int.fetchOne($0, sql: "SELECT length(facts) FROM last_full_check") }
            #expect(try #require(size) < 1_000_000)
        }
    }
}
