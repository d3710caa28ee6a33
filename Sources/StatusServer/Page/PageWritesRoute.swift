// What people do on the pages: acknowledgements, silences, and a check now.

import Evidence
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Monitoring
import Report
import Storage

/// Each form leads back to its page. A refused form is shown again, with what was typed and what is wrong.
extension Pages {
    // MARK: - Acknowledgements

    func acknowledge(_ request: Request, _ id: String) async throws -> Response {
        try await write(request, on: .incident(id)) { form in
            let done = try await api.acknowledge(
                id, by: form.author, reason: form["reason"], link: try link(in: form, on: .incident(id)))
            return .seeOther(FormBody.ownPath(form["back"], otherwise: "/incidents/\(done.id)"))
        }
    }

    /// The incidents that are selected in the list, or those of a domain.
    func acknowledgeSeveral(_ request: Request) async throws -> Response {
        try await write(request, on: .incidents) { form in
            let ids = form.all("incident")
            guard !ids.isEmpty else { throw SilenceFault("Select at least one incident.") }
            for id in ids {
                // Skips an incident that is gone, has ended or was acknowledged meanwhile.
                do {
                    _ = try await api.acknowledge(id, by: form["by"], reason: form["reason"])
                } catch is UnknownName {
                } catch let refusal as APIRefusal where refusal.reason == .conflict {}
            }
            return .seeOther(FormBody.ownPath(form["back"], otherwise: "/incidents"))
        }
    }

    func unacknowledge(_ request: Request, _ id: String) async throws -> Response {
        try await write(request, on: .incident(id)) { form in
            let done = try await api.unacknowledge(id)
            return .seeOther(FormBody.ownPath(form["back"], otherwise: "/incidents/\(done.id)"))
        }
    }

    /// Carries out a form. If it is refused, shows its page again with the reason. `place`: the page of a form that does
    /// not say where it leads back to.
    private func write(
        _ request: Request, on place: Place, _ order: (FormBody) async throws -> Response
    ) async throws -> Response {
        try await gate.form(request) { form in
            do {
                return try await order(form)
            } catch {
                guard let refusal = APIRefusal(of: error) else { throw error }
                return await refuse(
                    refusal.description, form, request, on: Place(back: form["back"]) ?? place, refusal.status)
            }
        }
    }

    /// The link in a message that led to the form; nil: none. `domain`: the one that the form silences.
    /// - Throws: `AcknowledgeLink.Fault` for a form on another page, because no link leads there.
    private func link(in form: FormBody, on place: Place, silencing domain: Domain? = nil) throws -> LinkUse? {
        guard !form["link"].isEmpty else { return nil }
        guard case .incident(let id) = place else { throw AcknowledgeLink.Fault.foreign }
        return LinkUse(
            form["link"], incidentID: id, wall: ReportTime(context.timekeeper).wall, silencing: domain)
    }

    // MARK: - Checks

    /// A check that ends within this time is shown at once. For a longer one the page says that it is running.
    private static let checkWait: Duration = .milliseconds(500)

    func check(_ request: Request, _ name: String) async throws -> Response {
        try await gate.form(request) { form in
            guard let domain = try? Domain(name), context.watched.index[domain] != nil else { return Self.notWatched }
            switch try await api.check(domain, wait: Self.checkWait) {
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

    /// Silences one domain, from its page or from the page of its incident.
    func silence(_ request: Request, _ name: String) async throws -> Response {
        try await gate.form(request) { form in
            guard let domain = try? Domain(name), context.watched.index[domain] != nil else { return Self.notWatched }
            let path = FormBody.ownPath(form["back"], otherwise: "/domains/\(domain.name)#silence")
            let place = Place(back: path) ?? .domain(domain)
            return try await add(form, request, on: place, path, domain) {
                SilenceScope(domains: [.exactly(domain)])
            }
        }
    }

    /// Silences the domains, labels and kinds that were entered on the page of silences.
    func addSilence(_ request: Request) async throws -> Response {
        try await gate.form(request) { form in
            try await add(form, request, on: .silences, Self.silencesPath) {
                let targets = form["target"].split { $0.isWhitespace || $0 == "," }.map(String.init)
                let scope = try SilenceScope(targets: targets, kinds: form["kind"].isEmpty ? [] : [form["kind"]])
                // A name that is typed here should match a watched domain. Commands and the API may also prepare a silence
                // for a domain that is watched later.
                if !targets.isEmpty, let mismatch = context.watched.index.mismatch(of: scope) {
                    throw SilenceFault(mismatch)
                }
                return scope
            }
        }
    }

    private func add(
        _ form: FormBody, _ request: Request, on place: Place, _ back: String, _ domain: Domain? = nil,
        _ scope: () throws -> SilenceScope
    ) async throws -> Response {
        do {
            let scope = try scope()
            guard let length = try? parseDuration(form["for"]) else { throw SilenceFault("choose a duration") }
            _ = try await api.silence(
                SilenceOrder(scope, length: length, author: form.author, reason: form["reason"]),
                link: try link(in: form, on: place, silencing: domain))
        } catch {
            guard let refusal = APIRefusal(of: error) else { throw error }
            return await refuse(refusal.description, form, request, on: place, refusal.status)
        }
        return .seeOther(back)
    }

    func endSilence(_ request: Request, _ id: String) async throws -> Response {
        try await gate.form(request) { form in
            do {
                _ = try await api.endSilence(id)
            } catch let refusal as APIRefusal {
                return Self.plain(refusal.description, .notFound)
            }
            return .seeOther(FormBody.ownPath(form["back"], otherwise: Self.silencesPath))
        }
    }

    // MARK: - What is refused

    /// The page of a form.
    private enum Place {
        case domain(Domain)
        case incident(String)
        case incidents, silences

        /// nil unless it is the path of a domain or an incident.
        init?(back path: String) {
            let parts = path.prefix { $0 != "?" && $0 != "#" }.split(separator: "/")
            guard parts.count > 1 else { return nil }
            switch parts[0] {
            case "domains":
                guard let domain = try? Domain(String(parts[1])) else { return nil }
                self = .domain(domain)
            case "incidents": self = .incident(String(parts[1]))
            default: return nil
            }
        }
    }

    private func refuse(
        _ words: String, _ form: FormBody, _ request: Request, on place: Place,
        _ status: HTTPResponse.Status = .badRequest
    ) async -> Response {
        var pages = self
        pages.refusal = Frame.Refusal(words, form)
        var answer =
            switch place {
            case .domain(let domain): await pages.domain(request, domain.name)
            case .incident(let id): await pages.incident(request, id)
            case .incidents: await pages.incidents(request)
            case .silences: await pages.silences(request)
            }
        if answer.status == .ok { answer.status = status }
        return answer
    }

    private static var notWatched: Response { plain("this domain is not watched here", .notFound) }

    private static func plain(_ words: String, _ status: HTTPResponse.Status) -> Response {
        Response(plain: "\(status.code) \(words.displayable)\n", status: status)
    }
}
