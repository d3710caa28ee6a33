/// A well-formed answer. `Content-Length` and `Connection` are added unless `headers` has a `Content-Length` or
/// `Transfer-Encoding` of its own, which then stands, be it a lie.
package struct LabReply: Sendable {
    package var status: Int
    /// Sent in this order, repeated names included.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    /// Between the request and the answer's first byte.
    package var delay: Duration
    /// Whether the body goes out as gzip, with the `Content-Encoding` that says so.
    package var gzip: Bool

    /// An answer; an empty body and no delay by default.
    package init(
        status: Int = 200, headers: [(String, String)] = [], body: [UInt8] = [], delay: Duration = .zero,
        gzip: Bool = false
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.delay = delay
        self.gzip = gzip
    }

    /// 200 with that text as `application/json`.
    package static func json(_ text: String, delay: Duration = .zero) -> LabReply {
        LabReply(headers: [("Content-Type", "application/json")], body: Array(text.utf8), delay: delay)
    }

    /// A page, as a site shows one for a path that only its front end knows.
    package static func html(_ text: String, status: Int = 200) -> LabReply {
        LabReply(
            status: status, headers: [("Content-Type", "text/html; charset=utf-8")], body: Array(text.utf8))
    }

    /// That status with its own phrase as the text.
    package static func status(_ status: Int) -> LabReply {
        LabReply(
            status: status, headers: [("Content-Type", "text/plain; charset=utf-8")],
            body: Array("\(Self.phrase(of: status))\n".utf8))
    }

    /// The usual phrase for a status, `Unknown` where there is none.
    static func phrase(of status: Int) -> String {
        switch status {
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 410: "Gone"
        case 413: "Content Too Large"
        case 418: "I'm a teapot"
        case 429: "Too Many Requests"
        case 451: "Unavailable For Legal Reasons"
        case 500: "Internal Server Error"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        default: "Unknown"
        }
    }
}
