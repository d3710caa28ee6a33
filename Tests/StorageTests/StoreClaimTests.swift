import Foundation
import Testing

@testable import Storage

extension StorageSuite {
    @Suite("A claim on a store")
    struct StoreClaimTests {
        let folder: ScratchFolder

        init() throws { folder = try ScratchFolder() }

        private func expectRefusal(sourceLocation: SourceLocation = #_sourceLocation) {
            let fault = #expect(throws: StoreError.self, sourceLocation: sourceLocation) {
                try Store.openSettingAside(path: folder.store)
            }
            #expect(fault?.code == .inUse, sourceLocation: sourceLocation)
        }

        @Test("it is held over tries that fail, and ends with the store that was opened under it")
        func tries() throws {
            let claim = StoreClaim(path: folder.store)
            try Data("another program's file, long enough to be looked at".utf8).write(to: URL(filePath: folder.store))
            for _ in 1...2 {
                let fault = #expect(throws: StoreError.self) {
                    try Store.openSettingAside(path: folder.store, claim: claim)
                }
                #expect(fault?.code != .inUse)
                expectRefusal()
            }
            try FileManager.default.removeItem(atPath: folder.store)
            let first = try Store.openSettingAside(path: folder.store, claim: claim).store
            try first.close(keepsClaim: true)
            expectRefusal()
            let second = try Store.openSettingAside(path: folder.store, claim: claim).store
            expectRefusal()
            try second.close()
            try Store.openSettingAside(path: folder.store).store.close()
        }

        @Test("one under which nothing was opened ends with itself")
        func dropped() throws {
            do {
                let claim = StoreClaim(path: folder.store)
                _ = try claim.held()
                withExtendedLifetime(claim) { expectRefusal() }
            }
            try Store.openSettingAside(path: folder.store).store.close()
        }
    }
}
