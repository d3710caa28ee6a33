// What checks of the file itself notice, and of what people expect of it.

package enum FileMatter: Codable, Equatable, Sendable {
    case lint(LintMatter)
    /// So many more than are shown.
    case moreLint(Int, Domain)
    case serviceMissing(String)
    /// `from`: the service; nil: the whole file.
    case appMissing(String, from: String?)
    case opensUnexpectedly(String, by: String, Domain)
    case opensNothing(String, expected: String, Domain)
    case opensOther(String, by: String, expected: String, Domain)
    case pageMissing(String, PageFault)

    var ruling: Ruling {
        switch self {
        case .lint(let lint): Ruling(.aasa(lint.rule), lint.severity, lint.reference)
        case .moreLint: Ruling(.aasa("more"), .note, Reference.applinks)
        case .serviceMissing: Ruling(.expect("service-missing"), .error, Reference.supportingDomains)
        case .appMissing: Ruling(.expect("app-missing"), .error, Reference.supportingDomains)
        case .opensUnexpectedly: Ruling(.expect("url-opens"), .error, Reference.applinks)
        case .opensNothing: Ruling(.expect("url-opens-nothing"), .error, Reference.applinks)
        case .opensOther: Ruling(.expect("url-opens-other"), .error, Reference.applinks)
        case .pageMissing: Ruling(.expect("page-missing"), .error, Reference.supportingDomains)
        }
    }
}

/// A finding of the linter, in the AASA library's own words.
package struct LintMatter: Codable, Equatable, Sendable {
    package var rule: String
    package var severity: Severity
    package var line: Int
    package var column: Int
    package var message: String
    package var fix: String
    package var reference: String

    package init(
        rule: String, severity: Severity, line: Int, column: Int, message: String, fix: String, reference: String
    ) {
        self.rule = rule
        self.severity = severity
        self.line = line
        self.column = column
        self.message = message
        self.fix = fix
        self.reference = reference
    }
}

/// What was found in place of a web page.
package enum PageFault: Codable, Equatable, Sendable {
    case redirect(RedirectFault)
    /// `behind`: the target of a redirect.
    case given(Given, behind: String?)
}
