// A real mail server (aiosmtpd) on loopback. It needs Python packages, which `make setup` installs where possible.

import Curl
import Evidence
import Foundation
import Lab
import LabFaults
import Monitoring
import TestSupport
import TestTraits
import Testing

@testable import Alerting

/// A mail as mail programs read it, or a login.
struct ServerEvent: Decodable {
    var port: Int?
    var holds: Bool?
    var login: [String]?
    var encrypted: Bool?
    var sender: String?
    var recipients: [String]?
    var names: [String]?
    var subject: String?
    var from: String?
    var to: [String]?
    var date: String?
    var id: String?
    var references: [String]?
    var answered: String?
    var automatic: String?
    var type: String?
    var defects: [String]?
    var longest: Int?
    var ascii: Bool?
    var bare: Int?
    var plain: String?
    var html: String?
}

final class MailServer {
    struct Settings: Encodable, Sendable {
        /// `starttls`, `smtps`, or nil for no TLS.
        var tls: String?
        var certificate: String?
        var key: String?
        var login: [String]?
        /// Where the server stops responding: `greeting`, `message` or `quit`.
        var hang: String?
        var sender_reply: String?
        var message_reply: String?
    }

    static let host = "mail.test"
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
    private static let home = tests.deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: ".build/payload-judge")

    static var isInstalled: Bool {
        let list = try? String(contentsOf: home.appending(path: "requirements.txt"), encoding: .utf8)
        return list?.contains("aiosmtpd==") ?? false
    }

    static let absence: Comment =
        "the tests' mail server (aiosmtpd) is not installed; run `make setup` with network access"

    let port: Int
    let caFile: String
    private let folder: URL
    private let input = Pipe()
    private let child: Child

    /// `certificate`: the server's, for `host`, signed by the tests' own authority.
    init(_ settings: Settings = Settings(), certificate: LabCertificate = .valid) async throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "mail-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        folder = place
        let authority = try LabAuthority(now: Date())
        let identity = try authority.identity(for: Self.host, certificate, now: Date())
        var settings = settings
        func file(_ name: String, _ text: String) throws -> String {
            let file = place.appending(path: name)
            try text.write(to: file, atomically: true, encoding: .utf8)
            return file.path
        }
        caFile = try file("ca.pem", authority.rootPEM)
        if settings.tls != nil {
            settings.certificate = try file("cert.pem", identity.certificatesPEM)
            settings.key = try file("key.pem", identity.keyPEM)
        }
        let (out, err) = (try file("out", ""), try file("err", ""))
        let words = [
            Self.tests.appending(path: "Payloads/mail_server.py").path,
            String(decoding: try JSONEncoder().encode(settings), as: UTF8.self),
        ]
        child = try Child(
            Self.home.appending(path: "bin/python"), words, environment: ["PATH": "/usr/bin:/bin"],
            input: input.fileHandleForReading, output: FileHandle(forWritingTo: URL(filePath: out)),
            errors: FileHandle(forWritingTo: URL(filePath: err)))
        var announced: Int?
        let running = child
        try await until {
            announced = try Self.events(place).first?.port
            return announced != nil || running.end != nil
        }
        port = try #require(announced, "\((try? String(contentsOfFile: err, encoding: .utf8)) ?? "")")
    }

    deinit {
        // The server ends with its input.
        try? input.fileHandleForWriting.close()
        try? FileManager.default.removeItem(at: folder)
    }

    private static func events(_ folder: URL) throws -> [ServerEvent] {
        let text = try String(contentsOf: folder.appending(path: "out"), encoding: .utf8)
        // The last line may be incomplete.
        return try text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map {
            try JSONDecoder().decode(ServerEvent.self, from: Data($0.utf8))
        }
    }

    /// All mails so far. The server writes a mail down before it responds.
    var mails: [ServerEvent] { get throws { try Self.events(folder).filter { $0.id != nil } } }
    /// Whether the server has a whole message and has not yet responded.
    var holds: Bool { get throws { try Self.events(folder).contains { $0.holds == true } } }
    var logins: [ServerEvent] { get throws { try Self.events(folder).filter { $0.login != nil } } }

    /// `isNamed`: a channel that names the server by host name, so the monitor takes it for another machine.
    func channel(
        _ scheme: String = "smtp", isNamed: Bool = false, to recipients: [String] = ["ops@example.net"],
        login: [String]? = nil
    ) throws -> Channel {
        Channel(
            name: "mail", kind: .email, url: "\(scheme)://\(isNamed ? Self.host : "127.0.0.1"):\(port)",
            token: login?[1],
            mail: MailAddresses(sender: "monitor@example.net", recipients: recipients, username: login?[0]))
    }

    /// Sends with a driver that trusts the tests' authority.
    /// `limit` replaces the channel's own timeouts. Without it, the limit is far longer than any response takes.
    func send(_ request: MessageRequest, within limit: Duration? = nil) async throws -> TransportAnswer {
        let driver = try CurlDriver(
            network: NetworkSettings(caFile: caFile, resolve: ["\(Self.host):\(port):127.0.0.1"]))
        let sent = MessageRequest(
            way: request.way, url: request.url, headers: request.headers, userAgent: request.userAgent,
            body: request.body,
            connectTimeout: limit ?? .seconds(600), timeout: limit ?? .seconds(600))
        let answer = try await ReceiverTransport(driver: driver).post(sent)
        await driver.shutdown()
        return answer
    }

    func send(
        _ alert: Alert, _ channel: Channel, key: String = "abc123", plain: Bool = false, reference: String? = nil,
        within limit: Duration? = nil
    ) async throws -> TransportAnswer {
        let body = try channel.format.body(alert, plain: plain, reference: reference)
        return try await send(
            channel.format.request(
                body: body, messageKey: key, timestamp: Date(), userAgent: "t", channel: channel), within: limit)
    }
}
