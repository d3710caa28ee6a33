// The interface between messages and the network.

import Evidence
import Facts
import Foundation

/// Sends one message and returns the answer. Follows no redirect and keeps no cookie.
package protocol MessageTransport: Sendable {
    /// - Throws: only `CancellationError`. A network fault is part of the answer.
    func post(_ request: MessageRequest) async throws -> TransportAnswer
}

/// A request. It contains secrets, even in the URL, so it has no description.
package struct MessageRequest: Equatable, Sendable {
    /// The protocol.
    package enum Way: Equatable, Sendable {
        /// An HTTP request with a body: `POST`, or `PUT` of a service that takes the key of a message in the path.
        case http(method: String = "POST")
        /// SMTP to the server at `url`. `body` is the whole mail; `headers` and `userAgent` are not used.
        case mail(MailEnvelope)
    }

    package var way = Way.http()
    package let url: String
    /// Names in lower case, without `user-agent`.
    package let headers: [HeaderField]
    package let userAgent: String
    package let body: Data
    /// For the connection, including TLS.
    package var connectTimeout = Duration.seconds(5)
    /// For the whole request.
    package var timeout = Duration.seconds(15)
}

extension MessageRequest: CustomStringConvertible, CustomReflectable {
    package var description: String { "message of \(body.count) bytes" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The answer to a request.
package struct TransportAnswer: Equatable, Sendable {
    /// The HTTP or SMTP status; nil: no answer.
    package let status: Int?
    package let headers: [HeaderField]
    /// The first 64 KiB; for mail, the server's reply.
    package let body: Data
    /// The network fault, if any. There may be a status too.
    package let fault: TransportFault?

    package static let maximumBodyBytes = 64 * 1024

    package init(status: Int?, headers: [HeaderField] = [], body: Data = Data(), fault: TransportFault? = nil) {
        self.status = status
        self.headers = headers
        self.body = Data(body.prefix(Self.maximumBodyBytes))
        self.fault = fault
    }

    /// The answer proves that the receiver does not have the message.
    package var isClearRefusal = false
    /// The recipients of a delivered mail that the server deferred.
    package var deferred: [String] = []

    /// Whether the receiver may have the message. A message that was not sent cannot have arrived.
    var mayHaveArrived: Bool { !isClearRefusal && (status != nil || fault?.wasSent ?? true) }

    /// The first value of a header. `name`: in lower case.
    package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    /// The body is an HTML page.
    var isPage: Bool {
        if header("content-type")?.lowercased().hasPrefix("text/html") == true { return true }
        let start = text.prefix(100).lowercased()
        return start.hasPrefix("<!doctype html") || start.hasPrefix("<html")
    }

    /// The body as text, trimmed.
    package var text: String {
        String(decoding: body, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

/// Why a message was not delivered.
package struct TransportFault: Equatable, Sendable {
    package let kind: Kind
    /// The error of the network library; may contain the host.
    package let detail: String
    /// Whether the request may have been sent. If not, for example without a connection, it cannot have arrived.
    package let wasSent: Bool

    package init(kind: Kind, detail: String, wasSent: Bool = true) {
        self.kind = kind
        self.detail = detail
        self.wasSent = wasSent
    }

    package enum Kind: String, Sendable {
        /// No address, no connection, a reset or a timeout.
        case network
        /// The certificate was refused; or a mail server lacks required TLS, or offers no supported login.
        case certificate
        /// The host resolves to an address that messages must not go to.
        case address
    }
}

/// The sender, the recipients, and the login and TLS of the mail server.
package struct MailEnvelope: Equatable, Sendable {
    /// The value of `Message-ID`.
    package let id: String
    package let sender: String
    package let recipients: [String]
    package let username: String?
    package let password: String?
    package let requiresTLS: Bool
}
