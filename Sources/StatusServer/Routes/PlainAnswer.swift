import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// A sentence for people and scripts.
    init(plain text: String, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) {
        self.init(text, type: "text/plain; charset=utf-8", status: status, headers: headers)
    }

    init(html text: String) {
        self.init(text, type: "text/html; charset=utf-8", status: .ok, headers: [:])
    }

    init(json data: Data) {
        self.init(
            status: .ok, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
    }

    private init(_ text: String, type: String, status: HTTPResponse.Status, headers: HTTPFields) {
        var headers = headers
        headers[.contentType] = type
        self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

extension Response {
    /// The store cannot be read or written now; who asks may come again in half a minute. `headers`: further ones.
    static func storeAway(_ headers: HTTPFields = [:]) -> Response {
        var headers = headers
        headers[.retryAfter] = "30"
        return Response(
            plain: "503 the store cannot be read or written at the moment; the log of aasa-monitor says why\n",
            status: .serviceUnavailable, headers: headers)
    }
}
