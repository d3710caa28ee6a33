// The login form, where a token is set.

import Foundation
import HTTPTypes
import Hummingbird
import Monitoring
import Report

struct LoginView: Equatable, Sendable {
    let frame: Frame
    let isWrong: Bool
    /// Seconds until another token is looked at; nil: it is now.
    let wait: String?
    let isKnown: Bool
    let to: String
}

extension Pages {
    static let loginPath = "/login"

    /// Of the form that leads back to a page.
    static func loginAddress(from page: String) -> String {
        let to = FormBody.ownPath(page, otherwise: "/")
        guard to != "/", let value = to.addingPercentEncoding(withAllowedCharacters: .alphanumerics) else {
            return loginPath
        }
        return "\(loginPath)?to=\(value)"
    }

    func loginForm(_ request: Request, _ answer: AccessKey.Answer? = nil, to: String? = nil) -> Response {
        guard context.key.policy.token != nil else { return .seeOther("/") }
        let target = to ?? request.uri.queryParameters["to"].map(String.init) ?? "/"
        var wait: Int?
        if case .slowed(let seconds) = answer { wait = seconds }
        let view = LoginView(
            frame: Frame(
                title: "Log in", tone: .soft, section: .overview, json: "/api/v1/domains",
                basis: Frame.Basis(version: context.version, role: .visitor), time: ReportTime(context.timekeeper)),
            isWrong: answer == .wrong, wait: wait.map { "\($0)" },
            isKnown: Session.value(of: request).flatMap(context.key.role(ofSession:)) != nil,
            to: FormBody.ownPath(target, otherwise: "/"))
        var response = context.render(request, .login, view, view.frame)
        if answer == .wrong { response.status = .unauthorized }
        if let wait {
            response.status = .tooManyRequests
            response.headers[.retryAfter] = "\(wait)"
        }
        response.headers[.cacheControl] = "no-store"
        return response
    }

    func login(_ request: Request, _ visit: Visit) async throws -> Response {
        try await gate.form(request) { form in
            guard context.key.policy.token != nil else { return .seeOther("/") }
            let to = FormBody.ownPath(form["to"], otherwise: "/")
            if form["end"] == "1" {
                if let session = Session.value(of: request) { context.key.end(session: session) }
                return .seeOther(Self.loginPath, headers: [.setCookie: Session.end])
            }
            let answer = context.key.judge(ShownToken(form: form["token"]), of: visit, request)
            guard case .right(let role) = answer else { return loginForm(request, answer, to: to) }
            let forwarded = HTTPField.Name("X-Forwarded-Proto").flatMap { request.headers[$0] }
            let isSecure = context.key.policy.publicURL?.lowercased().hasPrefix("https://") ?? false
            let cookie = Session.cookie(context.key.beginSession(of: role), isSecure: isSecure || forwarded == "https")
            return .seeOther(to, headers: [.setCookie: cookie])
        }
    }
}
