import AASA
import Evidence
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import Device

/// The root suite of this target.
@Suite("Device", .timeLimit(.minutes(120)), .computing)
struct DeviceSuite {}

/// An invented device: `swcutil show --verbose` in its published form, with our own names.
struct MadeDevice {
    static let app = "ABCDE12345.com.example.app"

    /// The lines of one entry. A nil value omits the key.
    static func entry(
        _ approval: String = "approved", domain: String = "links.example.com", app: String = app,
        service: String = "applinks", patterns: String? = #"{"/":"/main/*"}, {"/":"/sub1/*"}"#,
        user: String = "unspecified",
        flags: String? = nil, checked: String? = "2026-11-19 10:09:00 +0000",
        next: String? = "2026-11-24 10:00:00 +0000",
        error: String? = nil, retries: Int? = nil
    ) -> String {
        let fields: [(String, String?)] = [
            ("Service", service), ("App ID", app), ("App Version", "1.0"),
            ("App PI", "<LSPersistentIdentifier 0x115e1a390> { v = 0, t = 0x8, u = 0xc98 }"), ("Domain", domain),
            ("Patterns", patterns), ("User Approval", user), ("Site/Fmwk Approval", approval), ("Flags", flags),
            ("Last Checked", checked), ("Next Check", next), ("Error", error), ("Retries", retries.map(String.init)),
        ]
        return fields.compactMap { key, value in
            value.map { "\(key):".padding(toLength: 22, withPad: " ", startingAt: 0) + $0 }
        }.joined(separator: "\n")
    }

    static let rule = String(repeating: "-", count: 80)

    static func title(_ name: String) -> String {
        let left = (78 - name.count) / 2
        return String(repeating: "=", count: left) + " \(name) " + String(repeating: "=", count: 78 - name.count - left)
    }

    static func report(
        _ entries: [String], network: String = "(empty)", settings: String = "(empty)", developer: Int = 0
    ) -> String {
        """
        PID:                  123
        Storage:              /var/mobile/Library/com.apple.SharedWebCredentials/db
        Settings Generation:  00000000-0000-0000-0000-000000000000
        Enterprise SHA:       (null)
        Developer Mode:       \(developer)
        \(title("DATABASE"))
        \(entries.joined(separator: "\n\(rule)\n"))
        \(title("NETWORK"))
        \(network)
        \(title("SETTINGS"))
        \(settings)
        \(title("MEMORY USAGE"))
        applinks:             12 KB
        """
    }

    static func setting(_ value: Int, app: String = app) -> String {
        """
        { s = applinks, a = \(app), d = (null) }: {
            "com.apple.LaunchServices.enabled" = \(value);
        }
        """
    }
}

func parsed(_ text: String, member: ReportBytes.Member? = nil) throws -> DeviceText {
    try DeviceText(ReportBytes(Array(text.utf8), member: member))
}

func report(_ text: String) throws -> DeviceReport {
    guard case .report(let report) = try parsed(text) else { throw ReportFault("a log") }
    return report
}
