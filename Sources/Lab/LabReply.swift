import NIOHTTP1

/// A well-formed response. `Content-Length` and `Connection` are added, unless `headers` has `Content-Length` or
/// `Transfer-Encoding`, which are sent as given, even if wrong.
package struct LabReply: Sendable {
    package var status: Int
    /// Sent in this order, including repeated names.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]

    package init(status: Int = 200, headers: [(String, String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A response with this status, and its reason phrase as the body.
    package static func status(_ status: Int) -> LabReply {
        LabReply(
            status: status, headers: [("Content-Type", "text/plain; charset=utf-8")],
            body: Array("\(Self.phrase(of: status))\n".utf8))
    }

    /// The standard reason phrase of a status; `Unknown` if there is none.
    static func phrase(of status: Int) -> String {
        let phrase = HTTPResponseStatus(statusCode: status).reasonPhrase
        return phrase.isEmpty ? "Unknown" : phrase
    }
}
