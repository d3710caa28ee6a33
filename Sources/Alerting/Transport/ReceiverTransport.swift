// How messages leave: HTTP here, mail in MailTransport.swift, programs in ProgramRun.swift. The operator chose the receiver, so that
// its address may be private, but no metadata address of a cloud. Redirects are never followed, and the certificate is always
// verified.

import Curl
import Evidence
import Foundation

/// The transport of the running program: HTTP and mail by libcurl, programs by themselves.
package struct ReceiverTransport: MessageTransport {
    package typealias Use = @Sendable (CurlDriver) async throws -> TransportAnswer

    private let lend: @Sendable (Use) async throws -> TransportAnswer

    /// `lend`: gives the driver for one message. It is one of its own, apart from that of the checks: a busy check must not
    /// delay an alert.
    package init(lending lend: @escaping @Sendable (Use) async throws -> TransportAnswer) { self.lend = lend }

    package init(driver: CurlDriver) { self.init { try await $0(driver) } }

    package func post(_ request: MessageRequest) async throws -> TransportAnswer {
        switch request.way {
        case .http: try await lend { try await Self.post(request, over: $0) }
        case .mail(let envelope): try await lend { try await Self.mail(request, envelope, over: $0) }
        case .program(let call): try await Self.run(call, request)
        }
    }

    private static func post(_ request: MessageRequest, over driver: CurlDriver) async throws -> TransportAnswer {
        let result = try await driver.perform(
            TransferRequest(
                url: request.url, method: method(of: request),
                headers: request.headers.map { TransferRequest.Header(name: $0.name, value: $0.value) },
                userAgent: request.userAgent, allowPlainHTTP: request.url.lowercased().hasPrefix("http://"),
                limits: TransferLimits(
                    connectTimeout: request.connectTimeout, totalTimeout: request.timeout,
                    bodyBytes: TransportAnswer.maximumBodyBytes), addressPolicy: .noMetadata))
        // The phase is that of one connection. Each message has a connection of its own: none is kept.
        let fault = result.error.map { TransportFault($0, wasSent: $0.phase >= .waiting) }
        return TransportAnswer(
            status: result.status, headers: result.headers.map { HeaderField(name: $0.name, value: $0.value) },
            body: result.body, fault: fault)
    }

    private static func method(of request: MessageRequest) -> TransferRequest.Method {
        switch request.method {
        case .post: .post(body: request.body)
        case .put: .put(body: request.body)
        case .patch: .patch(body: request.body)
        }
    }
}

extension TransportFault {
    init(_ error: CurlError, wasSent: Bool) {
        let kind: Kind =
            switch error.code {
            case .certificate, .noTLS, .loginFailed: .certificate
            case .addressRefused: .address
            default: .network
            }
        self.init(kind: kind, detail: error.description, wasSent: wasSent)
    }
}
