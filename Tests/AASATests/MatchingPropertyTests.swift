import TestSupport
import Testing

@testable import AASA

extension AASASuite {
    @Suite("Matching: properties")
    struct MatchingPropertyTests {
        /// The simplest matcher: tries every possibility for each element. Exponential.
        static func plain(_ elements: ArraySlice<PatternElement>, _ text: ArraySlice<Unicode.Scalar>, _ exact: Bool)
            -> Bool
        {
            guard let element = elements.first else { return text.isEmpty }
            let rest = elements.dropFirst()
            switch element {
            case .anyRun:
                return (0...text.count).contains { plain(rest, text.dropFirst($0), exact) }
            case .choice(let choice):
                return choice.values.contains { plain($0 + rest, text, exact) }
            case .scalar, .anyScalar, .scalarClass:
                guard let scalar = text.first, element.takes(scalar, exact) else { return false }
                return plain(rest, text.dropFirst(), exact)
            }
        }

        private static let variables = try? components(
            "", applinks: #""substitutionVariables":{"v":["a","ab","b*","?A",""],"w":["ab","ba","aa"]},"#)

        @Test("the matcher agrees with a simple recursive one", arguments: [false, true])
        func agrees(_ exact: Bool) throws {
            var random = SeededGenerator(seed: exact ? 11 : 12)
            let variables = try #require(Self.variables).variables
            let tokens = [
                "a", "b", "A", "/", "*", "?", "a", "*", "$(v)", "$(w)", "$(upper)", "$(digit)", "1", "é", "É",
            ]
            let letters: [Unicode.Scalar] = ["a", "b", "A", "/", "1", "a", "b", "É"]
            var matched = 0
            for _ in 0..<5000 {
                let isPath = Bool.random(using: &random)
                let text = (0..<Int.random(in: 0...7, using: &random)).compactMap { _ in
                    tokens.randomElement(using: &random)
                }
                .joined()
                let pattern = Pattern(text, isPath: isPath, variables: variables)
                let elements = try #require(pattern.elements)
                for _ in 0..<4 {
                    let subject = (0..<Int.random(in: 0...8, using: &random)).compactMap { _ in
                        letters.randomElement(using: &random)
                    }
                    let expected = Self.plain(elements[...], subject[...], exact)
                    if expected { matched += 1 }
                    #expect(pattern.matches(subject, isCaseSensitive: exact) == expected, "\(text) on \(subject)")
                    // The other algorithm, too, whichever one `matches` uses.
                    let form = try #require(exact ? pattern.program?.exact : pattern.program?.folded)
                    let folded = exact ? subject : subject.map(\.folded)
                    let all =
                        form.head.map(PatternElement.scalar) + form.elements + form.tail.map(PatternElement.scalar)
                    var steps = 0
                    #expect(
                        Places.follow(all, in: folded, 0..<folded.count, isFolded: form.isFolded, steps: &steps)
                            == expected,
                        "\(text) on \(subject), by places")
                }
            }
            #expect(matched > 500)
        }

        @Test("position sets work across word boundaries", arguments: [62, 63, 64, 65, 127, 128, 129, 200])
        func words(_ count: Int) throws {
            let variables = try #require(Self.variables).variables
            let text = Array(String(repeating: "ab", count: count).unicodeScalars.prefix(count))
            for (pattern, expected) in [
                ("*$(v)*", true), ("$(w)*", true), ("*c$(v)", false), (String(repeating: "$(v)*", count: 20), true),
                (String(repeating: "?", count: min(count, 60)) + "$(v)*", true),
            ] {
                let compiled = Pattern(pattern, isPath: false, variables: variables)
                #expect(compiled.matches(text, isCaseSensitive: true) == expected, "\(pattern)")
            }
        }

        /// The test counts steps, not time.
        @Test(
            "hostile patterns do not cost more time",
            arguments: [
                String(repeating: "*a", count: 64) + "b", String(repeating: "a*", count: 63) + "*b",
                "*" + String(repeating: "a", count: 3000) + "b*", String(repeating: "*a?", count: 31) + "c*b",
                String(repeating: "*$(v)", count: 32) + "c", "*" + String(repeating: "$(alpha)", count: 62) + "b*",
                String(repeating: "$(w)*", count: 31) + "c*",
            ])
        func bounded(_ pattern: String) throws {
            let variables = try #require(Self.variables).variables
            let compiled = Pattern(pattern, isPath: false, variables: variables)
            let form = try #require(compiled.program?.exact)
            // As long as a text that `matches` would not refuse because of its end.
            func steps(_ count: Int) -> Int {
                var steps = 0
                let end = form.tail.isEmpty ? [] : form.tail
                let text = form.head + Array(repeating: "a", count: count) + end
                _ = form.matches(text, steps: &steps)
                return steps
            }
            let (short, long) = (steps(5000), steps(50_000))
            #expect(short < 3_000_000)
            // Ten times the text costs about ten times the work.
            #expect(long < 15 * max(short, 1000), "\(short) \(long)")
        }

        @Test("a long list of values that is used often is stored once")
        func shared() throws {
            let values = (0..<2000).map { "\"value\($0)\"" }.joined(separator: ",")
            let rules = (0..<2000).map { "{\"/\":\"/\($0)/$(v)\"}" }.joined(separator: ",")
            let links = try components(rules, applinks: "\"substitutionVariables\":{\"v\":[\(values)]},")
            #expect(try links.behaviour(of: "/1999/value1999") == .opens)
            #expect(try links.behaviour(of: "/1999/value2000") == .notMatched)
        }
    }
}
