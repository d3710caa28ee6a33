// The routes of what people look at.

import HTTPTypes
import Hummingbird
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
