// What people do on the pages: acknowledgements, silences, and a check now. Each form leads back to its page.

import Evidence
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Monitoring
import Storage

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
