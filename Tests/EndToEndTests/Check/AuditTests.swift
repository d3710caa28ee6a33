// `audit`: what an app claims, held against what its domains serve.

import Foundation
import Lab
import TestSupport
import Testing

extension EndToEndTests {
    @Suite struct AuditTests {
        private static let app = "ABCDE12345.com.example.app"

        private static func entitlements(_ app: String?, _ entries: [String]) -> String {
            let id = app.map { "<key>application-identifier</key><string>\($0)</string>" } ?? ""
            return """
                <?xml version="1.0" encoding="UTF-8"?>
                <plist version="1.0"><dict>\(id)
                <key>com.apple.developer.associated-domains</key>
                <array>\(entries.map { "<string>\($0)</string>" }.joined())</array>
                </dict></plist>
                """
        }

        private static func serving(_ services: String...) -> String {
            let members = services.map { service in
                service == "applinks"
                    ? #""applinks":{"details":[{"appIDs":["\#(app)"],"components":[{"/":"/a"}]}]}"#
                    : #""\#(service)":{"apps":["\#(app)"]}"#
            }
            return "{" + members.joined(separator: ",") + "}"
        }

        @Test("each entry is held against the origin and Apple's copy, for its service")
        func entries() async throws {
            try await Stage.with { stage in
                stage.lab.origin("both.test").serve(Self.serving("applinks", "webcredentials"))
                stage.lab.origin("links.test").serve(Self.serving("applinks"))
                stage.lab.origin("dev.test").serve(Self.serving("applinks"))
                stage.lab.origin("down.test").behaviour = .reply(.status(500))
                // Apple's copy stays behind: it names nobody for passwords yet.
                stage.lab.origin("late.test").serve(Self.serving("applinks", "webcredentials"))
                stage.lab.cdn.holds("late.test", body: Self.serving("applinks"))
                let claimed = [
                    "applinks:both.test", "webcredentials:*.both.test", "applinks:links.test",
                    "webcredentials:links.test", "applinks:dev.test?mode=developer", "applinks:down.test",
                    "webcredentials:late.test", "applinks:https://both.test", "applinks:$(HOST)", "both.test",
                ]
                try stage.write("App.entitlements", Self.entitlements(Self.app, claimed))
                let command = ["audit", "--entitlements", "App.entitlements"] + stage.network
                let process = try await stage.run(command + ["--format", "json"])
                #expect(process.end == .exit(1), "\(process.errors)")
                let report = try process.json()
                #expect(report["schema"] == .string("aasa-monitor/audit/v1"))
                let audit = try #require(report["apps"].elements.first)
                #expect(audit["app"] == .string(Self.app) && audit["kept"] == .bool(false))
                func answers(_ key: String) -> [Bool?] {
                    audit["claims"].elements.map { claim in
                        let named = claim[key]["named"]
                        return named == .bool(true) ? true : named == .bool(false) ? false : nil
                    }
                }
                #expect(audit["claims"].elements.compactMap { $0["entry"].string } == claimed)
                #expect(answers("origin") == [true, true, true, false, true, false, true, nil, nil, nil])
                #expect(answers("cdn") == [true, true, true, false, nil, false, false, nil, nil, nil])
                #expect(
                    audit["claims"].elements.map { $0["kept"] == .bool(true) }
                        == [true, true, true, false, true, false, false, false, false, false])
                let text = try await stage.run(command)
                #expect(text.end == .exit(1))
                for part in [
                    "\(Self.app)  FAILING\n", "the app is named for 4 of its 10 associated domains\n",
                    "applinks:dev.test?mode=developer  names the app          not read in this mode\n",
                    "Add \(Self.app) to 'webcredentials.apps' of links.test's file.",
                    "Devices ignore the entry: it names no service; write applinks:both.test.",
                    "Devices ignore the entry: it holds a build setting",
                ] {
                    #expect(text.output.contains(part), "\(part)\n\(text.output)")
                }
            }
        }

        @Test("the text is the one of the README")
        func text() async throws {
            try await Stage.with { stage in
                stage.lab.origin("links.test").serve(Self.serving("applinks"))
                stage.lab.origin("dev.test").serve(Self.serving("applinks"))
                let claimed = ["applinks:links.test", "applinks:dev.test?mode=developer", "webcredentials:links.test"]
                try stage.write("App.entitlements", Self.entitlements(Self.app, claimed))
                let process = try await stage.run(["audit", "--entitlements", "App.entitlements"] + stage.network)
                let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../README.md")
                let readme = try String(contentsOf: page, encoding: .utf8)
                #expect(
                    readme.contains("$ aasa-monitor audit --entitlements App.entitlements\n\(process.output)```"),
                    "\(process.output)")
            }
        }

        @Test("several apps, each with its own ID or the one that is named; all kept ends with 0")
        func apps() async throws {
            try await Stage.with { stage in
                stage.lab.origin("both.test").serve(Self.serving("applinks", "appclips"))
                try stage.write("App.entitlements", Self.entitlements(Self.app, ["applinks:both.test"]))
                try stage.write("Clip.entitlements", Self.entitlements(nil, ["appclips:both.test"]))
                let command = ["audit", "--entitlements", "App.entitlements", "Clip.entitlements"] + stage.network
                let unnamed = try await stage.run(command)
                #expect(unnamed.end == .exit(64) && unnamed.output.isEmpty)
                #expect(
                    unnamed.errors.contains("Clip.entitlements does not say which app it is of; name it with --app"))
                let named = try await stage.run(command + ["--app", Self.app])
                #expect(named.end == .exit(0), "\(named.output)")
                #expect(named.output.matches(of: /named for 1 of its 1 associated domain\n/).count == 2)
                let other = try await stage.run(command + ["--app", "ABCDE12345.com.example.Clip"])
                #expect(other.end == .exit(1), "\(other.output)")
                let faulty = try await stage.run(command + ["--app", "com.example.app"])
                #expect(faulty.end == .exit(64))
                #expect(faulty.errors.contains("--app: 'com.example.app' can be no app's ID"), "\(faulty.errors)")
            }
        }
    }
}
