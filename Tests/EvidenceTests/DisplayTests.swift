import Evidence
import Facts
import Foundation
import TestSupport
import Testing

extension EvidenceSuite {
    @Suite("Display")
    struct DisplayTests {
        static let evil = "\u{1B}[2J\r\n\u{202E}evil\u{0}\u{200F}\u{2028}"

        private func isClean(_ text: String) -> Bool { text == text.displayable }

        /// The same text inside a JSON string.
        static let escaped = #"\u001b[2J\r\n\u202eevil\u0000\u200f\u2028"#

        static let hostile: [(origin: Reply, cdn: Reply?)] = [
            (.file("{\(evil)}"), nil), (.file(#"{"\#(escaped)":1,"\#(escaped)":2}"#), nil),
            (.file(SampleFile.version(1)).with { $0.headers["Content-Type"] = "text/\(evil)" }, nil),
            (.file(SampleFile.version(1)).redirected(to: "https://example.com/\(evil)"), nil),
            (.file(SampleFile.version(1)).redirected(to: "http://\(evil)", stop: .insecure), nil),
            (
                .certificate(.nameMismatch).with {
                    $0.tls?.chain[0].names = [evil]; $0.tls?.detail = evil
                },
                nil
            ),
            (.certificate(.incompleteChain).with { $0.tls?.chain[0].issuer = evil }, nil),
            (.failed(.own).with { $0.failure?.detail = evil }, .failed(.proxy).with { $0.failure?.detail = evil }),
            (.file(SampleFile.version(1)), .crawler("SWCERR00301 \(evil)", details: #"{"cause":"\#(escaped)"}"#)),
            (.file(SampleFile.version(1)), .crawler(evil).with { $0.headers["Via"] = evil }),
            (
                .file(SampleFile.version(1)),
                .file(#"{"applinks":{"details":[{"appIDs":["\#(escaped)"],"paths":["\#(escaped)"]}]}}"#)
            ),
            (.file(SampleFile.version(1)), .file(#"{"\#(escaped)":{},"applinks":{}}"#)),
        ]

        @Test("a verdict's text never contains control characters, whatever the site sends", arguments: hostile.indices)
        func clean(_ index: Int) throws {
            let verdict = try verdict(origin: Self.hostile[index].origin, cdn: Self.hostile[index].cdn)
            #expect(isClean(verdict.text.oneLine))
            for finding in verdict.findings {
                #expect(isClean(finding.message))
                #expect(isClean(finding.fix))
                for (name, value) in finding.text.evidence { #expect(isClean(name) && isClean(value), "\(name)") }
            }
            for change in verdict.comparison.changes { #expect(isClean(change.summary) && isClean(change.pointer)) }
        }

        /// 32 addresses and 32 edges that each answer differently, with text that steers terminals.
        static func crowd(_ text: String) -> Scene {
            let replies = (1...32).map { number in
                Reply.status(
                    400 + number,
                    [
                        "Server": text, "Via": "1.1 \(text).ts.apple.com", "CDN-Server": text, "CF-Ray": text,
                        "Apple-Failure-Reason": "SWCERR00\(100 + number) \(text)", "Location": text,
                    ])
            }
            let certificate = Reply.certificate(.nameMismatch).with {
                $0.tls?.chain[0].names = Array(repeating: text, count: 500)
                $0.tls?.chain[0].issuer = text
            }
            let good = Reply.file(SampleFile.version(1))
            var scene = Scene.calm(good).addresses(
                replies.enumerated().map { index, reply in
                    switch index % 4 {
                    case 0: reply
                    case 1: Reply.status(301).redirected(to: "https://\(text)/\(index)")
                    case 2: .failed(.timedOut).with { $0.failure?.detail = text }
                    default: certificate
                    }
                }, six: []
            ).edges([good] + replies.dropLast()).refusing(replies[2])
            scene.rootCopy = .file(SampleFile.version(2))
            scene.vantages = replies.prefix(16).enumerated().map { ("\(text)\($0.offset)", $0.element) }
            scene.pages = [(text, .status(404), nil), ("x", good.redirected(to: text, stop: .insecure), nil)]
            return scene
        }

        @Test("a full check of 32 addresses and 32 edges stays clean and bounded", arguments: [false, true])
        func crowded(_ isLong: Bool) throws {
            let text = isLong ? String(repeating: "x\u{1B}", count: 2_000) : Self.evil
            let verdict = try verdict(
                origin: .file(SampleFile.version(1)), cdn: nil, scene: Self.crowd(text))
            #expect(verdict.findings.count < 60)
            #expect(isClean(verdict.text.oneLine) && verdict.text.oneLine.count <= 1000)
            for finding in verdict.findings {
                #expect(isClean(finding.message) && isClean(finding.fix) && finding.message.count <= 1000)
                #expect(finding.text.evidence.count < 40)
                for (name, value) in finding.text.evidence {
                    #expect(isClean(name) && isClean(value) && value.count <= 2000, "\(name)")
                }
            }
        }

        @Test("a verdict's text has a bounded length, whatever the site sends")
        func bounded() throws {
            let long = String(repeating: "x", count: 100_000)
            let marked = "a" + String(repeating: "\u{301}", count: 100_000)
            for text in [long, marked] {
                let verdict = try verdict(
                    origin: .file(#"{"\#(text)":1,"applinks":{"details":[{"appIDs":["\#(text)"]}]}}"#)
                        .redirected(to: "https://example.com/\(text)").with { $0.headers["Content-Type"] = text },
                    cdn: .file(SampleFile.version(1)))
                for finding in verdict.findings {
                    #expect(finding.message.unicodeScalars.count <= 4000)
                    #expect(finding.text.evidence.values.allSatisfy { $0.unicodeScalars.count <= 8000 })
                }
                #expect(verdict.comparison.changes.allSatisfy { $0.summary.unicodeScalars.count <= 1200 })
                #expect(verdict.text.oneLine.unicodeScalars.count <= 10_000)
            }
        }

        @Test(
            "durations use the unit that people would use",
            arguments: [
                (0, "0 s"), (-5, "0 s"), (0.25, "250 ms"), (1, "1 s"), (89, "89 s"), (90, "1 min"), (5399, "89 min"),
                (5400, "1 h"), (86400, "24 h"), (259_200, "3 days"),
            ] as [(Double, String)])
        func words(_ seconds: Double, _ words: String) {
            #expect(seconds.inWords == words)
        }

        @Test("numbers are grouped", arguments: [(0, "0"), (999, "999"), (131_072, "131,072"), (-1000, "-1,000")])
        func grouped(_ number: Int, _ text: String) {
            #expect(number.grouped == text)
        }
    }
}
