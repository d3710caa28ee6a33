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

    private init(_ text: String, type: String, status: HTTPResponse.Status, headers: HTTPFields) {
        var headers = headers
        headers[.contentType] = type
        self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
