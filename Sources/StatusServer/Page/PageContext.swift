// What every view needs, and how a view becomes an answer.

import Evidence
import Foundation
import HTTPTypes
import Hashing
import Hummingbird
import Logging
import Monitoring
import Report
import Storage

final class PageContext: Sendable {
    let store: Store
    let api: API
    let timekeeper: any MonitorClock
    let logger: Logger
    let watched: WatchList
    let refusedReload: Shared<String?>
    let key: AccessKey
    let version: String
    let cdnBaseURL: String
    let health: @Sendable () async -> MonitorHealth
    private let trouble = LogDeduplicator()

    init(
        store: Store, api: API, timekeeper: any MonitorClock, logger: Logger, watched: WatchList,
        refusedReload: Shared<String?>, key: AccessKey, version: String, cdnBaseURL: String,
        health: @escaping @Sendable () async -> MonitorHealth
    ) {
        self.store = store
        self.api = api
        self.timekeeper = timekeeper
        self.logger = logger
        self.watched = watched
        self.refusedReload = refusedReload
        self.key = key
        self.version = version
        self.cdnBaseURL = cdnBaseURL
        self.health = health
    }

    /// How long a page waits before it refreshes itself: shorter while somebody waits for a check, and when time is
    /// accelerated.
    private static let refreshSeconds = 30
    static let fastRefreshSeconds = 2

    func frame(
        _ time: ReportTime, _ role: Role, _ refusal: Frame.Refusal? = nil, counts: [DomainStatus: Int], isPaused: Bool,
        pauseAddress: String
    ) async throws -> Frame {
        let waiting = counts[.waiting] ?? 0
        var frame = Frame(
            version: version, time: time,
            refreshSeconds: waiting > 0 || timekeeper.intervalFactor != 1
                ? Self.fastRefreshSeconds : Self.refreshSeconds,
            isPaused: isPaused, pauseAddress: pauseAddress, role: role, needsLogin: key.policy.token != nil,
            refusal: refusal, stalledSince: try await store.stalledSince(time.now))
        guard role > .visitor else { return frame }
        let pending = try await store.pendingNotifications(of: api.actions.hasChannel).reduce(0) { $0 + $1.count }
        let size = try await store.size()
        frame.health = await health().items(
            domains: counts.values.reduce(0, +), waiting: waiting, pendingMessages: pending, storeBytes: size,
            refusedReload: refusedReload.current, time: time)
        frame.openIncidents = try await store.openIncidentCounts().reduce(0) { $0 + $1.count }
        return frame
    }

    /// Answers a request with a page, or with 503 if the store fails. `make` returns nil if there is no such page.
    func answer(_ request: Request, _ make: (ReportTime) async throws -> HTML?) async -> Response {
        do {
            let time = ReportTime(timekeeper)
            try await watched.show(in: store)
            guard let page = try await make(time) else {
                return Response(plain: "404 there is no such page\n", status: .notFound)
            }
            if trouble.isOver() { logger.notice("status page can read the store again") }
            return response(request, page, time)
        } catch let refusal as APIRefusal where refusal.reason == .badRequest {
            return Response(plain: "400 \(refusal)\n", status: .badRequest)
        } catch {
            if !(error is CancellationError), trouble.isNews("away") {
                logger.error(
                    "status page failed: store read failed",
                    metadata: ["error": "\(String(describing: error).displayable)"])
            }
            var headers = HTTPFields()
            // Browsers obey it: an open page recovers by itself.
            if let refresh = HTTPField.Name("Refresh") { headers[refresh] = "30" }
            return .storeAway(headers)
        }
    }

    func response(_ request: Request, _ page: HTML, _ time: ReportTime) -> Response {
        let (clock, rendered) = (Frame.clock(time), Frame.rendered(time))
        let tag = Self.tag(page.bytes, without: [clock, rendered])
        var headers: HTTPFields = [.eTag: tag, .cacheControl: "no-cache, private"]
        if let name = HTTPField.Name("X-Rendered") { headers[name] = rendered }
        if request.headers[.ifNoneMatch]?.contains(tag) == true {
            return Response(status: .notModified, headers: headers)
        }
        headers[.contentType] = "text/html; charset=utf-8"
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: page.bytes)))
    }

    /// Equal for two pages that differ only in their clocks.
    private static func tag(_ page: [UInt8], without clocks: [String]) -> String {
        var bytes = Data(page)
        for clock in clocks {
            if let place = bytes.range(of: Data(clock.utf8)) { bytes.removeSubrange(place) }
        }
        return "W/\"\(Digest.sha256.hash(bytes).prefix(12).hexadecimal)\""
    }
}
