// Validates payloads against the models and schemas that the services publish, in a Python program.
// `make setup` installs its packages where possible.

import Evidence
import Facts
import Foundation
import Monitoring
import TestTraits
import Testing

@testable import Alerting

/// A request for the validator.
struct PayloadCase: Encodable {
    let service: String
    /// The path of the URL, without its query.
    var path: String
    var headers: [String: String]
    var body: String
    /// For a webhook: the secret by which its receiver checks the signature.
    var secret: String?

    init(_ judged: JudgedService, _ request: MessageRequest) {
        service = judged.rawValue
        path = URLComponents(string: request.url)?.path ?? ""
        headers = Dictionary(request.headers.map { ($0.name, $0.value) }) { first, _ in first }
        body = String(decoding: request.body, as: UTF8.self)
        secret = judged == .webhook ? JudgedService.secrets.first : nil
    }

    /// The same case with a changed body.
    func changed(_ change: (inout [String: Any]) -> Void) throws -> PayloadCase {
        var root = try object(Data(body.utf8))
        change(&root)
        var changed = self
        changed.body = String(decoding: try JSONSerialization.data(withJSONObject: root), as: UTF8.self)
        return changed
    }
}

/// The services that publish a schema, or whose SDK has models. docs/reference/channels.md describes the others.
enum JudgedService: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case slack
    case slackBot = "slack-bot"
    case discord, teams
    case googleChat = "google-chat"
    case telegram, line, pagerduty, webhook

    var testDescription: String { rawValue }

    private static let keys = [24, 40].map { count in Data((0..<count).map { UInt8($0) }) }
    static let secrets = keys.map { "whsec_" + $0.base64EncodedString() }

    func channel() throws -> Channel {
        if self == .webhook { return try AlertingTests.channel(keys: Self.keys) }
        return try #require(Service(rawValue: rawValue)).channel()
    }

    /// The service's reference of the first message.
    var reference: String? { Service(rawValue: rawValue)?.reference }
}

enum PayloadJudge {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
    private static let home = tests.deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: ".build/payload-judge")

    /// `make setup` installs this last.
    static var isInstalled: Bool {
        FileManager.default.fileExists(atPath: home.appending(path: "requirements.txt").path)
    }

    static let absence: Comment =
        "the Python packages that validate payloads are not installed; run `make setup` with network access"

    /// One verdict for each case: `ok`, or why the service would refuse it.
    static func verdicts(_ cases: [PayloadCase]) async throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "judge-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "cases.jsonl")
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let lines = try cases.map { String(decoding: try encoder.encode($0), as: UTF8.self) + "\n" }
        try lines.joined().write(to: file, atomically: true, encoding: .utf8)
        let judge = try await ChildProcess.run(
            home.appending(path: "bin/python"), [tests.appending(path: "Payloads/judge.py").path],
            // This process's own environment may forbid Python to cache bytecode, which doubles its start time.
            environment: ["PATH": "/usr/bin:/bin"], input: file)
        try #require(judge.exitCode == 0, "\(judge.errors)")
        let verdicts = judge.output.split(separator: "\n").map(String.init)
        try #require(verdicts.count == cases.count)
        return verdicts
    }
}
