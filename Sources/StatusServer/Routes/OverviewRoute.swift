import Evidence
import HTTPTypes
import Hummingbird
import Logging
import Monitoring
import Storage
import Synchronization

/// The overview: a look into the store, put into words, put into HTML.
final class OverviewRoute: Sendable {
    private let store: Store
    private let timekeeper: any Timekeeper
    private let logger: Logger
    private let watched: WatchList
    private let surroundings: Overview.Surroundings
    private let page: OverviewPage
    /// Whether the last look failed, so that a store that stays away is told of once and not at every refresh.
    private let isAway = Mutex(false)

    init(
        store: Store, timekeeper: any Timekeeper, logger: Logger, watched: WatchList,
        surroundings: Overview.Surroundings
    ) throws {
        self.store = store
        self.timekeeper = timekeeper
        self.logger = logger
        self.watched = watched
        self.surroundings = surroundings
        page = try OverviewPage()
    }

    func answer() async -> Response {
        do {
            let summaries = try await store.domains()
            let outbox = try await store.outboxCounts()
            tellReturn()
            let overview = Overview(
                watched: watched.domains, summaries: summaries, outbox: outbox, surroundings: surroundings,
                now: timekeeper.now())
            return Response(html: page.render(overview))
        } catch {
            if !(error is CancellationError) { tellAbsence(error) }
            var headers: HTTPFields = [.retryAfter: "30"]
            // Browsers obey it, and so a page that somebody left open comes back by itself.
            if let refresh = HTTPField.Name("Refresh") { headers[refresh] = "30" }
            return Response(
                plain: "503 the store cannot be read at the moment; the log of aasa-monitor says why\n",
                status: .serviceUnavailable, headers: headers)
        }
    }

    private func tellAbsence(_ error: any Error) {
        let isNews = isAway.withLock { isAway in
            defer { isAway = true }
            return !isAway
        }
        if isNews {
            logger.error(
                "the status page cannot read the store", metadata: ["error": "\(String(describing: error).displayable)"]
            )
        }
    }

    private func tellReturn() {
        let isNews = isAway.withLock { isAway in
            defer { isAway = false }
            return isAway
        }
        if isNews { logger.notice("the status page can read the store again") }
    }
}
