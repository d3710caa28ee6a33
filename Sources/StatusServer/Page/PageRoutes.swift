// The routes of what people look at.

import Evidence
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Monitoring
import Storage

struct PageRoutes: Sendable {
    let context: PageContext
    let gate: WriteGate
    let actions: MonitorActions
    /// As `StatusSite`'s.
    let onWrite: @Sendable () async -> Void

    func add(to router: Router<Visit>) {
        for endpoint in PageEndpoint.allCases {
            let path = EndpointPath(endpoint.rawValue)
            router.on(RouterPath(path.path), method: path.method) { request, visit in
                try await answer(endpoint, request, visit)
            }
        }
    }

    private func answer(_ endpoint: PageEndpoint, _ request: Request, _ visit: Visit) async throws -> Response {
        let (id, domain) = (visit.parameter("id"), visit.parameter("domain"))
        switch endpoint {
        case .overview: return await OverviewRoute(context: context, role: visit.role).answer(request)
        case .domain:
            return await DomainPageRoute(context: context, role: visit.role, isChecking: actions.isChecking)
                .answer(request, domain)
        case .incidents: return await IncidentPagesRoute(context: context, role: visit.role).list(request)
        case .incident: return await IncidentPagesRoute(context: context, role: visit.role).one(request, id)
        case .feed: return try await feed.answer(request)
        case .badge: return try await feed.badge(visit.parameter("file"))
        case .asset: return Assets.answer(visit.parameter("name"))
        case .loginForm: return login.form(request)
        case .login: return try await login.login(request, visit)
        case .acknowledge: return try await writes.acknowledge(request, id)
        case .unacknowledge: return try await writes.unacknowledge(request, id)
        case .check: return try await writes.check(request, domain)
        case .silence: return try await writes.silence(request, domain)
        case .endSilence: return try await writes.endSilence(request, id)
        }
    }

    private var feed: FeedRoute { FeedRoute(context: context) }

    private var login: LoginRoute { LoginRoute(context: context, gate: gate) }

    private var writes: PageWritesRoute {
        PageWritesRoute(context: context, gate: gate, actions: actions, onWrite: onWrite)
    }
}

/// Every path of the pages with its method; `APIEndpoint` lists those of programs.
enum PageEndpoint: String, CaseIterable, Sendable {
    case overview = "GET /"
    case domain = "GET /domains/{domain}"
    case incidents = "GET /incidents"
    case incident = "GET /incidents/{id}"
    case feed = "GET /incidents.atom"
    case badge = "GET /badge/{file}"
    case asset = "GET /assets/{name}"
    case loginForm = "GET /login"
    case login = "POST /login"
    case acknowledge = "POST /incidents/{id}/ack"
    case unacknowledge = "POST /incidents/{id}/unack"
    case check = "POST /domains/{domain}/check"
    case silence = "POST /domains/{domain}/silence"
    case endSilence = "POST /silences/{id}/end"

    /// Whether it needs no token where `server.public` is set.
    var isPublic: Bool {
        switch self {
        case .overview, .domain, .badge: true
        case .incidents, .incident, .feed, .asset, .loginForm, .login, .acknowledge, .unacknowledge, .check, .silence,
            .endSilence:
            false
        }
    }
}

/// What people do on the pages: acknowledgements, silences, and a check now. Each form leads back to its page.
struct PageWritesRoute: Sendable {
    let context: PageContext
    let gate: WriteGate
    let actions: MonitorActions
    let onWrite: @Sendable () async -> Void

    func acknowledge(_ request: Request, _ id: String) async throws -> Response {
        try await gate.form(request) { form in
            let acknowledgement: Acknowledgement
            do {
                acknowledgement = try Acknowledgement(
                    asked: form["by"], reason: form["reason"], at: context.timekeeper.now())
            } catch let error as SilenceFault {
                return Self.refusal(error.description)
            }
            let answer = try await context.store.acknowledge(prefix: id, acknowledgement)
            return await finish(answer)
        }
    }

    func unacknowledge(_ request: Request, _ id: String) async throws -> Response {
        try await gate.form(request) { _ in
            await finish(try await context.store.unacknowledge(prefix: id))
        }
    }

    private func finish(_ answer: AcknowledgeAnswer) async -> Response {
        guard case .done(let incident) = answer else {
            return Self.refusal(answer.refusal ?? "", answer == .unknown ? .notFound : .conflict)
        }
        await onWrite()
        return .seeOther("/incidents/\(incident.id)")
    }

    /// A check that ends within this time is shown at once. The page says of a longer one that it is under way.
    private static let checkWait: Duration = .milliseconds(500)

    func check(_ request: Request, _ name: String) async throws -> Response {
        try await gate.form(request) { form in
            guard let domain = try? Domain(name), context.watched.index[domain] != nil else { return Self.notWatched }
            switch await actions.checkNow(domain, Self.checkWait) {
            case .done, .underWay: break
            case .notWatched: return Self.notWatched
            case .tooOften(let seconds):
                var refusal = Self.refusal(
                    "checks were asked for too often; try again in \(seconds) s", .tooManyRequests)
                refusal.headers[.retryAfter] = "\(seconds)"
                return refusal
            }
            context.logger.info("check started on the page", metadata: ["domain": "\(domain)"])
            return .seeOther(FormBody.ownPath(form["back"], otherwise: "/domains/\(domain.name)"))
        }
    }

    func silence(_ request: Request, _ name: String) async throws -> Response {
        try await gate.form(request) { form in
            guard let domain = try? Domain(name), context.watched.index[domain] != nil else {
                return Self.notWatched
            }
            let now = context.timekeeper.wall()
            do {
                guard let duration = try? parseDuration(form["for"]), let pattern = try? DomainPattern(domain.name)
                else {
                    throw SilenceFault("choose for how long")
                }
                let order = try SilenceRequest(
                    scope: SilenceScope(domains: [pattern]), startsAt: now, endsAt: now + duration.inSeconds,
                    author: form["by"], reason: form["reason"])
                _ = try await context.store.add(order)
                await onWrite()
            } catch let error as SilenceFault {
                return Self.refusal(error.description)
            }
            let back = FormBody.ownPath(form["back"], otherwise: "/domains/\(domain.name)#silence")
            return .seeOther(back)
        }
    }

    func endSilence(_ request: Request, _ id: String) async throws -> Response {
        try await gate.form(request) { form in
            guard try await context.store.endSilence(id: id, now: context.timekeeper.wall()) != nil else {
                return Self.refusal("no silence has this id", .notFound)
            }
            await onWrite()
            return .seeOther(FormBody.ownPath(form["back"], otherwise: "/"))
        }
    }

    private static var notWatched: Response { refusal("this domain is not watched here", .notFound) }

    private static func refusal(_ words: String, _ status: HTTPResponse.Status = .badRequest) -> Response {
        Response(plain: "\(status.code) \(words.displayable)\n", status: status)
    }
}
