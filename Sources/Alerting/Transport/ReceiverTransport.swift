// Sends messages. A receiver may have a private address, because the operator chose it, but never a cloud's metadata
// address. Redirects are never followed, and certificates are always verified.

import Curl
import Facts
import Foundation

/// HTTP and SMTP by libcurl.
package struct ReceiverTransport: MessageTransport {
    package typealias Use = @Sendable (CurlDriver) async throws -> TransportAnswer

    private let lend: @Sendable (Use) async throws -> TransportAnswer

    /// `lend`: provides the driver for one message. Checks use another driver, so that a busy check does not delay an
    /// alert.
    package init(lending lend: @escaping @Sendable (Use) async throws -> TransportAnswer) { self.lend = lend }

    package init(driver: CurlDriver) { self.init { try await $0(driver) } }

    package func post(_ request: MessageRequest) async throws -> TransportAnswer {
        switch request.way {
        case .http(let method): try await lend { try await Self.send(request, method: method, over: $0) }
        case .mail(let envelope): try await lend { try await Self.mail(request, envelope, over: $0) }
        }
    }

    private static func send(
        _ request: MessageRequest, method: String, over driver: CurlDriver
    ) async throws -> TransportAnswer {
        let result = try await driver.perform(
            TransferRequest(
                url: request.url, method: method, body: request.body,
                headers: request.headers.map { ($0.name, $0.value) },
                userAgent: request.userAgent, allowPlainHTTP: request.url.lowercased().hasPrefix("http://"),
                limits: TransferLimits(
                    connectTimeout: request.connectTimeout, totalTimeout: request.timeout,
                    bodyBytes: TransportAnswer.maximumBodyBytes), addressPolicy: .noMetadata))
        // Each message has its own connection, so the phase is that of this message.
        let fault = result.error.map { TransportFault($0, wasSent: $0.failure.phase >= .waiting) }
        return TransportAnswer(status: result.status, headers: result.headers, body: result.body, fault: fault)
    }
}

extension TransportFault {
    init(_ error: CurlError, wasSent: Bool) {
        let kind: Kind =
            switch error.code {
            case CurlError.Code(.certificate), .noTLS, .loginFailed: .certificate
            case CurlError.Code(.privateAddress): .address
            default: .network
            }
        self.init(kind: kind, detail: error.description, wasSent: wasSent)
    }
}

// MARK: - Mail by libcurl's SMTP

extension ReceiverTransport {
    static func mail(
        _ request: MessageRequest, _ envelope: MailEnvelope, over driver: CurlDriver
    ) async throws -> TransportAnswer {
        let mail = Mail(
            sender: envelope.sender, recipients: envelope.recipients,
            login: envelope.username.map { ($0, envelope.password ?? "") },
            requiresTLS: envelope.requiresTLS, message: request.body)
        // libcurl blocks the driver's thread until the mail server answers, so each mail has its own driver.
        let own = try CurlDriver(
            network: network(of: envelope, driver.network), resolver: driver.resolver, maximumConcurrent: 1)
        let result = try await own.shutdown(after: {
            try await own.perform(
                TransferRequest(
                    url: request.url, mail: mail, userAgent: "",
                    limits: TransferLimits(connectTimeout: request.connectTimeout, totalTimeout: request.timeout),
                    addressPolicy: .noMetadata))
        })
        try Task.checkCancellation()
        return MailAnswer(envelope, result).answer
    }

    /// Mail without TLS goes only to this machine, so it must not use a proxy or a `connect_to` rule.
    private static func network(of envelope: MailEnvelope, _ settings: NetworkSettings) -> NetworkSettings {
        envelope.requiresTLS ? settings : NetworkSettings(caFile: settings.caFile, caFolder: settings.caFolder)
    }
}

/// Interprets the replies of a mail server.
struct MailAnswer {
    private let dialogue: MailDialogue
    private let error: CurlError?
    private let envelope: MailEnvelope

    /// The name of the header that contains the refused SMTP command.
    static let refusedCommand = "refused-command"

    fileprivate init(_ envelope: MailEnvelope, _ result: TransferResult) {
        dialogue = result.mail ?? MailDialogue()
        error = result.error
        self.envelope = envelope
    }

    var answer: TransportAnswer {
        guard let error else {
            var answer = TransportAnswer(
                status: dialogue.last?.code,
                headers: [HeaderField(name: "message-id", value: envelope.id)], body: words(refused))
            answer.deferred = deferred
            return answer
        }
        guard let reply = decisive, reply.isRefusal else {
            return TransportAnswer(status: nil, fault: TransportFault(error, wasSent: dialogue.messageBegan))
        }
        var answer = TransportAnswer(
            status: reply.code, headers: [HeaderField(name: Self.refusedCommand, value: Self.name(reply.step))],
            body: words(isOfAll ? refused : [reply]))
        answer.isClearRefusal = true
        return answer
    }

    /// The reply that decides the outcome. If all recipients were refused, a temporary refusal takes precedence. If
    /// only some were, no reply decides, because the network failed afterwards.
    private var decisive: MailDialogue.Reply? {
        guard case .recipient = dialogue.last?.step else { return dialogue.last }
        return isOfAll ? refused.first { $0.code < 500 } ?? dialogue.last : nil
    }

    private var isOfAll: Bool { !refused.isEmpty && refused.count == envelope.recipients.count }

    /// The recipients with a temporary refusal.
    private var deferred: [String] {
        refused.filter { $0.code < 500 }.compactMap { reply in
            guard case .recipient(let number) = reply.step, envelope.recipients.indices.contains(number) else {
                return nil
            }
            return envelope.recipients[number]
        }
    }

    private var refused: [MailDialogue.Reply] { dialogue.recipients.filter(\.isRefusal) }

    /// The refusals; for a mail without any, the server's last reply, which often contains its queue id.
    private func words(_ refusals: [MailDialogue.Reply]) -> Data {
        guard !refusals.isEmpty else { return Data((dialogue.last?.text ?? "").utf8) }
        let texts = refusals.map { reply in
            if case .recipient(let number) = reply.step, envelope.recipients.indices.contains(number) {
                return "\(envelope.recipients[number]) refused: \(reply.code) \(reply.text)"
            }
            return "\(Self.name(reply.step)) refused: \(reply.code) \(reply.text)"
        }
        return Data(texts.joined(separator: "; ").utf8)
    }

    private static func name(_ step: MailDialogue.Step) -> String {
        switch step {
        case .greeting: "connection"
        case .hello: "EHLO"
        case .startTLS: "STARTTLS"
        case .login: "AUTH"
        case .sender: "MAIL FROM"
        case .recipient: "RCPT TO"
        case .data, .message: "DATA"
        }
    }
}
