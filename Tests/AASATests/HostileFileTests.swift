import Foundation
import TestSupport
import Testing

@testable import AASA

extension AASASuite {
    /// Files that try to use up time and memory. The tests count steps, not time; only the suite has a time limit.
    @Suite("Hostile files")
    struct HostileFileTests {
        /// In the long runs, the largest size of a file.
        private static let size = Rounds.of(4_096, soak: AssociationFile.sizeLimit)

        @Test("a shape that was once too slow stays within the limits", arguments: HostileShape.all.map(\.name))
        func shapes(_ name: String) throws {
            let shape = try #require(HostileShape.all.first { $0.name == name })
            try keepsBound(Array(shape.make(Self.size).utf8), name)
        }

        @Test("generated files stay within the limits", arguments: 0..<Rounds.of(4, soak: 40))
        func drawn(_ seed: Int) throws {
            var random = SeededGenerator(seed: UInt64(seed) + 20_261_125)
            for round in 0..<4 {
                let file = HostileFile(size: Self.size) { limit in
                    Int(random.next() % UInt64(max(1, limit)))
                }
                try keepsBound(file.make(), "seed \(seed), round \(round)")
            }
        }

        private func keepsBound(_ bytes: [UInt8], _ name: String) throws {
            let report = Linter.lint(bytes)
            #expect(report.findings.count <= 51 * Linter.rules.count, "\(name)")
            for finding in report.findings {
                let texts = [finding.message, finding.fix, finding.pointer] + finding.evidence.map(\.value)
                #expect(texts.allSatisfy { $0.utf8.count <= 8_192 }, "\(name): \(finding.rule)")
            }
            guard let file = try? AssociationFile(parsing: bytes), let links = file.applinks else { return }
            compiledOnce(links, bytes, name)
            matching(links, bytes, name)
            try comparing(file, links, bytes, name)
        }

        /// Inherited and repeated patterns are stored once: all patterns together are no longer than the file.
        private func compiledOnce(_ links: AppLinks, _ bytes: [UInt8], _ name: String) {
            var texts: [ObjectIdentifier: Int] = [:]
            for rule in links.entries.flatMap({ $0.rules + $0.olderRules }) {
                var patterns = [rule.path, rule.fragment].compactMap { $0 }
                switch rule.query {
                case .any: break
                case .whole(let pattern): patterns.append(pattern)
                // The items of one list are shared as a whole.
                case .items(let items): patterns += items.prefix(3).map(\.pattern)
                }
                for pattern in patterns { texts[ObjectIdentifier(pattern)] = pattern.text.utf8.count }
            }
            #expect(texts.values.reduce(0, +) <= bytes.count, "\(name)")
        }

        private func matching(_ links: AppLinks, _ bytes: [UInt8], _ name: String) {
            let items = (0..<60).map { "i\($0)=1" }.joined(separator: "&")
            let own = links.entries.first?.rules.first?.path.map { String($0.text.unicodeScalars.prefix(2_000)) }
            for text in ["/", "/a/b?\(items)#c", "/" + String(repeating: "a", count: 500), own ?? "/"] {
                guard let url = MatchableURL(text) else { continue }
                let budget = 200_000
                let meter = WorkMeter(LanguageBudget(states: 0, steps: budget))
                let result = links.match(url, meter: meter)
                #expect(result.isComplete == !meter.isExhausted, "\(name)")
                // One rule may exceed the remaining steps, but only by the cost of reading it once.
                #expect(meter.left > -16 * (bytes.count + text.utf8.count), "\(name)")
                let contested = result.contested(meter: WorkMeter(LanguageBudget(states: 0, steps: budget)))
                #expect(contested.count <= ContestedPoint.allCases.count, "\(name)")
            }
        }

