// Each broken file of the table: the line, the cause, and that no other cause is told.

import AASA
import TestSupport
import Testing

extension AASASuite {
    @Suite("Faults in JSON, in a real-looking file")
    struct JSONFaultTests {
        static let files = BrokenFile.marks + BrokenFile.beginnings + BrokenFile.unsure

        @Test("the finding points at the line to change, and names what happened there or nothing", arguments: files)
        func cause(_ file: BrokenFile) throws {
            let bytes = Array(file.text.utf8)
            let error = try #require(fault(in: bytes))
            let finding = Linter.lint(bytes).findings.first { $0.rule == "json-syntax" }
            #expect(error.cause?.id == file.cause, "\(error) at \(finding?.start.description ?? "-")")
            #expect(finding?.start.line == file.line, "\(error) at \(finding?.start.description ?? "-")")
        }

        @Test(
            "a string that holds the file is told from another string",
            arguments: [(#""{\"applinks\": {}}""#, true), (#""\n {}""#, true), (#""applinks""#, false), ("[]", false)])
        func encodedTwice(_ text: String, _ isFile: Bool) throws {
            let finding = try #require(Linter.lint(Array(text.utf8)).findings.first { $0.rule == "root-not-object" })
            #expect(finding.message.contains("encoded once too often") == isFile, "\(finding.message)")
            #expect(finding.fix.contains("encode the object once") == isFile, "\(finding.fix)")
        }

        @Test("the file that they are made of has no fault")
        func whole() { #expect(fault(in: BrokenFile.wholeText) == nil) }
    }
}
