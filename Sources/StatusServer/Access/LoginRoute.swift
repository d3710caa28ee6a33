// The login form, where a token is set.

import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Monitoring

struct LoginRoute: Sendable {
    let context: PageContext
    let gate: WriteGate
    /// Whether people reach the page by HTTPS alone.
    let isSecure: Bool

    static let path = "/login"
    /// Who guesses waits.
    private static let pause = Duration.milliseconds(400)

    struct View: Equatable, Sendable {
        let frame: Frame
        let isWrong: Bool
        let isKnown: Bool
        let to: String
    }

    /// Of the form that leads back to a page.
    static func address(from page: String) -> String {
        let to = FormBody.ownPath(page, otherwise: "/")
        guard to != "/", let value = to.addingPercentEncoding(withAllowedCharacters: .alphanumerics) else {
            return path
        }
        return "\(path)?to=\(value)"
    }

    func form(_ request: Request, isWrong: Bool = false, to: String? = nil) -> Response {
        guard let token = context.key.token else { return .seeOther("/") }
        let target = to ?? request.uri.queryParameters["to"].map(String.init) ?? "/"
        let view = View(
            frame: Frame(
                title: "Log in", tone: .soft, section: .domains, json: "/api/v1/domains",
                basis: Frame.Basis(version: context.version), time: PageTime(context.timekeeper)),
            isWrong: isWrong, isKnown: Session.value(of: request).map(token.opens(session:)) ?? false,
            to: FormBody.ownPath(target, otherwise: "/"))
        var response = context.render(request, .login, view, view.frame)
        if isWrong { response.status = .unauthorized }
        response.headers[.cacheControl] = "no-store"
        return response
    }

    func login(_ request: Request) async throws -> Response {
        try await gate.form(request) { form in
            guard let token = context.key.token else { return .seeOther("/") }
            let to = FormBody.ownPath(form["to"], otherwise: "/")
            if form["end"] == "1" { return .seeOther(Self.path, headers: [.setCookie: Session.end]) }
            guard token.opens(token: form["token"]) else {
                try await Task.sleep(for: Self.pause)
                context.logger.warning("login refused: wrong token")
                return self.form(request, isWrong: true, to: to)
            }
            let forwarded = HTTPField.Name("X-Forwarded-Proto").flatMap { request.headers[$0] }
            let cookie = Session.cookie(token.session, isSecure: isSecure || forwarded == "https")
            return .seeOther(to, headers: [.setCookie: cookie])
        }
    }
}
