// For each broken file of the table, the linter names the line and the right cause.

import AASA
import TestSupport
import Testing

extension AASASuite {
    @Suite("Faults in JSON, in a realistic file")
    struct JSONFaultTests {
        static let files = BrokenFile.marks + BrokenFile.beginnings + BrokenFile.unsure

        @Test("the finding points at the line to change, and names the cause or none", arguments: files)
        func cause(_ file: BrokenFile) throws {
            let bytes = Array(file.text.utf8)
            let error = try #require(fault(in: bytes))
            let finding = Linter.lint(bytes).findings.first { $0.rule == "json-syntax" }
            #expect(error.cause?.id == file.cause, "\(error) at \(finding?.start.description ?? "-")")
            #expect(finding?.start.line == file.line, "\(error) at \(finding?.start.description ?? "-")")
        }

        @Test(
            "a string that contains the file is distinguished from other strings",
            arguments: [(#""{\"applinks\": {}}""#, true), (#""\n {}""#, true), (#""applinks""#, false), ("[]", false)])
        func encodedTwice(_ text: String, _ isFile: Bool) throws {
            let finding = try #require(Linter.lint(Array(text.utf8)).findings.first { $0.rule == "root-not-object" })
            #expect(finding.message.contains("encoded twice") == isFile, "\(finding.message)")
            #expect(finding.fix.contains("encode the object once") == isFile, "\(finding.fix)")
        }

        @Test("the file without changes has no fault")
        func whole() { #expect(fault(in: BrokenFile.wholeText) == nil) }
    }
}
