// `device`: the report of a phone compared with what the lab serves now. `DeviceTests` of the module `Device` tests the
// formats of reports and the wording.

import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct DeviceCommandTests {
        private static let app = "ABCDE12345.com.example.app"

        /// The entries of two apps for two domains.
        private static let report = """
            Service:              applinks
            App ID:               \(app)
            App Version:          1.0
            Domain:               site.test
            Patterns:             {"/":"/v1/*"}
            User Approval:        unspecified
            Site/Fmwk Approval:   approved
            Last Checked:         2026-01-05 10:09:00 +0000
            Next Check:           2999-01-10 10:00:00 +0000
            \(String(repeating: "-", count: 80))
            Service:              applinks
            App ID:               ABCDE12345.com.example.private
            App Version:          1.0
            Domain:               private.test
            User Approval:        unspecified
            Site/Fmwk Approval:   denied

            """

        @Test("the device's patterns are compared with Apple's copy and the origin's file")
        func compared() async throws {
            try await Stage.with { stage in
                try stage.write("show.txt", Self.report)
                let origin = stage.lab.origin("site.test")
                origin.serve(file())
                let same = try await stage.command("device", ["show.txt", "--app", Self.app])
                #expect(same.end == .exit(0), "\(same.errors)")
                #expect(same.output.contains("  Links of site.test open the app on this device.\n"), "\(same.output)")
                #expect(!same.output.contains("private"))

                origin.serve(file("v2"))
                stage.lab.cdn.holds("site.test", body: file("v2"))
                let older = try await stage.command(
                    "device", ["show.txt", "--format", "json", "--why", "https://site.test/v2/a"])
                #expect(older.end == .exit(1), "\(older.errors)")
                let answer = try older.json()
                #expect(answer["schema"] == .string("aasa-monitor/device/v1"))
                #expect(answer["effect"] == .string("This device uses an older copy: /v2/a opens Safari."))
                #expect(answer["opens"] == .null)
                let entry = answer["entries"][0]
                #expect(entry["diagnosis_id"] == .string("older-copy"))
                #expect(entry["action"] == .string("Reinstall or update the app to get the new file now."))
                #expect(entry["link"]["in_file"] == .string("opens"))

                // A stale copy is not a reason to reinstall.
                stage.lab.cdn.holds("site.test", body: file())
                let behind = try await stage.command("device", ["show.txt", "--domain", "site.test"])
                #expect(
                    behind.output.contains("uses Apple's copy, which is not the origin's file: /v2 opens Safari"),
                    "\(behind.output)")
                #expect(!behind.output.contains("einstall"))
            }
        }

        @Test("an archive, standard input and a log are read; --offline sends no request")
        func sources() async throws {
            try await Stage.withoutLab { stage in
                try stage.write("swcutil_show.txt", Self.report)
                let packing = "mkdir a_iPad_b && mv swcutil_show.txt a_iPad_b && tar -czf sysdiagnose.tar.gz a_iPad_b"
                let tar = try stage.tool("sh", ["-c", packing])
                try #require(try await tar.ended() == .exit(0))
                let archive = try await stage.run(["device", "sysdiagnose.tar.gz", "--offline", "--app", Self.app])
                #expect(archive.end == .exit(0), "\(archive.errors)")
                #expect(archive.output.contains("open the app on this iPad, if they match its patterns."))
                #expect(!archive.output.contains("older"))
                let table = try await stage.run(["device", "-", "--offline"], input: Self.report)
                #expect(table.end == .exit(1))
                #expect(table.output.hasPrefix("failing  ABCDE12345.com.example.private"), "\(table.output)")
                let line =
                    "swcd: Request for '<private>' denied because the CDN told us to stop with HTTP status 404: "
                    + #"SWCERR00101 Bad HTTP Response: 403 Forbidden -- {"status":"403 Forbidden"}"#
                let log = try await stage.run(["device", "-", "--offline"], input: line)
                #expect(log.end == .exit(1))
                #expect(log.output.contains(#""SWCERR00101 Bad HTTP Response: 403 Forbidden""#), "\(log.output)")
                #expect(log.output.contains("Name the domain with --domain"))
            }
        }
    }
}
