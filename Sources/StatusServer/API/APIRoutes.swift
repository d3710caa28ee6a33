// All paths for programs. The list of them is `APIEndpoint`; what each answers is documented in Templates/openapi.json.

import Foundation
import Hummingbird

struct APIRoutes: Sendable {
    let domains: DomainRoutes
    let incidents: IncidentRoutes
    let acknowledgements: AcknowledgeRoute
    let deliveries: DeliveryRoute
    let silences: SilenceRoute
    let metrics: MetricsRoute
    let probe: ProbeRoute
    let readiness: ReadyRoute

    func add(to router: Router<BasicRequestContext>) {
        for endpoint in APIEndpoint.allCases {
            router.on(endpoint.routerPath, method: endpoint.requestMethod) { request, context in
                do {
                    return try await answer(endpoint, request, context)
                } catch let fault as QueryFault {
                    return Response(plain: fault.description, status: .badRequest)
                }
            }
        }
    }

    private func answer(
        _ endpoint: APIEndpoint, _ request: Request, _ context: BasicRequestContext
    ) async throws -> Response {
        let id = context.parameters.get("id") ?? ""
        let domain = context.parameters.get("domain") ?? ""
        switch endpoint {
        case .domains: return try await domains.list(request)
        case .domain: return try await domains.one(domain)
        case .history: return try await domains.history(request, domain)
        case .check: return try await domains.check(request, domain)
        case .incidents: return try await incidents.list(request)
        case .incident: return try await incidents.one(id)
        case .acknowledge: return try await acknowledgements.acknowledge(request, id: id)
        case .unacknowledge: return try await acknowledgements.unacknowledge(request, id: id)
        case .deliveries: return try await deliveries.list(request)
        case .delivery: return try await deliveries.one(id)
        case .retry:
            return try await deliveries.retry(request, channel: context.parameters.get("channel") ?? "")
        case .silences: return try await silences.list()
        case .addSilence: return try await silences.add(request)
        case .endSilence: return try await silences.end(request, id: id)
        case .description: return Response(json: Data(PackageResources.openapi_json))
        case .metrics: return try await metrics.answer()
        case .probe: return try await probe.answer(request)
        case .health: return HealthRoute.answer()
        case .readiness: return await readiness.answer()
        }
    }
}
