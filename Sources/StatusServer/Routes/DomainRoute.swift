import Evidence
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Monitoring
import Storage

/// One watched domain, for people and for programs.
struct DomainRoute: Sendable {
    private let store: Store
    private let timekeeper: any Timekeeper
    private let logger: Logger
    private let watched: WatchList
    private let windows: WindowList
    private let surroundings: Overview.Surroundings
    private let template: DomainPage

    init(
        store: Store, timekeeper: any Timekeeper, logger: Logger, watched: WatchList, windows: WindowList,
        surroundings: Overview.Surroundings
    ) throws {
        self.store = store
        self.timekeeper = timekeeper
        self.logger = logger
        self.watched = watched
        self.windows = windows
        self.surroundings = surroundings
        template = try DomainPage()
    }

    func page(_ name: String?) async -> Response {
        await answer(name) { watched, state, full, context, time in
            let detail = DomainDetail(
                watched: watched, state: state, full: full, surroundings: surroundings, context: context, time: time)
            return Response(html: template.render(detail))
        }
    }

    func document(_ name: String?) async -> Response {
        await answer(name) { watched, state, full, context, time in
            let document = DomainDocument(watched: watched, state: state, full: full, context: context, time: time)
            return Response(json: try document.encoded())
        }
    }

    private func answer(
        _ name: String?,
        _ make: (WatchedDomainInfo, DomainState?, Observation?, IncidentContext, PageTime) throws -> Response
    ) async -> Response {
        guard let domain = name.flatMap({ try? Domain($0) }),
            let info = watched.domains.first(where: { $0.domain == domain })
        else { return Response(plain: "404 this domain is not watched here\n", status: .notFound) }
        do {
            let time = PageTime(timekeeper)
            let context = try await IncidentContext(store, windows: windows.current, wall: time.wall)
            let (state, full) = (try await store.state(of: domain), try await store.lastFullLook(of: domain))
            return try make(info, state, full, context, time)
        } catch {
            if !(error is CancellationError) {
                logger.error(
                    "domain page failed: store read failed",
                    metadata: ["domain": "\(domain)", "error": "\(String(describing: error).displayable)"])
            }
            return .storeAway()
        }
    }
}
