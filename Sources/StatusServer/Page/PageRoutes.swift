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
    /// Called after each change of an acknowledgement.
    let onWrite: @Sendable () -> Void
    let publicURL: String?

    func add(to router: Router<BasicRequestContext>) {
        let overview = OverviewRoute(context: context)
        router.get("/") { request, _ in await overview.answer(request) }
        let domain = DomainPageRoute(context: context, isChecking: actions.isChecking)
        router.get("/domains/:domain") { request, context in
            await domain.answer(request, context.parameters.get("domain"))
        }
        let incidents = IncidentPagesRoute(context: context)
        router.get("/incidents") { request, _ in await incidents.list(request) }
        router.get("/incidents/:id") { request, context in
            await incidents.one(request, context.parameters.get("id") ?? "")
        }
        let feed = FeedRoute(context: context, publicURL: publicURL)
        router.get("/incidents.atom") { request, _ in try await feed.answer(request) }
        router.get("/badge/:file") { _, context in try await feed.badge(context.parameters.get("file") ?? "") }
        router.get("/assets/:name") { _, context in Assets.answer(context.parameters.get("name")) }
        addWrites(to: router)
    }

    private func addWrites(to router: Router<BasicRequestContext>) {
        let login = LoginRoute(
            context: context, gate: gate, isSecure: publicURL?.lowercased().hasPrefix("https://") ?? false)
        router.get(RouterPath(LoginRoute.path)) { request, _ in login.form(request) }
        router.post(RouterPath(LoginRoute.path)) { request, _ in try await login.login(request) }
        let writes = PageWritesRoute(context: context, gate: gate, actions: actions, onWrite: onWrite)
        router.post("/incidents/:id/ack") { request, context in
            try await writes.acknowledge(request, context.parameters.get("id") ?? "")
        }
        router.post("/incidents/:id/unack") { request, context in
            try await writes.unacknowledge(request, context.parameters.get("id") ?? "")
        }
        router.post("/domains/:domain/check") { request, context in
            try await writes.check(request, context.parameters.get("domain") ?? "")
        }
        router.post("/domains/:domain/silence") { request, context in
            try await writes.silence(request, context.parameters.get("domain") ?? "")
        }
        router.post("/silences/:id/end") { request, context in
            try await writes.endSilence(request, context.parameters.get("id") ?? "")
        }
    }
}

/// What people do on the pages: acknowledgements, silences, and a check now. Each form leads back to its page.
struct PageWritesRoute: Sendable {
    let context: PageContext
    let gate: WriteGate
    let actions: MonitorActions
    let onWrite: @Sendable () -> Void

    /// Whether a request may write here, as far as its method and path say.
    static func takes(_ request: Request) -> Bool {
        guard request.method == .post else { return false }
        let parts = request.uri.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        switch (parts.first, parts.last, parts.count) {
        case ("login", _, 1), ("incidents", "ack", 3), ("incidents", "unack", 3), ("domains", "silence", 3),
            ("domains", "check", 3), ("silences", "end", 3):
            return true
        default: return false
        }
    }

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
            return finish(answer)
        }
    }

    func unacknowledge(_ request: Request, _ id: String) async throws -> Response {
        try await gate.form(request) { _ in
            finish(try await context.store.unacknowledge(prefix: id))
        }
    }

    private func finish(_ answer: AcknowledgeAnswer) -> Response {
        guard case .done(let incident) = answer else {
            return Self.refusal(answer.refusal ?? "", answer == .unknown ? .notFound : .conflict)
        }
        onWrite()
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
            return .seeOther(FormBody.ownPath(form["back"], otherwise: "/"))
        }
    }

    private static var notWatched: Response { refusal("this domain is not watched here", .notFound) }

    private static func refusal(_ words: String, _ status: HTTPResponse.Status = .badRequest) -> Response {
        Response(plain: "\(status.code) \(words.displayable)\n", status: status)
    }
}
