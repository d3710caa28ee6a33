// A mail over SMTP: the message, and the dialogue with the server as far as callers need it.

import Foundation

/// One mail to one server, which relays it.
package struct Mail: Sendable {
    /// Addresses without display names.
    package var sender: String
    package var recipients: [String]
    package var login: (username: String, password: String)?
    /// On an `smtp` URL, fail if the server does not offer STARTTLS. If false, TLS is used only if offered.
    package var requiresTLS: Bool
    /// Headers and body as sent, with CRLF at the end of each line.
    package var message: Data

    package init(
        sender: String, recipients: [String], login: (username: String, password: String)? = nil, requiresTLS: Bool,
        message: Data
    ) {
        self.sender = sender
        self.recipients = recipients
        self.login = login
        self.requiresTLS = requiresTLS
        self.message = message
    }
}

/// The reply to each command. libcurl reports only the last code; only the replies say which recipient was refused.
package struct MailDialogue: Sendable, Equatable {
    /// The command that a reply answers.
    package enum Step: Sendable, Equatable {
        /// The connection itself.
        case greeting
        case hello, startTLS, login, sender
        /// The index of the recipient, from 0.
        case recipient(Int)
        /// The announcement of the message.
        case data
        case message
    }

    package struct Reply: Sendable, Equatable {
        package let step: Step
        package let code: Int
        /// The lines after the code, joined by spaces.
        package let text: String

        package var isRefusal: Bool { code >= 400 }
    }

    package private(set) var last: Reply?
    /// One for each recipient sent, in the same order.
    package private(set) var recipients: [Reply] = []
    /// The server accepted DATA: from then on it may have the message.
    package private(set) var messageBegan = false
    /// QUIT was sent.
    private(set) var isOver = false
    private var step = Step.greeting
    private var lines: [String] = []

    private static let longestLine = 300
    private static let mostLines = 10

    package init() {}

    /// Takes a command that was sent. Parameters are ignored: they may be a password.
    mutating func take(command: UnsafeRawBufferPointer) {
        let verb = String(decoding: command.prefix { $0 > 0x20 }.prefix(16), as: UTF8.self).uppercased()
        switch verb {
        case "EHLO", "HELO": step = .hello
        case "STARTTLS": step = .startTLS
        case "AUTH": step = .login
        case "MAIL": step = .sender
        case "RCPT": step = .recipient(recipients.count)
        case "DATA": step = .data
        case "QUIT": isOver = true
        // Further steps of a login.
        default: break
        }
    }

    /// Takes a received line with its line end. RFC 5321, section 4.2.
    mutating func take(line: UnsafeRawBufferPointer) {
        guard !isOver else { return }
        let text = String(decoding: line.prefix(Self.longestLine), as: UTF8.self)
        guard let code = Int(text.prefix(3)), (200...599).contains(code) else { return }
        if lines.count < Self.mostLines {
            lines.append(text.dropFirst(4).trimmingCharacters(in: .whitespacesAndNewlines))
        }
        guard text.dropFirst(3).first != "-" else { return }
        let reply = Reply(step: step, code: code, text: lines.joined(separator: " "))
        lines = []
        last = reply
        if case .recipient = step { recipients.append(reply) }
        if step == .data, !reply.isRefusal {
            step = .message
            messageBegan = true
        }
    }
}