        private func comparing(_ file: AssociationFile, _ links: AppLinks, _ bytes: [UInt8], _ name: String) throws {
            var other = bytes
            if let place = other.lastIndex(where: { $0 == UInt8(ascii: "a") || $0 == UInt8(ascii: "~") }) {
                other[place] = UInt8(ascii: "b")
            }
            guard let second = try? AssociationFile(parsing: other) else { return }
            let changes = AssociationDiff.compare(file.document, second.document).changes
            #expect(changes.count <= AssociationDiff.maximumChanges + 1, "\(name)")
            #expect(changes.allSatisfy { $0.summary.utf8.count <= 9_000 && $0.pointer.utf8.count <= 9_000 }, "\(name)")
            let budget = LanguageBudget(states: 500, steps: 300_000, bytes: 8 << 20)
            let behaviour = BehaviourDiff.compare(links, second.applinks, meter: WorkMeter(budget))
            #expect(behaviour.isComplete == behaviour.incompleteApps.isEmpty, "\(name)")
            let rules = ChangedRules(
                links, second.applinks, besides: behaviour.changes, meter: WorkMeter(budget))
            #expect(rules.changes.count <= ChangedRules.maximumShown * max(1, links.appIDs.count + 1), "\(name)")
        }

        /// Reading, modelling and the comparison of values have no budget.
        /// Their cost is proportional to the file's size, which is limited.
        @Test("work without a budget is proportional to the file", arguments: HostileShape.all.map(\.name))
        func proportion(_ name: String) throws {
            let shape = try #require(HostileShape.all.first { $0.name == name })
            let bytes = Array(shape.make(Self.size).utf8)
            guard let document = try? JSONDocument(parsing: bytes) else { return }
            var meanings = MeaningNumbers()
            _ = meanings.numbers(of: document.root)
            // A value and the comma after it.
            #expect(meanings.steps <= bytes.count / 2 + 2, "\(name)")
            guard let links = AssociationFile(document).applinks else { return }
            #expect(links.entries.reduce(0) { $0 + $1.rules.count + $1.olderRules.count } <= bytes.count / 2, "\(name)")
        }

        @Test("long variable values that differ only at their ends cost as many steps as they compare")
        func values() throws {
            let long = String(repeating: "a", count: 1_000)
            let values = (0..<8).map { "\"\(long)\($0)\"" }.joined(separator: ",")
            let links = try LanguageFixture.links(
                "{\"/\":\"/*$(v)*\"}", applinks: "\"substitutionVariables\":{\"v\":[\(values)]},")
            let url = try #require(MatchableURL("/" + String(repeating: "a", count: 3_000)))
            let meter = WorkMeter(LanguageBudget(states: 0, steps: 10_000_000))
            #expect(links.match(url, meter: meter).opens == nil)
            #expect(10_000_000 - meter.left > 500_000)
            #expect(!links.match(url, meter: WorkMeter(LanguageBudget(states: 0, steps: 100_000))).isComplete)
        }

        @Test("two values are equal exactly if their canonical forms are")
        func meanings() throws {
            let texts = [
                "1", "1.0", "10e-1", "-1", "\"1\"", "null", "true", "[]", "[1]", "[1.0,{}]", "{}", "{\"a\":1,\"b\":[]}",
                "{\"b\":[],\"\\u0061\":1e0}", "{\"a\":1,\"a\":2}", "{\"a\":2,\"a\":1}", "\"é\"", "\"e\u{301}\"",
            ]
            for left in texts {
                for right in texts {
                    let (old, new) = (try document(left), try document(right))
                    #expect(
                        ValueDiff(old, new).differ(old.root, new.root)
                            == (old.root.canonicalForm != new.root.canonicalForm), "\(left), \(right)")
                }
            }
        }

        @Test("a search stays within its memory limit, and releases the memory")
        func memory() throws {
            let text = String(repeating: "~", count: 6_000)
            let entry = try #require(try LanguageFixture.paths(["/" + text]).entries.first)
            let budget = LanguageBudget(states: 20_000, steps: 30_000_000, bytes: 1 << 20)
            func run(_ search: ProgramSearch) throws {
                let steps = search.steps(of: try search.numbered(entry.rules))
                try search.run([steps]) {
                    !$0[0].steps.isEmpty
                } reached: { _, _ in
                    true
                }
            }
            let short = ProgramSearch(WorkMeter(budget))
            #expect(throws: LanguageBudget.Exhausted.self) { try run(short) }
            // The automaton, the nodes and their contents are charged before they are created.
            #expect(short.meter.bytesLeft > -(1 << 16))
            let enough = ProgramSearch(WorkMeter(LanguageBudget(states: 20_000, steps: 30_000_000)))
            try run(enough)
            #expect(enough.meter.bytesLeft > LanguageBudget.standardBytes / 2)
        }

