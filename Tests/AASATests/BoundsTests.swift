import AASA
import Testing

extension AASASuite {
    /// Files that try to use up time, memory or stack. They must finish; the suite's time limit is the only clock.
    @Suite("Bounds")
    struct BoundsTests {
        private func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }

        @Test("nesting is accepted up to its limit and refused beyond it")
        func depth() throws {
            let deepest = try document(nested(JSONDocument.maximumDepth))
            #expect(!deepest.root.canonicalForm.isEmpty)
            let error = try #require(fault(in: nested(JSONDocument.maximumDepth + 1)))
            #expect(error.message == "arrays and objects are nested deeper than 256")
            #expect(error.position.column == 257)
            #expect(fault(in: String(repeating: "{\"a\":", count: 100_000)) != nil)
        }

        @Test("a megabyte of flat members is read and compared")
        func flat() throws {
            func file(_ last: Int) -> String {
                "{" + (0..<100_000).map { "\"k\($0)\":1," }.joined() + "\"last\":\(last)}"
            }
            let (old, new) = (try document(file(1)), try document(file(2)))
            #expect(old.root.members?.count == 100_001)
            #expect(AssociationDiff.compare(old, new).changes.map(\.pointer) == ["/last"])
        }

        @Test("a megabyte of services is compared")
        func services() throws {
            func file(_ last: String) -> String {
                "{" + (0..<60_000).map { "\"k\($0)\":{}," }.joined() + "\"\(last)\":{}}"
            }
            let changes = AssociationDiff.compare(try document(file("x")), try document(file("y"))).changes
            #expect(changes.map(\.pointer) == ["/x", "/y"])
        }

        @Test("thousands of apps with thousands of patterns each are not multiplied")
        func product() throws {
            func file(_ first: String) -> String {
                let apps = (0..<20_000).map { "\"A.\($0)\"" }.joined(separator: ",")
                let paths = (0..<20_000).map { "\"/\($0)\"" }.joined(separator: ",")
                return #"{"applinks":{"details":[{"appIDs":[\#(apps)],"paths":["\#(first)",\#(paths)]}]}}"#
            }
            let changes = AssociationDiff.compare(try document(file("/x")), try document(file("/y"))).changes
            #expect(changes.first?.summary == #"A.0, A.1 and 19998 more: "/x""#)
            #expect(changes.count <= AssociationDiff.maximumChanges + 1)
        }

        @Test("of thousands of duplicate keys, only some are listed")
        func duplicates() throws {
            let text = "{" + Array(repeating: "\"a\":1", count: 20_000).joined(separator: ",") + "}"
            #expect(try document(text).duplicateKeys.count == 64)
            let findings = Linter.lint(Array(text.utf8)).findings.filter { $0.rule == "json-duplicate-key" }
            #expect(findings.count == 51 && findings.last?.message == "and 19949 more of this rule")
        }

        @Test("absurdly long digits and exponents are still numbers")
        func numbers() throws {
            let digits = String(repeating: "9", count: 300_000)
            for text in [digits, "0.\(digits)", "1e\(digits)", "-\(digits)e-9223372036854775808"] {
                #expect(!(try document(text).root.canonicalForm.isEmpty))
            }
        }
    }
}
