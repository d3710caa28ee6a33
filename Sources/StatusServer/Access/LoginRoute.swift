// The login form, if a token is set.

import Foundation
import HTTPTypes
import Hummingbird
import Monitoring
import Report

extension Pages {
    static let loginPath = "/login"

    /// The address of the form that returns to a page after the login.
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
        let fault: String? =
            answer == .wrong
            ? "Wrong token."
            : wait.map { "Too many wrong tokens came from this address. Try again in \($0) s." }
        let isKnown = Session.value(of: request).flatMap(context.key.role(ofSession:)) != nil
        let time = ReportTime(context.timekeeper)
        let page = loginPage(to: FormBody.ownPath(target, otherwise: "/"), isKnown: isKnown, fault: fault, time)
        var response = context.response(request, page, time)
        if answer == .wrong { response.status = .unauthorized }
        if let wait {
            response.status = .tooManyRequests
            response.headers[.retryAfter] = "\(wait)"
        }
        response.headers[.cacheControl] = "no-store"
        return response
    }

    /// Open to everyone, so it must not name a domain. `isKnown`: whether the client is logged in.
    private func loginPage(to path: String, isKnown: Bool, fault: String?, _ time: ReportTime) -> HTML {
        let frame = Frame(version: context.version, time: time, role: .visitor)
        let way: HTML = #"<a href="\#(path)">Continue</a>"#
        let known: HTML = """
            <p>You are logged in. \(way)</p>
            <form class="write" method="post" action="/login">\(HTML.hidden("end", "1"))\
            <button type="submit">Log out</button></form>
            """
        let unknown: HTML = """
            <p class="soft">This page needs the token from <code>server.token</code>. Already logged in? \(way).</p>
            \(fault.map { #"<p role="alert"><strong class="fail">\#($0)</strong></p>"# })
            <form class="write" method="post" action="/login">\(HTML.hidden("to", path))\
            <input type="text" name="username" value="aasa-monitor" autocomplete="username" hidden> \
            <label>Token <input type="password" name="token" required autocomplete="current-password"></label> \
            <button type="submit">Log in</button></form>
            """
        return """
            \(frame.head("Log in", .soft))
            <body>
            \(Frame.marks)\
            <header class="top">\(Frame.brand)</header>
            <main id="main">
            <h1>Log in</h1>
            \(isKnown ? known : unknown)
            </main>
            </body>
            </html>

            """
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
