// The seam between what is to be said and the world outside.

import Evidence
import Facts
import Foundation

/// Sends one message and says what came back. It follows no redirect and keeps no cookie.
package protocol MessageTransport: Sendable {
    /// - Throws: `CancellationError` only; trouble of the network is part of the answer.
    func post(_ request: MessageRequest) async throws -> TransportAnswer
}

/// A request as it goes out. It holds secrets (the URL may be one), and so has no description.
package struct MessageRequest: Equatable, Sendable {
    /// By what it goes out.
    package enum Way: Equatable, Sendable {
        /// As a POST.
        case http
        /// To the mail server at `url`. `body` is the whole mail; `headers` and `userAgent` do not count.
        case mail(MailEnvelope)
    }

    package var way = Way.http
    package let url: String
    /// Names in lower case; `user-agent` apart.
    package let headers: [HeaderField]
    package let userAgent: String
    package let body: Data
    /// For the connection, TLS included.
    package var connectTimeout = Duration.seconds(5)
    /// For all of it.
    package var timeout = Duration.seconds(15)
}

extension MessageRequest: CustomStringConvertible, CustomReflectable {
    package var description: String { "message of \(body.count) bytes" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// What came back.
package struct TransportAnswer: Equatable, Sendable {
    /// Of HTTP or SMTP; nil where no answer came.
    package let status: Int?
    package let headers: [HeaderField]
    /// The first 64 KiB; of mail what the server said.
    package let body: Data
    /// What went wrong on the way, if anything did; a status may still have come.
    package let fault: TransportFault?

    package static let maximumBodyBytes = 64 * 1024

    package init(status: Int?, headers: [HeaderField] = [], body: Data = Data(), fault: TransportFault? = nil) {
        self.status = status
        self.headers = headers
        self.body = Data(body.prefix(Self.maximumBodyBytes))
        self.fault = fault
    }

    /// The answer says clearly that the receiver does not have the message.
    package var isClearRefusal = false
    /// Recipients of a mail that others took: they could not take it yet.
    package var deferred: [String] = []

    /// Whether the receiver may have the message: what never left cannot have arrived.
    var mayHaveArrived: Bool { !isClearRefusal && (status != nil || fault?.wasSent ?? true) }

    /// The first value of a header, by its name in lower case.
    package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    /// The body is an HTML page.
    var isPage: Bool {
        if header("content-type")?.lowercased().hasPrefix("text/html") == true { return true }
        let start = text.prefix(100).lowercased()
        return start.hasPrefix("<!doctype html") || start.hasPrefix("<html")
    }

    /// The body as text, without blanks at its ends.
    package var text: String {
        String(decoding: body, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

/// Why a message did not go through.
package struct TransportFault: Equatable, Sendable {
    package let kind: Kind
    /// Words of the network library; may name the host.
    package let detail: String
    /// Whether the request may have left by then. Where it did not, as without a connection, nobody can have read it.
    package let wasSent: Bool

    package init(kind: Kind, detail: String, wasSent: Bool = true) {
        self.kind = kind
        self.detail = detail
        self.wasSent = wasSent
    }

    package enum Kind: String, Sendable {
        /// No name, no connection, a reset, a time-out.
        case network
        /// The receiver's certificate was not accepted; or a mail server offers no TLS where it is needed, or no login that is known.
        case certificate
        /// The receiver's name leads to an address that nothing is sent to.
        case address
    }
}

/// Who sends a mail to whom, and how the server is met.
package struct MailEnvelope: Equatable, Sendable {
    /// The mail's `Message-ID`.
    package let id: String
    package let sender: String
    package let recipients: [String]
    package let username: String?
    package let password: String?
    package let requiresTLS: Bool
}
