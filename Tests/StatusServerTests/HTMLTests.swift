import Foundation
import Testing

@testable import StatusServer

extension StatusServerSuite {
    @Suite("HTML builder")
    struct HTMLTests {
        private static func text(_ html: HTML) -> String { String(decoding: html.bytes, as: UTF8.self) }

        @Test(
            "text is escaped between tags and in attributes",
            arguments: [
                ("plain, ünï, 日本", "plain, ünï, 日本"), ("", ""), ("a & b", "a &amp; b"), ("&amp;", "&amp;amp;"),
                ("<script>alert(\"1\")</script>", "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;"),
                ("it's", "it&#39;s"), ("\" onload=\"x", "&quot; onload=&quot;x"), ("<<>>", "&lt;&lt;&gt;&gt;"),
                // As characters these are not `<`: one letter joins the next character, and one mark joins the previous
                // one.
                ("\u{0D4E}<b>", "\u{0D4E}&lt;b&gt;"), ("<\u{0301}b>\u{20DD}", "&lt;\u{0301}b&gt;\u{20DD}"),
                ("{{#x}}\\(1)", "{{#x}}\\(1)"), ("a\0b", "a\u{FFFD}b"),
            ])
        func escaped(_ text: String, _ expected: String) {
            #expect(Self.text("<p>\(text)</p>") == "<p>\(expected)</p>")
            #expect(Self.text(#"<a title="\#(text)">"#) == #"<a title="\#(expected)">"#)
            // A bridged or sliced string has no contiguous bytes of its own.
            #expect(
                Self.text("\(String("<" + text).replacing("<", with: "<", maxReplacements: 1))") == "&lt;" + expected)
        }

        @Test("markup is not escaped again: alone, in a list and as an optional")
        func nested() {
            let item: HTML = "<li>\("<b>")</li>"
            let none: HTML? = nil
            #expect(Self.text("<ul>\(item)</ul>") == "<ul><li>&lt;b&gt;</li></ul>")
            #expect(Self.text("<ul>\([item, item])</ul>") == "<ul><li>&lt;b&gt;</li><li>&lt;b&gt;</li></ul>")
            #expect(Self.text("<ul>\(none)\([HTML]())\(Optional(item))</ul>") == "<ul><li>&lt;b&gt;</li></ul>")
            #expect(Self.text("\(["<", "&"].map { "<i>\($0)</i>" })") == "<i>&lt;</i><i>&amp;</i>")
            #expect(Self.text("\(Optional("<").map { " · \($0)" })") == " · &lt;")
            #expect(Self.text("\(12) \(Int64(-3))") == "12 -3")
        }

        @Test("conditional markup is not built if the condition is false")
        func conditional() {
            func made(_ html: HTML) -> HTML {
                Issue.record("the markup was built")
                return html
            }
            #expect(Self.text("<a\(#" class="x""#, if: true)>") == #"<a class="x">"#)
            #expect(Self.text("<a\(made("x"), if: false)>") == "<a>")
        }

        /// Only our own resources are unescaped.
        @Test("where text goes into a page unescaped")
        func unescaped() throws {
            let sources = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../Sources/StatusServer").standardizedFileURL
            let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
            var uses: [String] = []
            for case let file as URL in files where file.pathExtension == "swift" {
                let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
                uses += lines.filter { $0.contains("unescaped:") && !$0.contains("///") }
                    .map { "\(file.lastPathComponent): \($0.trimmingCharacters(in: .whitespaces))" }
            }
            #expect(uses == ["Frame.swift: static let marks = HTML(unescaped: PackageResources.marks_svg)"])
        }
    }
}
