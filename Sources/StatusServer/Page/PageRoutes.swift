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
            return await DomainPageRoute(context: context, role: visit.role)
                .answer(request, domain)
        case .incidents: return await IncidentPagesRoute(context: context, role: visit.role).list(request)
        case .incident: return await IncidentPagesRoute(context: context, role: visit.role).one(request, id)
        case .badge: return try await BadgeRoute(context: context).answer(visit.parameter("file"))
        case .asset: return Assets.answer(visit.parameter("name"))
        case .loginForm: return login.form(request)
        case .login: return try await login.login(request, visit)
        case .silences: return await SilencesRoute(context: context, role: visit.role).answer(request)
        case .addSilence: return try await writes(visit).add(request)
        case .acknowledgeSeveral: return try await writes(visit).acknowledgeSeveral(request)
        case .acknowledge: return try await writes(visit).acknowledge(request, id)
        case .unacknowledge: return try await writes(visit).unacknowledge(request, id)
        case .check: return try await writes(visit).check(request, domain)
        case .silence: return try await writes(visit).silence(request, domain)
        case .endSilence: return try await writes(visit).endSilence(request, id)
        }
    }

    private var login: LoginRoute { LoginRoute(context: context, gate: gate) }

    private func writes(_ visit: Visit) -> PageWritesRoute {
        PageWritesRoute(context: context, role: visit.role, gate: gate)
    }
}

/// Every path of the pages with its method; `APIEndpoint` lists those of programs.
enum PageEndpoint: String, CaseIterable, Sendable {
    case overview = "GET /"
    case domain = "GET /domains/{domain}"
    case incidents = "GET /incidents"
    case incident = "GET /incidents/{id}"
    case silences = "GET /silences"
    case badge = "GET /badge/{file}"
    case asset = "GET /assets/{name}"
    case loginForm = "GET /login"
    case login = "POST /login"
    case acknowledgeSeveral = "POST /incidents/ack"
    case acknowledge = "POST /incidents/{id}/ack"
    case unacknowledge = "POST /incidents/{id}/unack"
    case check = "POST /domains/{domain}/check"
    case silence = "POST /domains/{domain}/silence"
    case addSilence = "POST /silences"
    case endSilence = "POST /silences/{id}/end"

    /// Whether it needs no token where `server.public` is set.
    var isPublic: Bool {
        switch self {
        case .overview, .domain, .badge: true
        case .incidents, .incident, .silences, .asset, .loginForm, .login, .acknowledgeSeveral, .acknowledge,
            .unacknowledge, .check, .silence, .addSilence, .endSilence:
            false
        }
    }
}