        @Test("beyond the budget, the finding, the comparison and the match say that they are incomplete")
        func said() throws {
            let values = (0..<400).map { "\"\($0)*a\"" }.joined(separator: ",")
            let rules = (0..<200).map { "{\"/\":\"/$(v)$(v)$(v)\($0)*b?\"}" }.joined(separator: ",")
            let links = try LanguageFixture.links(rules, applinks: "\"substitutionVariables\":{\"v\":[\(values)]},")
            let url = try #require(MatchableURL("/" + String(repeating: "a", count: 4_000) + "b"))
            let result = links.match(url, meter: WorkMeter(LanguageBudget(states: 0, steps: 100_000)))
            #expect(!result.isComplete && result.opens == nil)
            #expect(!BehaviourDiff.compare(nil, links, meter: WorkMeter(.init(states: 10, steps: 1_000))).isComplete)
            let many = (0..<2_000).map { "{\"appIDs\":[\"D7KQ4ZW2MX.a\($0)\"],\"paths\":[\"/*\($0)\"]}" }
                .joined(separator: ",")
            let report = Linter.lint(Array("{\"applinks\":{\"details\":[\(many)]}}".utf8))
            #expect(report.findings.contains { $0.rule == "order-not-checked" })
        }

        @Test(
            "a file too large for devices has only that finding, whatever it contains",
            arguments: ["{\"applinks\":{}}", "<html>", "\u{FEFF}{", ""])
        func tooLarge(_ text: String) {
            let start = Array(text.utf8)
            let fill = [UInt8](repeating: 0x20, count: AssociationFile.sizeLimit - start.count)
            let report = Linter.lint(start + fill + [0x20])
            #expect(report.findings.map(\.rule) == ["file-too-large"])
            let finding = report.findings.first
            let isJSON = text.hasSuffix("{") || text.hasPrefix("{") || text.isEmpty
            #expect(finding?.message.contains("nothing else was checked") == true)
            #expect(finding?.message.hasSuffix("it is not the association file") == !isJSON)
            #expect(finding?.fix.hasPrefix("serve the association file") == !isJSON)
            #expect(report.file == nil)
            #expect(!Linter.lint(start + fill).findings.contains { $0.rule == "file-too-large" })
        }

        @Test("names are compared as bytes: two normal forms are two names")
        func names() throws {
            let (one, other) = ("é", "e\u{301}")
            let links = try LanguageFixture.links(
                "{\"/\":\"/$(\(other))\"}",
                applinks: "\"substitutionVariables\":{\"\(one)\":[\"a\"],\"\(other)\":[\"b\"]},")
            let (a, b) = (try #require(MatchableURL("/a")), try #require(MatchableURL("/b")))
            #expect(links.match(a).opens == nil && links.match(b).opens == "A.b")
            let undefined = try LanguageFixture.links(
                "{\"/\":\"/$(\(other))\"}", applinks: "\"substitutionVariables\":{\"\(one)\":[\"a\"]},")
            #expect(undefined.entries.first?.rules.first?.path?.fault == .undefinedVariable(other))
            let node = try document("{\"\(one)\":1,\"\(other)\":2}").root
            #expect(node[one]?.value == .number("1") && node[other]?.value == .number("2"))
            // A Kelvin sign is not a K.
            let kelvin = try LanguageFixture.links(details: #"{"appIDs":["\#u{212A}.b"],"paths":["/a"]}"#)
            #expect(kelvin.behaviour(of: a, for: "K.b") == .notMatched)
            #expect(kelvin.behaviour(of: a, for: "\u{212A}.b") == .opens)
        }

        @Test("an error's range is inside the text, whatever its bytes", arguments: ["", "a", "tru", "1"], 0..<8)
        func faults(_ word: String, _ count: Int) throws {
            let broken = Array("{\"a\": ".utf8) + Array(word.utf8) + [UInt8](repeating: 0xFF, count: count)
            for bytes in [broken, broken + Array("}".utf8), Array("[\"a\" ".utf8) + broken.dropFirst(6)] {
                do {
                    _ = try JSONDocument(parsing: bytes)
                } catch {
                    #expect(error.range.upperBound <= bytes.count && error.range.lowerBound >= 0)
                    #expect((error.opening?.upperBound ?? 0) <= bytes.count)
                    _ = bytes[error.range]
                }
            }
        }
    }
}
