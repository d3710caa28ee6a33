// The file and what is expected of it. What is wrong stands in a finding; here it is said what that means.

extension English {
    static func words(_ cause: FileCause, _ findings: [Finding]) -> CauseText {
        let rule = Cause.file(cause).rule
        let finding = rule.flatMap { rule in findings.first { $0.rule == rule } }
        let text = finding?.text
        let words = text?.message ?? rule.map { "see \($0)" } ?? ""
        let fix = text.map { ": \($0.fix)." }
        switch cause {
        case .fault: return CauseText("The file has an error: \(words).", "Correct the file\(fix ?? ".")")
        case .warning: return CauseText("The file has a risk: \(words).", "Correct the file\(fix ?? ".")")
        case .byteOrderMark:
            return CauseText(
                "The file begins with a byte order mark, which strict readers refuse.", "Save it as UTF-8 without one.")
        case .expectationFailed(_, let inCopy):
            return CauseText(
                "The file is not as expected\(inCopy ? ", at the origin and in Apple's copy" : ""): \(words).",
                "Deploy the file that has the change, or correct the expectation.")
        case .pageMissing:
            return CauseText(
                "The file is fine, but people without the app find nothing: \(words).",
                "Serve a page there, or redirect to the App Store.")
        case .finding:
            return CauseText(
                "The check found \(finding?.severity == .error ? "an error" : "a risk"): \(words).",
                "Act on the finding\(fix ?? ".")")
        }
    }
}

// MARK: - Findings

extension English {
    static func words(_ matter: FileMatter) -> FindingWords {
        switch matter {
        case .lint(let lint):
            FindingWords(
                "line \(lint.line), column \(lint.column): \(lint.message)", lint.fix,
                ["line": "\(lint.line)", "column": "\(lint.column)"])
        case .moreLint(let count, let domain):
            FindingWords("the file has \(count) more findings", "'aasa-monitor lint \(domain)' shows all of them")
        case .serviceMissing(let name):
            FindingWords(
                "the file has no service \(name), which is expected",
                "add \(name) to the file, or take it out of the expectations")
        case .appMissing(let app, let service):
            FindingWords(
                "\(service ?? "the file") does not name the app \(app), which is expected",
                "add the app ID as its signed entitlements have it (prefix, dot, bundle ID)")
        case .opensUnexpectedly(let url, let app, let domain):
            FindingWords("\(url) opens \(app), though it is expected to open nothing", explain(url, domain))
        case .opensNothing(let url, let expected, let domain):
            FindingWords("\(url) opens nothing, though it is expected to open \(expected)", explain(url, domain))
        case .opensOther(let url, let app, let expected, let domain):
            FindingWords("\(url) opens \(app), though it is expected to open \(expected)", explain(url, domain))
        case .pageMissing(let url, let fault):
            FindingWords(
                "no web page at \(url): \(words(fault))",
                "serve a page there, or redirect to the App Store: people without the app, and phones that have not read "
                    + "the new file yet, land on it")
        }
    }

    private static func explain(_ url: String, _ domain: Domain) -> String {
        "'aasa-monitor match \(domain) \(url) --explain' shows every rule that was tried"
    }

    private static func words(_ fault: PageFault) -> String {
        switch fault {
        case .redirect(let fault):
            switch fault {
            case .insecure(let target), .byInsecure(let target): "it redirects to \(target), which is not HTTPS"
            case .circle: "its redirects lead in a circle"
            case .tooMany(let hops): "its redirects do not end within \(hops) hops"
            case .nowhere(let status): "it redirects (status \(status)) without saying where to"
            case .unreadable(let status, let location):
                "it redirects (status \(status)) to '\(location)', which no browser can follow"
            case .privateAddress(let target): "it redirects to \(target), a private or reserved address"
            case .login(let target), .otherSite(let target), .home(let target), .maintenance(let target):
                "it redirects to \(target)"
            }
        case .given(let given, nil): "the server \(words(given))"
        case .given(let given, let target?): "\(target), where it redirects to, \(words(given))"
        }
    }
}
