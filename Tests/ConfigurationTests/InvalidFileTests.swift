// Every Fixtures/invalid/NAME.yml has its exact messages in NAME.expected.
// AASA_REWRITE_EXPECTATIONS=1 writes them again. Review the diff.

import Foundation
import MonitorConfiguration
import Testing

extension ConfigurationSuite {
    @Suite struct InvalidFileTests {
        @Test("an invalid file gets exactly its expected messages", arguments: Fixture.names(in: "invalid"))
        func messages(name: String) throws {
            let found = Fixture.complaints(try Fixture.text("invalid", name)) + "\n"
            let expected = Fixture.folder.appending(path: "invalid/\(name).expected")
            if ProcessInfo.processInfo.environment["AASA_REWRITE_EXPECTATIONS"] == "1" {
                try found.write(to: expected, atomically: true, encoding: .utf8)
            }
            #expect(found == (try String(contentsOf: expected, encoding: .utf8)), "\(name).yml")
            #expect(found != "\n", "\(name).yml is valid")
        }

        @Test("no message shows a planted secret", arguments: Fixture.names(in: "invalid"))
        func secrets(name: String) throws {
            do {
                _ = try Fixture.parse(try Fixture.text("invalid", name))
            } catch let fault as ConfigurationFault {
                // A message may show the variable's name, but not its value.
                var shown = fault.description + String(reflecting: fault)
                dump(fault, to: &shown)
                shown = shown.replacingOccurrences(of: "${PLANTED_TEXT}", with: "")
                #expect(!shown.contains(Fixture.planted), "\(name).yml")
                #expect(fault.problems.contains { $0.severity == .error })
            }
        }

        @Test("the fixtures are found")
        func count() {
            #expect(Fixture.names(in: "invalid").count >= 30)
        }

        @Test("problems are listed in the order of the file")
        func order() throws {
            do {
                _ = try Fixture.parse(try Fixture.text("invalid", "every-fault-at-once"))
                Issue.record("no fault")
            } catch let fault as ConfigurationFault {
                let places = fault.problems.map { [$0.line, $0.column] }
                #expect(places == places.sorted { ($0[0], $0[1]) < ($1[0], $1[1]) })
                #expect(fault.problems.count >= 7)
            }
        }
    }
}
