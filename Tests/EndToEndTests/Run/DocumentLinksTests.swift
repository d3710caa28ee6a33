// Where the links of the documents lead.

import Foundation
import Testing

extension EndToEndTests {
    @Suite struct DocumentLinksTests {
        private static let pages: [String] = {
            let root = DocumentedPage.root
            let docs = FileManager.default.enumerator(atPath: root.appending(path: "docs").path)?.compactMap {
                ($0 as? String).map { "docs/\($0)" }
            }
            let top = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
            return (top + (docs ?? [])).filter { $0.hasSuffix(".md") }.sorted()
        }()

        @Test("every relative link and every anchor leads to a file and a heading")
        func links() throws {
            #expect(Self.pages.count > 20 && Self.pages.contains("README.md"))
            var anchors: [String: Set<String>] = [:]
            for page in Self.pages { anchors[page] = Self.anchors(in: try DocumentedPage(page).text) }
            var count = 0
            for page in Self.pages {
                let folder = URL(filePath: "/" + page).deletingLastPathComponent()
                for target in Self.links(in: try DocumentedPage(page).text) {
                    count += 1
                    let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                    let path = String(parts[0])
                    let file = path.isEmpty ? page : String(folder.appending(path: path).standardized.path.dropFirst())
                    #expect(
                        FileManager.default.fileExists(atPath: DocumentedPage.root.appending(path: file).path),
                        "\(page): \(target): there is no \(file)")
                    guard parts.count == 2, let known = anchors[file] else { continue }
                    let anchor = String(parts[1]).removingPercentEncoding ?? String(parts[1])
                    #expect(known.contains(anchor), "\(page): \(target): no such heading")
                }
            }
            #expect(count > 200, "\(count) links")
        }

        @Test(
            "an anchor is what GitHub makes of a heading",
            arguments: [
                ("# `lint --fix`: write what has one right answer\n", "lint---fix-write-what-has-one-right-answer"),
                ("## [The page](a.md), and *more*\n", "the-page-and-more"), ("### a_b c.d/e\n", "a_b-cde"),
                ("## 端末を調べる\n", "端末を調べる"), ("# a\n# a\n", "a-1"), ("<a id=\"here\"></a>\n", "here"),
            ])
        func anchor(_ text: String, _ anchor: String) {
            #expect(Self.anchors(in: text).contains(anchor), "\(Self.anchors(in: text))")
        }

        @Test("code holds neither links nor headings")
        func code() {
            let text = "```\n# a\n[b](c)\n```\n`[d](e)` [f](g.md) [h](https://i.example) ![j](k.png)\n"
            #expect(Self.anchors(in: text).isEmpty)
            #expect(Self.links(in: text) == ["g.md", "k.png"])
        }

        private static func prose(_ text: String) -> [Substring] {
            var isCode = false
            return text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
                let isFence = line.drop { $0 == " " || $0 == ">" }.hasPrefix("```")
                if isFence { isCode.toggle() }
                return !isFence && !isCode
            }
        }

        /// Targets without a scheme, in their order.
        private static func links(in text: String) -> [String] {
            prose(text).flatMap { line in
                line.replacing(/`[^`]*`/, with: "").matches(of: /\]\(<?([^)\s>]+)>?\)/).map { String($0.1) }
            }.filter { $0.firstMatch(of: /^[a-z][a-z0-9+.-]*:/) == nil }
        }

        /// https://github.com/gjtorikian/html-pipeline: letters, digits, `-` and `_` stay, blanks become `-`.
        private static func anchors(in text: String) -> Set<String> {
            var anchors: Set<String> = []
            for line in prose(text) {
                for id in line.matches(of: /<a (?:id|name)="([^"]+)"/) { anchors.insert(String(id.1)) }
                guard let heading = line.wholeMatch(of: /#{1,6} +(.*?) *#*/)?.1 else { continue }
                let words = heading.replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.1 }.lowercased()
                let name = String(
                    words.unicodeScalars.filter {
                        $0.properties.isAlphabetic || $0.properties.numericType != nil
                            || " -_".unicodeScalars.contains($0)
                    }.map { $0 == " " ? "-" : Character($0) })
                var anchor = name
                var number = 0
                while !anchors.insert(anchor).inserted {
                    number += 1
                    anchor = "\(name)-\(number)"
                }
            }
            return anchors
        }
    }
}
