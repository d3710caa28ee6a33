import Evidence
import Foundation
import Monitoring
import Testing

@testable import Storage

extension StorageSuite {
    @Suite("Domains that are watched no longer")
    struct ForgottenDomainTests {
        @Test("a domain that comes back numbers its incidents behind all that were forgotten, after a restart too")
        func numbers() async throws {
            let folder = try ScratchFolder()
            let domains = try ["example.com", "example.org"].map { try Domain($0) }
            var store = try Store(path: folder.store)
            #expect(try await store.firstState(of: domains[0]) == DomainState(domain: domains[0]))
            for (domain, begun) in zip(domains, [5, 3]) {
                let state = DomainState(domain: domain, begun: begun)
                try await store.commit(CheckRecord(observation: nil, state: state))
                try await store.forget(domain)
                try await store.forget(domain)
            }
            try store.close()
            store = try Store(path: folder.store)
            for domain in domains {
                #expect(try await store.state(of: domain) == nil)
                #expect(try await store.firstState(of: domain).begun == 5)
            }
            try store.close()
        }
    }
}
