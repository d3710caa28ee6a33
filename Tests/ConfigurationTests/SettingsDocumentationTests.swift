// The settings generate docs/monitor.schema.json and the tables of docs/reference/configuration.md.
// AASA_REWRITE_EXPECTATIONS=1 writes both again. Review the diff.

import Evidence
import Foundation
import MonitorConfiguration
import Testing

extension ConfigurationSuite {
    @Suite("Documentation of settings")
    struct SettingsDocumentationTests {
        private func compare(_ text: String, with name: String) throws {
            let file = Fixture.repository.appending(path: "docs/\(name)")
            if ProcessInfo.processInfo.environment["AASA_REWRITE_EXPECTATIONS"] == "1" {
                try Data(text.utf8).write(to: file)
            }
            let written = try String(contentsOf: file, encoding: .utf8)
            #expect(written == text, "docs/\(name) is stale; run the tests with AASA_REWRITE_EXPECTATIONS=1")
        }

        @Test("docs/monitor.schema.json is up to date")
        func schema() throws {
            try compare(ConfigurationFile.schema.text(isPretty: true) + "\n", with: "monitor.schema.json")
        }

        @Test("the tables of docs/reference/configuration.md are up to date, with one for each section")
        func tables() throws {
            let page = try String(
                contentsOf: Fixture.repository.appending(path: "docs/reference/configuration.md"), encoding: .utf8)
            var tables = SettingsTable.all
            let text = page.replacing(#/(<!-- settings of (.+) -->\n)(?s:.*?)(<!-- end -->)/#) { match in
                match.1 + (tables.removeValue(forKey: String(match.2)) ?? "no such section") + "\n" + match.3
            }
            try compare(text, with: "reference/configuration.md")
            #expect(tables.isEmpty, "sections without a table: \(tables.keys)")
        }
    }
}
