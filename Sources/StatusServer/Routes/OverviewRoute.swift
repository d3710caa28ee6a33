import Evidence
import HTTPTypes
import Hummingbird
import Logging
import Monitoring
import Storage

/// The overview: a look into the store, put into words, put into HTML.
final class OverviewRoute: Sendable {
    private let store: Store
    private let timekeeper: any Timekeeper
    private let logger: Logger
    private let watched: WatchList
    private let windows: WindowList
    private let refusedReload: RefusedReload
    private let surroundings: Overview.Surroundings
    private let page: OverviewPage
    private let trouble = ToldOnce()

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
            let outbox = try await store.outboxCounts()
            let now = timekeeper.now()
            let silences = try await store.silences(notOverAt: now)
            let fleet = try await store.fleetState() ?? FleetState()
            let acknowledged = try await store.acknowledgements()
            if trouble.isOver() { logger.notice("the status page can read the store again") }
            let overview = Overview(
                watched: watched.domains, summaries: summaries, outbox: outbox, surroundings: surroundings,
                mutings: Mutings(
                    silences: silences, windows: windows.current, fleet: fleet.withholding, acknowledged: acknowledged),
                fleet: fleet.open, refusedReload: refusedReload.current, now: now)
            return Response(html: page.render(overview))
        } catch {
            if !(error is CancellationError) { tellAbsence(error) }
            var headers = HTTPFields()
            // Browsers obey it, and so a page that somebody left open comes back by itself.
            if let refresh = HTTPField.Name("Refresh") { headers[refresh] = "30" }
            return .storeAway(headers)
        }
    }

    private func tellAbsence(_ error: any Error) {
        guard trouble.isNews("away") else { return }
        logger.error(
            "the status page cannot read the store", metadata: ["error": "\(String(describing: error).displayable)"])
    }
}
