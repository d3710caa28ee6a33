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
