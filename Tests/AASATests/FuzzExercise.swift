// What must hold for any bytes. The tests use it with seeded mutations, and libFuzzer with its own inputs (`make fuzz`,
// which compiles this file together with the library).

#if !FUZZER
    import AASA
#endif

/// The library broke one of its promises for some input.
struct BrokenPromise: Error, CustomStringConvertible {
    let description: String
}

enum FuzzExercise {
    /// URLs for matching against damaged files, in addition to URLs from the files' own patterns.
    private static let urls = [
        "/", "/buy/x?item=1&item=2&q=%C3%BC#top", "https://example.com/en/US/%2F%2Fa%20b/*?x#/a/b", "/a//b?=&&a=b=c##",
    ]

    /// Reads, models, matches, lints and compares.
    /// - Throws: `BrokenPromise`.
    static func run(_ bytes: [UInt8], against other: AppLinks?) throws {
        try lint(bytes)
        let document: JSONDocument
        do {
            document = try JSONDocument(parsing: bytes)
        } catch {
            try promise((0...bytes.count).contains(error.offset), "an error points outside of the file")
            try promise(
                error.range.lowerBound >= 0 && error.range.upperBound <= bytes.count
                    && (error.opening?.upperBound ?? 0) <= bytes.count, "an error marks what lies outside of the file")
            try promise(
                !error.message.unicodeScalars.contains { $0.value < 0x20 }, "an error holds a control character")
            return
        }
        let canonical = document.root.canonicalForm
        let again = try? JSONDocument(parsing: canonical)
        try promise(again?.root.canonicalForm == canonical, "the canonical form is not its own")
        try promise(document.root.range.upperBound <= bytes.count, "a value lies outside of the file")
        guard let links = AssociationFile(document).applinks else { return }
        let own = links.entries.prefix(3).flatMap { $0.rules.prefix(3) }.compactMap(\.path?.text)
        for text in urls + own {
            guard let url = MatchableURL(text) else { continue }
            try match(url, links)
        }
        try diff(document, links, other)
    }

    private static func match(_ url: MatchableURL, _ links: AppLinks) throws {
        let result = links.match(url)
        let opening = [result.opens].compactMap { $0 } + result.alsoOpenedBy
        for app in links.appIDs.prefix(result.isComplete ? 20 : 0) {
            let opens = links.behaviour(of: url, for: app) == .opens
            try promise(opens == opening.containsExactly(app), "two ways of asking about \(url.text) disagree")
        }
        try promise(opening.isEmpty || result.deciding != nil, "an app opens and no rule decides")
        try promise(result.contested.count <= ContestedPoint.allCases.count, "a contested point is told twice")
    }

    private static func lint(_ bytes: [UInt8]) throws {
        let report = Linter.lint(bytes)
        for finding in report.findings {
            try promise(
                finding.range.lowerBound >= 0 && finding.range.upperBound <= bytes.count,
                "\(finding.rule) points outside of the file")
            try promise(finding.start <= finding.end, "\(finding.rule) ends before it begins")
        }
    }

    private static func diff(_ document: JSONDocument, _ links: AppLinks, _ other: AppLinks?) throws {
        try promise(AssociationDiff.compare(document, document).changes.isEmpty, "a file differs from itself")
        let same = BehaviourDiff.compare(links, links, meter: WorkMeter(budget))
        try promise(same.changes.isEmpty, "a file behaves otherwise than itself")
        for change in BehaviourDiff.compare(other, links, meter: WorkMeter(budget)).changes {
            guard let url = MatchableURL(change.example) else {
                throw BrokenPromise(description: "an example is no URL")
            }
            let (before, after) = (
                other?.behaviour(of: url, for: change.appID) ?? .notMatched, links.behaviour(of: url, for: change.appID)
            )
            try promise(
                before == change.from && after == change.to, "the example \(change.example) does not show the change")
        }
    }

    // Small: a result beyond the budget may be unproven, but must still be correct.
    private static let budget = LanguageBudget(states: 500, steps: 400_000)

    private static func promise(_ holds: Bool, _ text: @autoclosure () -> String) throws {
        if !holds { throw BrokenPromise(description: text()) }
    }
}
