import Facts
import Foundation
import MonitorConfiguration
import TestTraits
import Testing

/// The root suite of this target. The limit ends a test that hangs.
@Suite(.timeLimit(.minutes(120)), .computing)
enum ConfigurationSuite {}

/// The environment and the files of the fixtures.
enum Fixture {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
    static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// A value that starts with this word must never be shown.
    static let planted = "PLANTED"

    static let environment = [
        "SLACK_WEBHOOK_URL": "https://hooks.slack.com/services/PLANTED",
        "TELEGRAM_TOKEN": "123456:PLANTEDPLANTED",
        "PLANTED_TEXT": "PLANTED value/of a:variable",
        "STRUCTURE": "[example.com]",
        "CONCURRENT": "8",
        "CREDENTIALS_DIRECTORY": "/run/credentials",
        "EMPTY": "",
    ]

    static let secretFiles = [
        "/etc/aasa-monitor/slack.url": "https://hooks.slack.com/services/PLANTED\n",
        "/etc/aasa-monitor/hook.secret": "whsec_UExBTlRFRC1QTEFOVEVELVBMQU5URUQh\n",
        "/run/credentials/hook": "whsec_UExBTlRFRC1QTEFOVEVELVBMQU5URUQh\n",
        "/run/credentials/pagerduty": "PLANTEDPLANTEDPLANTEDPLANTED0000\n",
        "/secrets/empty": "\n",
        "/secrets/raw": "PLANTED\n", "/secrets/thirty": "PLANTEDPLANTEDPLANTEDPLANTED00\n",
        "/secrets/two-breaks": "PLANTED-token\n\n",
        "/secrets/url": "https://hooks.example.net/PLANTED\n",
        "/secrets/token": "PLANTED-token-of-30-characters\r\n",
        "/secrets/rotating":
            "whsec_UExBTlRFRC1QTEFOVEVELVBMQU5URUQh\nwhsec_UExBTlRFRC1QTEFOVEVELVBMQU5URUQhdHdv\n",
        "/secrets/two-one-bad": "whsec_UExBTlRFRC1QTEFOVEVELVBMQU5URUQh\nPLANTED\n",
        "secrets/room": "https://hooks.slack.com/services/PLANTED",
        "etc/secrets/room": "https://hooks.slack.com/services/PLANTED-in-etc",
    ]

    static func read(_ path: String) throws -> String {
        guard let content = secretFiles[path] else {
            throw UnreadableFile(path: path, reason: "no such file or directory")
        }
        return content
    }

    static func names(in kind: String, suffix: String = "") -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: kind).path)
        return (names ?? []).filter { $0.hasSuffix(".yml") }.map { String($0.dropLast(4)) }.sorted()
    }

    static func text(_ kind: String, _ name: String) throws -> String {
        try String(contentsOf: folder.appending(path: "\(kind)/\(name).yml"), encoding: .utf8)
    }

    static func parse(
        _ text: String, file: String = "monitor.yaml", shard: Shard? = nil,
        environment: [String: String] = environment
    ) throws(ConfigurationFault) -> (ConfigurationFile, warnings: [ConfigurationProblem]) {
        try ConfigurationLoader.parse(text, file: file, shard: shard, environment: environment) { try read($0) }
    }

    /// The error messages for `text`, one per line; empty if it is valid.
    static func complaints(_ text: String) -> String {
        do {
            _ = try parse(text)
            return ""
        } catch {
            return error.description
        }
    }
}
