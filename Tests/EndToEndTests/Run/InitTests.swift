// `init` for a new user: its output is valid immediately, and no existing file is lost.

import Foundation
import Testing

extension EndToEndTests {
    @Suite struct InitTests {
        private static let entitlements = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
              <key>aps-environment</key><string>production</string>
              <key>com.apple.developer.associated-domains</key>
              <array>
                <string>applinks:example.com</string>
                <string>applinks:example.com?mode=developer</string>
                <string>webcredentials:*.shop.example.com</string>
                <string>applinks:staging.example.com?mode=developer</string>
                <string>applinks:$(HOST)</string>
                <string>applinks:</string>
              </array>
            </dict></plist>
            """

        @Test("without a domain init writes the documented example")
        func example() async throws {
            try await Stage.withoutLab { stage in
                let written = try await stage.run(["init"])
                #expect(written.end == .exit(0), "\(written.errors)")
                let own = try String(contentsOfFile: stage.path("monitor.yaml"), encoding: .utf8)
                let source = URL(filePath: #filePath).deletingLastPathComponent().appending(
                    path: "../../../monitor.yaml")
                #expect(own == (try String(contentsOf: source, encoding: .utf8)))
                #expect(try await stage.run(["config", "check"]).end == .exit(0))
            }
        }

        @Test("each domain of arguments and entitlements is watched once, and an invalid one is named")
        func domains() async throws {
            try await Stage.withoutLab { stage in
                try stage.write("App.entitlements", Self.entitlements)
                let written = try await stage.run(
                    [
                        "init", "links.example.com", "https://example.com/a", "--entitlements", "App.entitlements",
                        "-o", "own.yaml",
                    ])
                #expect(written.end == .exit(0), "\(written.errors)")
                #expect(written.output.hasPrefix("own.yaml: 4 domains; "))
                #expect(written.errors.contains("'applinks:$(HOST)' is left out: it contains a build setting"))
                #expect(written.errors.contains("'applinks:' is left out"))
                let text = try String(contentsOfFile: stage.path("own.yaml"), encoding: .utf8)
                #expect(
                    text.contains(
                        """
                        domains:
                          - links.example.com
                          - example.com
                          - shop.example.com
                          - {domain: staging.example.com, mode: developer}
                        """))
                let checked = try await stage.run(["config", "check", "--config", "own.yaml"])
                #expect(checked.output.contains("valid, 4 domains"), "\(checked.errors)")
            }
        }

        @Test(
            "a channel's URL goes into a file that only its user can read",
            arguments: ["slack", "webhook"])
        func channel(_ type: String) async throws {
            try await Stage.withoutLab { stage in
                let written = try await stage.run(["init", "example.com", "--channel", type])
                #expect(written.end == .exit(0), "\(written.errors)")
                #expect(
                    written.output == "monitor.yaml: 1 domain; put the channel's address into \(type).url, then: "
                        + "aasa-monitor alert test\n")
                let attributes = try FileManager.default.attributesOfItem(atPath: stage.path("\(type).url"))
                #expect(attributes[.posixPermissions] as? Int == 0o600)
                let empty = try await stage.run(["alert", "test"])
                #expect(empty.end == .exit(78) && empty.errors.contains("\(type).url"), "\(empty.errors)")
                try stage.write("\(type).url", "https://hooks.example.net/T/B/x\n")
                let checked = try await stage.run(["config", "check"])
                #expect(checked.output.contains("valid, 1 domain, 1 channel"), "\(checked.errors)")
            }
        }

        @Test(
            "a channel type that is unknown or needs more than a URL is refused with a reason",
            arguments: [("email", "needs more than an address"), ("slak", "--channel takes webhook, slack")])
        func refusedChannel(_ type: String, _ words: String) async throws {
            try await Stage.withoutLab { stage in
                let refused = try await stage.run(["init", "example.com", "--channel", type])
                #expect(refused.end == .exit(64) && refused.errors.contains(words), "\(refused.errors)")
                #expect(!FileManager.default.fileExists(atPath: stage.path("monitor.yaml")))
            }
        }

        @Test("an existing file is not overwritten")
        func existing() async throws {
            try await Stage.withoutLab { stage in
                try stage.write("monitor.yaml", "mine\n")
                let refused = try await stage.run(["init", "example.com"])
                #expect(refused.end == .exit(64))
                #expect(refused.errors.contains("monitor.yaml already exists and stays unchanged"))
                #expect(try String(contentsOfFile: stage.path("monitor.yaml"), encoding: .utf8) == "mine\n")
                let shown = try await stage.run(["init", "example.com", "--output", "-"])
                #expect(shown.output.contains("\n# What `aasa-monitor run` watches."))
            }
        }

        @Test(
            "entitlements without a domain are an input error",
            arguments: [
                ("other.entitlements", "<plist version=\"1.0\"><dict/></plist>", "names no associated domain"),
                ("binary.entitlements", "bplist00", "holds no entitlements"),
            ])
        func unusable(_ name: String, _ text: String, _ words: String) async throws {
            try await Stage.withoutLab { stage in
                try stage.write(name, text)
                let refused = try await stage.run(["init", "--entitlements", name])
                #expect(refused.end == .exit(66))
                #expect(refused.errors.contains(words), "\(refused.errors)")
                #expect(!FileManager.default.fileExists(atPath: stage.path("monitor.yaml")))
            }
        }
    }
}
