// How messages leave. The operator chose the receiver, so that its address may be private, but no metadata address of a cloud.
// Redirects are never followed, and the certificate is always verified.

import Curl
import Facts
import Foundation

/// The transport of the running program: HTTP and mail by libcurl.
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
        }
    }

    private static func post(_ request: MessageRequest, over driver: CurlDriver) async throws -> TransportAnswer {
        let result = try await driver.perform(
            TransferRequest(
                url: request.url, method: "POST", body: request.body,
                headers: request.headers.map { ($0.name, $0.value) },
                userAgent: request.userAgent, allowPlainHTTP: request.url.lowercased().hasPrefix("http://"),
                limits: TransferLimits(
                    connectTimeout: request.connectTimeout, totalTimeout: request.timeout,
                    bodyBytes: TransportAnswer.maximumBodyBytes), addressPolicy: .noMetadata))
        // The phase is that of one connection. Each message has a connection of its own: none is kept.
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
        // libcurl waits for a server's answer to the message on the driver's thread: a slow server must hold up nobody else.
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

    /// Mail that may go without TLS goes to this machine itself, and by no proxy or rule to another.
    private static func network(of envelope: MailEnvelope, _ settings: NetworkSettings) -> NetworkSettings {
        envelope.requiresTLS ? settings : NetworkSettings(caFile: settings.caFile, caFolder: settings.caFolder)
    }
}

/// What a mail server's replies mean.
struct MailAnswer {
    private let dialogue: MailDialogue
    private let error: CurlError?
    private let envelope: MailEnvelope

    /// The header of an answer that says which command was refused.
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

    /// The reply that the message failed by. Where all recipients were refused, one that may be taken later decides; where
    /// only some were, the network failed after that.
    private var decisive: MailDialogue.Reply? {
        guard case .recipient = dialogue.last?.step else { return dialogue.last }
        return isOfAll ? refused.first { $0.code < 500 } ?? dialogue.last : nil
    }

    private var isOfAll: Bool { !refused.isEmpty && refused.count == envelope.recipients.count }

    /// The recipients who were refused for now.
    private var deferred: [String] {
        refused.filter { $0.code < 500 }.compactMap { reply in
            guard case .recipient(let number) = reply.step, envelope.recipients.indices.contains(number) else {
                return nil
            }
            return envelope.recipients[number]
        }
    }

    private var refused: [MailDialogue.Reply] { dialogue.recipients.filter(\.isRefusal) }

    /// What was refused; of a mail that all took, the server's last words, which often hold its number there.
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
