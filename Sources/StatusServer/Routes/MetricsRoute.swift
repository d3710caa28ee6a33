import HTTPTypes
import Hummingbird

/// The metrics, as Prometheus scrapes them.
struct MetricsRoute: Sendable {
    let text: @Sendable () async throws -> [UInt8]

    /// - Throws: what `text` throws.
    func answer() async throws -> Response { Response(metrics: try await text()) }
}

extension Response {
    /// https://prometheus.io/docs/instrumenting/exposition_formats/
    init(metrics text: [UInt8]) {
        self.init(
            status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: text)))
    }
}
