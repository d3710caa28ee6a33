// Endpoints for supervisors and scrapers.

import Evidence
import Foundation
import HTTPTypes
import Hummingbird
import MonitorMetrics
import Report
import Storage

extension APIRoutes {
    /// For supervisors, which have no token.
    static let openPaths: Set = [APIEndpoint.health.path, APIEndpoint.readiness.path]

    /// Checks nothing but that the process runs: a full disk must not make a supervisor kill the monitor.
    var liveness: Response { Response(plain: "ok\n") }

    /// Whether the monitor works: the store answers, and checks start on time.
    func readiness() async -> Response {
        do {
            _ = try await api.store.latestChange()
        } catch {
            return Self.notReady("the store cannot be read")
        }
        let health = await health()
        guard !health.isStoreFailing else { return Self.notReady("the store accepts no writes") }
        guard !health.isBehind else { return Self.notReady("checks start \(Int(health.lateness)) s late") }
        return Response(plain: "ready\n")
    }

    private static func notReady(_ words: String) -> Response {
        Response(plain: "not ready: \(words)\n", status: .serviceUnavailable)
    }

    /// One check now, as metrics: `/probe?target=DOMAIN`, as in blackbox_exporter.
    func probe(_ request: Request) async throws -> Response {
        // Otherwise a page of another site could make its reader's browser start probes.
        if let refusal = gate.foreignPage(request) { return refusal }
        let query = try APIQuery(request, keys: ["target", "module"])
        guard let target = query.text("target") else { throw APIRefusal(.badRequest, "'target' is missing") }
        switch await api.actions.probe(target, try query.choice("module", Depth.self) == .full) {
        case .metrics(let exposition): return Response(metrics: exposition, for: request)
        case .refused(let words): return Response(plain: words + "\n", status: .badRequest)
        case .busy:
            return Response(
                plain: "too many probes are running\n", status: .serviceUnavailable, headers: [.retryAfter: "5"])
        }
    }
}

extension Response {
    /// Metrics in the format that the request prefers.
    init(metrics: Exposition, for request: Request) {
        let format = Exposition.Format(accepted: request.headers[values: .accept].joined(separator: ","))
        let type =
            switch format {
            case .text: "text/plain; version=0.0.4; charset=utf-8"
            case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
            }
        self.init(
            status: .ok, headers: [.contentType: type, .vary: "Accept"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: metrics.bytes(as: format))))
    }
}

extension Exposition.Format {
    /// `accepted`: the `Accept` header. OpenMetrics only if the client names it and does not prefer text.
    init(accepted: String) {
        var weights: [Substring: Double] = [:]
        let ranges = accepted.lowercased().filter { !$0.isWhitespace }.split(separator: ",")
        for range in ranges {
            let parts = range.split(separator: ";")
            guard let type = parts.first else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            weights[type] = max(weights[type] ?? 0, weight)
        }
        let open = weights["application/openmetrics-text"] ?? 0
        self = open > 0 && open >= weights["text/plain"] ?? 0 ? .openMetrics : .text
    }
}

/// Counts answers by status code, including those that no route gave.
struct RequestCount<Context: RequestContext>: RouterMiddleware {
    let counter: Counter

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let response = try await next(request, context)
        counter.count(Labels(["code": "\(response.status.code)"]))
        return response
    }
}
