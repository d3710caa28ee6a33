// Messages over libcurl. The receiver is the operator's own choice, so its address may be private; redirects are never
// followed, the certificate is always verified.

import Curl
import Evidence
import Foundation

/// The live transport.
package struct CurlTransport: MessageTransport {
    private let driver: CurlDriver

    /// `driver`: one of its own, apart from that of the checks: a busy check must not delay an alert.
    package init(driver: CurlDriver) { self.driver = driver }

    package func post(_ request: MessageRequest) async throws -> TransportAnswer {
        let result = try await driver.perform(
            TransferRequest(
                url: request.url, method: .post(body: request.body),
                headers: request.headers.map { TransferRequest.Header(name: $0.name, value: $0.value) },
                userAgent: request.userAgent, allowPlainHTTP: request.url.lowercased().hasPrefix("http://"),
                limits: TransferLimits(
                    connectTimeout: request.connectTimeout, totalTimeout: request.timeout,
                    bodyBytes: TransportAnswer.maximumBodyBytes)))
        let fault = result.error.map { error in
            TransportFault(kind: error.code == .certificate ? .certificate : .network, detail: error.description)
        }
        return TransportAnswer(
            status: result.status, headers: result.headers.map { HeaderField(name: $0.name, value: $0.value) },
            body: result.body, fault: fault)
    }
}
