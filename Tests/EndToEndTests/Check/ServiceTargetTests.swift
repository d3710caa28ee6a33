// A target that names a service is evaluated for that service, and pasted text is understood.

import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct ServiceTargetTests {
        @Test(
            "effect and exit code are those of the service",
            arguments: [
                ("webcredentials:site.test", 0, "Passkeys and password AutoFill work."),
                ("webcredentials:links.test", 1, "Passkeys and password AutoFill do not work."),
                ("applinks:links.test", 0, "Links work."), ("links.test", 0, "Links work."),
                ("site.test", 0, "Phones get the file, but it opens no links. It only covers webcredentials."),
                ("applinks:site.test", 1, "Links open the website, not the app."),
                ("webcredentials:site.test?mode=developer", 0, "Passkeys and password AutoFill work on phones in"),
            ] as [(String, Int32, String)])
        func service(_ target: String, _ exit: Int32, _ effect: String) async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(#"{"webcredentials":{"apps":["ABCDE12345.com.example.app"]}}"#)
                stage.lab.origin("links.test").serve(file())
                let process = try await stage.check(["--format", "json", target])
                #expect(process.end == .exit(exit), "\(process.output)")
                let report = try process.json()
                #expect(report["effect"].string?.hasPrefix(effect) == true, "\(report["effect"])")
                #expect(report.rules.contains("expect.service-missing") == (exit == 1))
                let text = try await stage.check([target]).output
                // If links work, it says how far the file has propagated.
                #expect(text.contains(effect == "Links work." ? "Up to date" : effect), "\(text)")
            }
        }

        @Test(
            "a pasted URL means its domain",
            arguments: [
                "https://site.test:443/", "site.test/", "site.test:443",
                "https://site.test/.well-known/apple-app-site-association",
                "https://app-site-association.cdn-apple.com/a/v1/site.test",
            ])
        func pasted(_ target: String) async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                let process = try await stage.check([target])
                #expect(process.end == .exit(0), "\(process.errors)")
                #expect(process.output.hasPrefix("site.test  OK  "))
            }
        }
    }
}
