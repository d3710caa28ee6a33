import HTTPTypes
import Hummingbird

/// One check now, as metrics: `/probe?target=DOMAIN`, as blackbox_exporter has it.
struct ProbeRoute: Sendable {
    let actions: MonitorActions

    /// How much the check asks.
    private enum Module: String, CaseIterable { case light, full }

    func answer(_ request: Request) async throws -> Response {
        // A page of another site could make its reader's browser start probes.
        if let name = HTTPField.Name("Sec-Fetch-Site"), request.headers[name] == "cross-site" {
            return Response(plain: "probes are not for other sites' pages\n", status: .forbidden)
        }
        let query = try APIQuery(request, keys: ["target", "module"])
        guard let target = query.text("target") else { throw QueryFault("'target' is missing") }
        switch await actions.probe(target, try query.choice("module", Module.self) == .full) {
        case .metrics(let bytes): return Response(metrics: bytes)
        case .refused(let words): return Response(plain: words + "\n", status: .badRequest)
        case .busy:
            return Response(
                plain: "too many probes are under way\n", status: .serviceUnavailable, headers: [.retryAfter: "5"])
        }
    }
}
