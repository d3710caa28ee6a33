// The start of the store, on a disk that may be full or while another program holds the database locked. Whoever restarts
// a daemon that has given up would only see it give up again, and nobody else would hear of it; so it stays, says what is
// the matter, and goes on as soon as that has passed.

import Alerting
import Foundation
import Logging
import Monitoring
import ServiceLifecycle
import Storage
import Synchronization

/// Opens the store, and where that is kept from it by what passes tries again until it has passed.
final class StoreStart: Service {
    /// What a start needs of the store: it is open, and what must be written before the first check is written.
    typealias Opened = (store: Store, setAside: SetAside?)

    private let path: String
    private let open: @Sendable () async throws -> Opened
    private let lastResort: LastResort
    private let routes: Routes
    private let mutings: Mutings
    private let policy: FleetPolicy
    private let time: any Timekeeper
    private let logger: Logger
    private let result = Mutex<Result<Opened, any Error>?>(nil)
    /// What kept the last try from it.
    private let obstacle = Mutex(StoreError.Code.full)

    /// Between two tries; the pauses grow up to here, so that watching begins within half a minute of its being possible.
    private static let longestPause: Duration = .seconds(30)
    /// How long it lasts before anybody is told. Nothing at all is watched meanwhile.
    private static let patience: Duration = .seconds(10)
    /// Between two lines of the log about it.
    private static let reportPause: TimeInterval = 3600

    /// `open` may be called again after it threw `StoreError` with the code `full` or `locked`; it leaves nothing open then
    /// but its claim on the store.
    init(
        path: String, lastResort: LastResort, routes: Routes, mutings: Mutings, policy: FleetPolicy,
        time: any Timekeeper, logger: Logger, open: @escaping @Sendable () async throws -> Opened
    ) {
        self.path = path
        self.open = open
        self.lastResort = lastResort
        self.routes = routes
        self.mutings = mutings
        self.time = time
        self.logger = logger
        var policy = policy
        policy.patience = min(policy.patience, Self.patience)
        self.policy = policy
    }

    /// The store; nil where the process was asked to end before it could be opened.
    /// - Throws: what kept it from being opened, other than a full disk and a lock of another program.
    func opened() throws -> Opened? { try result.withLock(\.self)?.get() }

    /// One try. Returns whether another one is needed.
    func tryOnce() async -> Bool {
        do {
            let opened = try await open()
            result.withLock { $0 = .success(opened) }
        } catch let fault as StoreError where [.full, .locked].contains(fault.code) {
            obstacle.withLock { $0 = fault.code }
            return true
        } catch {
            result.withLock { $0 = .failure(error) }
        }
        return false
    }

    /// Tries until it is decided, or the task ends.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            let since = self.time.now()
            var reported: (code: StoreError.Code, at: Date)?
            var pause = Duration.seconds(1)
            repeat {
                let now = self.time.now()
                let code = self.obstacle.withLock(\.self)
                if reported.map({ $0.code != code || now.timeIntervalSince($0.at) >= Self.reportPause }) ?? true {
                    reported = (code, now)
                    self.logger.error(
                        "nothing is watched yet: \(Self.words(code))", metadata: ["store": "\(self.path)"])
                }
                self.tell(code, since: since, now: now)
                guard (try? await self.time.sleep(for: pause)) != nil else { return }
                pause = min(pause * 2, Self.longestPause)
            } while await self.tryOnce()
            guard !Task.isCancelled, (try? self.opened()) != nil else { return }
            self.logger.notice("the store could be opened; watching begins")
        }
    }

    /// Judged as every trouble of the fleet is, but for the state, which cannot be kept.
    private func tell(_ code: StoreError.Code, since: Date, now: Date) {
        let look = FleetLook(
            domains: [],
            store: StoreTrouble(since: since, words: "\(path): \(Self.words(code))", isAtStart: true),
            startedAt: since)
        lastResort.offer(judgeFleet(FleetState(), look, policy, now: now), routes, mutings)
    }

    private static func words(_ code: StoreError.Code) -> String {
        let obstacle =
            code == .locked
            ? "another process holds the database of the store locked; end it, such as an open sqlite3 shell"
            : "there is no space left on the device of the store; free some"
        return obstacle + ", and watching begins by itself"
    }
}
