// docs/reliability.md names tests. A name without a test proves nothing.

import Foundation
import TestTraits
import Testing

@Suite("docs/reliability.md", .computing)
struct ReliabilityPageTests {
    @Test("every test that docs/reliability.md names exists")
    func names() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/reliability.md"), encoding: .utf8)
        let tests = root.appending(path: "Tests")
        let files = FileManager.default.enumerator(atPath: tests.path)?.compactMap { $0 as? String } ?? []
        let text = try files.filter { $0.hasSuffix("Tests.swift") && !$0.hasSuffix("ReliabilityPageTests.swift") }
            .map { try String(contentsOf: tests.appending(path: $0), encoding: .utf8) }.joined()
        let names = page.matches(of: /“([^”]+)”/).map { String($0.output.1) }
        #expect(names.count >= 13)
        for name in names { #expect(text.contains("\"\(name)\""), "no test is named “\(name)”") }
        for row in 1...13 { #expect(page.contains("\n| \(row) | ")) }
    }
}
