// What people do on the pages: acknowledgements, silences, and a check now.

import Evidence
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Monitoring
import Storage

/// Each form leads back to its page. One that is refused is shown again, with what was typed and what is wrong.
struct PageWritesRoute: Sendable {
    let context: PageContext
    let role: Role
    let gate: WriteGate
    let actions: MonitorActions
    let onWrite: @Sendable () async -> Void

    // MARK: - Acknowledgements

    func acknowledge(_ request: Request, _ id: String) async throws -> Response {
        try await gate.form(request) { form in
            do {
                let answer = try await context.store.acknowledge(named: id, try acknowledgement(form))
                return await finish(answer, request, form, id)
            } catch let error as SilenceFault {
                return await refuse(error.description, form, request, on: .incident(id))
            } catch let fault as UnknownName {
                return await refuse(fault.description, form, request, on: .incident(id), .notFound)
            }
        }
    }

    /// The incidents that the list of them has chosen.
    func acknowledgeSeveral(_ request: Request) async throws -> Response {
        try await gate.form(request) { form in
            let ids = form.all("incident")
            do {
                guard !ids.isEmpty else { throw SilenceFault("choose the incidents to acknowledge") }
                let acknowledgement = try acknowledgement(form)
                for id in ids {
                    // One that is gone, has ended or was acknowledged meanwhile is no obstacle to the others.
                    do { _ = try await context.store.acknowledge(named: id, acknowledgement) } catch is UnknownName {}
                }
                await onWrite()
                return .seeOther(FormBody.ownPath(form["back"], otherwise: "/incidents"))
            } catch let error as SilenceFault {
                return await refuse(error.description, form, request, on: .incidents)
            }
        }
    }

    func unacknowledge(_ request: Request, _ id: String) async throws -> Response {
        try await gate.form(request) { form in
            do {
                return await finish(try await context.store.unacknowledge(named: id), request, form, id)
            } catch let fault as UnknownName {
                return await refuse(fault.description, form, request, on: .incident(id), .notFound)
            }
        }
    }

    private func acknowledgement(_ form: FormBody) throws(SilenceFault) -> Acknowledgement {
        try Acknowledgement(asked: form["by"], reason: form["reason"], at: context.timekeeper.now())
    }

    private func finish(_ answer: AcknowledgeAnswer, _ request: Request, _ form: FormBody, _ id: String) async
        -> Response
    {
        guard case .done(let incident) = answer else {
            return await refuse(answer.refusal ?? "", form, request, on: .incident(id), .conflict)
        }
        await onWrite()
        return .seeOther("/incidents/\(incident.id)")
    }

    // MARK: - Checks

    /// A check that ends within this time is shown at once. The page says of a longer one that it is under way.
    private static let checkWait: Duration = .milliseconds(500)

    func check(_ request: Request, _ name: String) async throws -> Response {
        try await gate.form(request) { form in
            guard let domain = try? Domain(name), context.watched.index[domain] != nil else { return Self.notWatched }
            switch await actions.checkNow(domain, Self.checkWait) {
            case .done, .underWay: break
            case .notWatched: return Self.notWatched
            case .tooOften(let seconds):
                var refusal = await refuse(
                    "This domain was checked a moment ago. Try again in \(seconds) s.", form, request,
                    on: .domain(domain), .tooManyRequests)
                refusal.headers[.retryAfter] = "\(seconds)"
                return refusal
            }
            context.logger.info("check started on the page", metadata: ["domain": "\(domain)"])
            return .seeOther(FormBody.ownPath(form["back"], otherwise: "/domains/\(domain.name)"))
        }
    }

    // MARK: - Silences

    /// Of one domain, from its page or that of its incident.
    func silence(_ request: Request, _ name: String) async throws -> Response {
        try await gate.form(request) { form in
            guard let domain = try? Domain(name), context.watched.index[domain] != nil else { return Self.notWatched }
            let back = FormBody.ownPath(form["back"], otherwise: "/domains/\(domain.name)#silence")
            let incident = back.hasPrefix("/incidents/") ? String(back.dropFirst("/incidents/".count)) : nil
            return try await add(
                SilenceScope(domains: [.exactly(domain)]), form, request,
                on: incident.map(Place.incident) ?? .domain(domain),
                back)
        }
    }

    /// Of whatever the page of silences names.
    func add(_ request: Request) async throws -> Response {
        try await gate.form(request) { form in
            let targets = form["target"].split { $0.isWhitespace || $0 == "," }.map(String.init)
            do {
                let kinds = form["kind"].isEmpty ? [] : [form["kind"]]
                return try await add(
                    try SilenceScope(targets: targets, kinds: kinds), form, request, on: .silences, SilencesRoute.path)
            } catch let error as SilenceFault {
                return await refuse(error.description, form, request, on: .silences)
            }
        }
    }

    private func add(
        _ scope: SilenceScope, _ form: FormBody, _ request: Request, on place: Place, _ back: String
    ) async throws -> Response {
        let now = context.timekeeper.systemTime()
        do {
            guard let duration = try? parseDuration(form["for"]) else { throw SilenceFault("choose for how long") }
            let order = try Silence(
                scope: scope, startsAt: now, endsAt: now + duration.inSeconds, author: form["by"],
                reason: form["reason"])
            _ = try await context.store.add(order)
            await onWrite()
        } catch let error as SilenceFault {
            return await refuse(error.description, form, request, on: place)
        }
        return .seeOther(back)
    }

    func endSilence(_ request: Request, _ id: String) async throws -> Response {
        try await gate.form(request) { form in
            guard try await context.store.endSilence(id: id, now: context.timekeeper.systemTime()) != nil else {
                return Self.refusal("no silence has this id", .notFound)
            }
            await onWrite()
            return .seeOther(FormBody.ownPath(form["back"], otherwise: SilencesRoute.path))
        }
    }

    // MARK: - What is refused

    /// The page that a form stands on.
    private enum Place {
        case domain(Domain)
        case incident(String)
        case incidents, silences
    }

    private func refuse(
        _ words: String, _ form: FormBody, _ request: Request, on place: Place,
        _ status: HTTPResponse.Status = .badRequest
    ) async -> Response {
        let refusal = Frame.Refusal(words, form)
        var answer =
            switch place {
            case .domain(let domain):
                await DomainPageRoute(context: context, role: role, isChecking: actions.isChecking, refusal: refusal)
                    .answer(request, domain.name)
            case .incident(let id):
                await IncidentPagesRoute(context: context, role: role, refusal: refusal).one(request, id)
            case .incidents: await IncidentPagesRoute(context: context, role: role, refusal: refusal).list(request)
            case .silences: await SilencesRoute(context: context, role: role, refusal: refusal).answer(request)
            }
        if answer.status == .ok { answer.status = status }
        return answer
    }

    private static var notWatched: Response { refusal("this domain is not watched here", .notFound) }

    private static func refusal(_ words: String, _ status: HTTPResponse.Status) -> Response {
        Response(plain: "\(status.code) \(words.displayable)\n", status: status)
    }
}
