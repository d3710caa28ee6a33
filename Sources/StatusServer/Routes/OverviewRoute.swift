import Evidence
import HTTPTypes
import Hummingbird
import Logging
import Monitoring
import Storage

/// The overview: read from the store, put into words, put into HTML.
final class OverviewRoute: Sendable {
    private let store: Store
    private let timekeeper: any Timekeeper
    private let logger: Logger
    private let watched: WatchList
    private let windows: WindowList
    private let refusedReload: RefusedReload
    private let surroundings: Overview.Surroundings
    private let page: OverviewPage
    private let trouble = LogDeduplicator()

    init(
        store: Store, timekeeper: any Timekeeper, logger: Logger, watched: WatchList, windows: WindowList,
        refusedReload: RefusedReload, surroundings: Overview.Surroundings
    ) throws {
        self.store = store
        self.timekeeper = timekeeper
        self.logger = logger
        self.watched = watched
        self.windows = windows
        self.refusedReload = refusedReload
        self.surroundings = surroundings
        page = try OverviewPage()
    }

    func answer() async -> Response {
        do {
            let summaries = try await store.domains()
            let pending = try await store.pendingNotifications()
            let time = PageTime(timekeeper)
            let context = try await IncidentContext(store, windows: windows.current, wall: time.wall)
            if trouble.isOver() { logger.notice("status page can read the store again") }
            let overview = Overview(
                watched: watched.domains, summaries: summaries, pending: pending, surroundings: surroundings,
                context: context, refusedReload: refusedReload.current, time: time)
            return Response(html: page.render(overview))
        } catch {
            if !(error is CancellationError) { logAbsence(error) }
            var headers = HTTPFields()
            // Browsers obey it, so that an open page comes back by itself.
            if let refresh = HTTPField.Name("Refresh") { headers[refresh] = "30" }
            return .storeAway(headers)
        }
    }

    private func logAbsence(_ error: any Error) {
        guard trouble.isNews("away") else { return }
        logger.error(
            "status page failed: store read failed", metadata: ["error": "\(String(describing: error).displayable)"])
    }
}
