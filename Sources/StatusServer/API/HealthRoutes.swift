// What supervisors and scrapers ask.

import Evidence
import Foundation
import HTTPTypes
import Hummingbird
import MonitorMetrics
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
        case .metrics(let exposition): return Response(metrics: exposition, for: request)
        case .refused(let words): return Response(plain: words + "\n", status: .badRequest)
        case .busy:
            return Response(
                plain: "too many probes are under way\n", status: .serviceUnavailable, headers: [.retryAfter: "5"])
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
    /// `accepted`: the field `Accept`. OpenMetrics is for those who name it, and prefer it to text or name it alone.
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

/// Counts answers by their status code, those that no route gave too.
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
