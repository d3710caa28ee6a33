import Foundation
import Testing

@testable import MonitorConfiguration

extension ConfigurationSuite {
    @Suite struct SyntaxTests {
        @Test(
            "variables are replaced",
            arguments: [
                ("plain", "plain"), ("${A}", "one"), ("x${A}y${B}z", "xoneytwoz"), ("${NO:-d}", "d"), ("${NO:-}", ""),
                ("${EMPTY}", ""), ("${EMPTY:-d}", "d"), ("${A:-d}", "one"), ("$$", "$"), ("$${A}", "${A}"),
                ("$$$${A}", "$${A}"), ("$$${A}", "$one"), ("a$b", "a$b"), ("5$", "5$"), ("${NO:-a:-b}", "a:-b"),
                ("${NESTED}", "${A}"),
            ])
        func substitution(text: String, expected: String) throws {
            let substitution = EnvironmentSubstitution(
                environment: ["A": "one", "B": "two", "EMPTY": "", "NESTED": "${A}"])
            #expect(try substitution.text(text, at: .start).value == expected)
        }

        @Test(
            "a variable that cannot be replaced is an error",
            arguments: ["${NO}", "${", "${A", "${}", "${A B}", "${1}"])
        func faults(text: String) {
            #expect(throws: EnvironmentSubstitution.Fault.self) {
                try EnvironmentSubstitution(environment: ["A": "one"]).text(text, at: .start)
            }
        }

        @Test("for a variable that only the service has, the message names the file that sets it")
        func service() throws {
            let file = FileManager.default.temporaryDirectory.appending(path: "aasa-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: file) }
            func words(_ environment: [String: String] = [:]) -> String {
                var substitution = EnvironmentSubstitution(environment: environment)
                substitution.service = ServiceEnvironment(path: file.path)
                do {
                    return try substitution.text("${SLACK_URL}", at: .start).value
                } catch {
                    return error.message
                }
            }
            let plain = "environment variable 'SLACK_URL' is not set; set it or write ${SLACK_URL:-default}"
            #expect(words() == plain)
            try Data("# secrets\nSLACK_URL=https://hooks.example.net/s3cret\n".utf8).write(to: file)
            #expect(
                words() == plain
                    + "; the service gets it from \(file.path): run `set -a; . \(file.path); set +a` in this shell first"
            )
            // systemd has already given the file to the service.
            #expect(words(["INVOCATION_ID": "1"]) == plain)
            try Data("OTHER=1\n".utf8).write(to: file)
            #expect(words() == plain + "; for the service, add SLACK_URL=… to \(file.path)")
        }

        @Test(
            "a quotation leaves out possible secrets",
            arguments: [
                ("plain", "'plain'"), ("https://hooks.slack.com/services/T/B/x", "'https://hooks.slack.com/…'"),
                ("https://user:pass@example.com/x", "'https://example.com/…'"),
                ("https://example.com", "'https://example.com'"),
                ("socks5h://user:pass@example.com:1", "'socks5h://example.com:1'"), ("a whsec_abc", "'a whsec_…'"),
                ("a\u{1B}[31m\u{202E}b", "'a\u{FFFD}[31m\u{FFFD}b'"),
            ])
        func quotation(text: String, expected: String) {
            #expect(Quotation.of(text) == expected)
        }
    }
}
