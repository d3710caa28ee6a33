// What supervisors and scrapers ask.

import Evidence
import Foundation
import HTTPTypes
import Hummingbird
import Report
import Storage

extension APIRoutes {
    /// Of supervisors, which have no token.
    static let openPaths: Set = [APIEndpoint.health.path, APIEndpoint.readiness.path]

    /// Whether the process turns; it looks at nothing else, so that a full disk does not make a supervisor kill the monitor.
    var liveness: Response { Response(plain: "ok\n") }

    /// Whether the monitor does its work: the store answers, and checks begin when they are due.
    func readiness() async -> Response {
        do {
            _ = try await api.store.latestChange()
        } catch {
            return Self.notReady("the store cannot be read")
        }
        let health = await health()
        guard !health.isStoreFailing else { return Self.notReady("the store takes no writes") }
        guard !health.isBehind else { return Self.notReady("checks begin \(Int(health.lateness)) s late") }
        return Response(plain: "ready\n")
    }

    private static func notReady(_ words: String) -> Response {
        Response(plain: "not ready: \(words)\n", status: .serviceUnavailable)
    }

    /// One check now, as metrics: `/probe?target=DOMAIN`, as blackbox_exporter has it.
    func probe(_ request: Request) async throws -> Response {
        // A page of another site could make its reader's browser start probes.
        if let refusal = gate.foreignPage(request) { return refusal }
        let query = try APIQuery(request, keys: ["target", "module"])
        guard let target = query.text("target") else { throw APIRefusal(.badRequest, "'target' is missing") }
        switch await api.actions.probe(target, try query.choice("module", Depth.self) == .full) {
        case .metrics(let bytes): return Response(metrics: bytes)
        case .refused(let words): return Response(plain: words + "\n", status: .badRequest)
        case .busy:
            return Response(
                plain: "too many probes are under way\n", status: .serviceUnavailable, headers: [.retryAfter: "5"])
        }
    }
}

extension Response {
    /// Metrics, as Prometheus scrapes them: https://prometheus.io/docs/instrumenting/exposition_formats/
    init(metrics text: [UInt8]) {
        self.init(
            status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: text)))
    }
}
