import Evidence
import Foundation
import Synchronization
import Testing

@testable import Monitoring
@testable import Storage

extension StorageSuite {
    @Suite("Is a monitor using the store")
    struct MonitorLifeTests {
        private let folder: ScratchFolder

        init() throws { folder = try ScratchFolder() }

        /// What a reader reports at an instant, with or without a daemon that holds the lock.
        private func life(
            at now: Date, isHeld: Bool, _ prepare: (Store) async throws -> Void
        ) async throws -> MonitorLife {
            let daemon = try Store(path: folder.store, access: .monitor)
            try await daemon.watch([WatchedDomain(domain: try Domain("example.com"))])
            try await prepare(daemon)
            if !isHeld { try daemon.close() }
            let reader = try Store(path: folder.store, access: .reader)
            let life = try await reader.life(now: now)
            try reader.close()
            if isHeld { try daemon.close() }
            return life
        }

        private func check(_ store: Store, at now: Date) async throws {
            try await store.commit(Evaluation(state: try state(at: now)))
        }

        @Test("without the lock no monitor is checking, however new the last check is")
        func stopped() async throws {
            let life = try await life(at: noon + 10, isHeld: false) { store in
                try await store.notePresence(at: noon - 60, since: nil, shortest: 60)
                try await check(store, at: noon)
            }
            #expect(life == .stopped(since: noon))
        }

        @Test("a store that no monitor ever used says so")
        func never() async throws {
            #expect(try await life(at: noon, isHeld: false) { _ in } == .stopped(since: nil))
        }

        @Test(
            "a daemon with the lock is checking if a check ended within two intervals",
            arguments: [(0, true), (600, true), (700, false), (3 * 86_400, false)] as [(TimeInterval, Bool)])
        func stalled(after seconds: TimeInterval, isChecking: Bool) async throws {
            let life = try await life(at: noon + seconds, isHeld: true) { store in
                try await store.notePresence(at: noon - 3600, since: nil, shortest: 60)
                try await check(store, at: noon)
            }
            #expect(life == (isChecking ? .checking : .stalled(since: noon)))
        }

        @Test("a daemon that has just started is not blamed for the time before")
        func begun() async throws {
            let life = try await life(at: noon + 3 * 86_400 + 60, isHeld: true) { store in
                try await check(store, at: noon)
                try await store.notePresence(at: noon + 3 * 86_400, since: nil, shortest: 60)
            }
            #expect(life == .checking)
        }

        @Test("asking whether a daemon holds the lock never stops a starting daemon")
        func asking() async throws {
            try Store(path: folder.store, access: .monitor).close()
            let isOver = Mutex(false)
            // On a separate thread: opening the store may block the threads that run tasks.
            let asker = Thread { [path = folder.store] in
                while !isOver.withLock(\.self) { _ = FileLock.isHeld(store: path) }
            }
            asker.start()
            defer { isOver.withLock { $0 = true } }
            for _ in 0..<100 {
                let daemon = try Store(path: folder.store, access: .monitor)
                #expect(FileLock.isHeld(store: folder.store))
                try daemon.close()
                #expect(!FileLock.isHeld(store: folder.store))
            }
        }

        @Test("labels of watched domains can be read, even if they were not checked yet")
        func labels() async throws {
            let store = try Store(path: folder.store, access: .monitor)
            let domains = try [Domain("a.test"): ["team": "growth", "tier": "1=x"], Domain("b.test"): [:]]
            try await store.watch(domains.map { WatchedDomain(domain: $0.key, labels: $0.value) })
            #expect(try await store.watchedLabels() == domains)
            try store.close()
        }
    }
}
