// The routes of the pages.

import Evidence
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Monitoring
import Storage

/// The pages as one request sees them. Each file of a page extends it.
struct Pages: Sendable {
    let context: PageContext
    let gate: WriteGate
    var role = Role.visitor
    /// Why a form of the page was refused; nil if none was.
    var refusal: Frame.Refusal?

    var api: API { context.api.asked(by: role) }

    func add(to router: Router<Visit>) {
        for endpoint in PageEndpoint.allCases {
            let path = EndpointPath(endpoint.rawValue)
            router.on(RouterPath(path.path), method: path.method) { request, visit in
                var pages = self
                pages.role = visit.role
                return try await pages.answer(endpoint, request, visit)
            }
        }
    }

    private func answer(_ endpoint: PageEndpoint, _ request: Request, _ visit: Visit) async throws -> Response {
        let (id, domain) = (visit.parameter("id"), visit.parameter("domain"))
        switch endpoint {
        case .overview: return await overview(request)
        case .domain: return await self.domain(request, domain)
        case .domainChanges: return await self.domain(request, domain, .changes)
        case .domainEdges: return await self.domain(request, domain, .edges)
        case .domainHistory: return await self.domain(request, domain, .history)
        case .domainFindings: return await self.domain(request, domain, .findings)
        case .domainEvidence: return await self.domain(request, domain, .evidence)
        case .incidents: return await incidents(request)
        case .incident: return await incident(request, id)
        case .badge: return try await badge(visit.parameter("file"))
        case .asset: return Assets.answer(visit.parameter("name"))
        case .loginForm: return loginForm(request)
        case .login: return try await login(request, visit)
        case .silences: return await silences(request)
        case .addSilence: return try await addSilence(request)
        case .acknowledgeSeveral: return try await acknowledgeSeveral(request)
        case .acknowledge: return try await acknowledge(request, id)
        case .unacknowledge: return try await unacknowledge(request, id)
        case .check: return try await check(request, domain)
        case .silence: return try await silence(request, domain)
        case .endSilence: return try await endSilence(request, id)
        }
    }
}

/// Every path of the pages with its method; `APIEndpoint` lists those for programs.
enum PageEndpoint: String, CaseIterable, Sendable {
    case overview = "GET /"
    case domain = "GET /domains/{domain}"
    case domainChanges = "GET /domains/{domain}/changes"
    case domainEdges = "GET /domains/{domain}/edges"
    case domainHistory = "GET /domains/{domain}/history"
    case domainFindings = "GET /domains/{domain}/findings"
    case domainEvidence = "GET /domains/{domain}/evidence"
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

    /// Whether it needs no token if `server.public` is set.
    var isPublic: Bool {
        switch self {
        case .overview, .domain, .domainChanges, .domainEdges, .domainHistory, .domainFindings, .domainEvidence, .badge:
            true
        case .incidents, .incident, .silences, .asset, .loginForm, .login, .acknowledgeSeveral, .acknowledge,
            .unacknowledge, .check, .silence, .addSilence, .endSilence:
            false
        }
    }
}
