import NIOHTTP1

/// A well-formed answer. `Content-Length` and `Connection` are added unless `headers` has a `Content-Length` or
/// `Transfer-Encoding` of its own, which then stands, be it a lie.
package struct LabReply: Sendable {
    package var status: Int
    /// Sent in this order, repeated names included.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]

    /// An answer; with an empty body by default.
    package init(status: Int = 200, headers: [(String, String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// That status with its own phrase as the text.
    package static func status(_ status: Int) -> LabReply {
        LabReply(
            status: status, headers: [("Content-Type", "text/plain; charset=utf-8")],
            body: Array("\(Self.phrase(of: status))\n".utf8))
    }

    /// The usual phrase for a status, `Unknown` where there is none.
    static func phrase(of status: Int) -> String {
        let phrase = HTTPResponseStatus(statusCode: status).reasonPhrase
        return phrase.isEmpty ? "Unknown" : phrase
    }
}
