// Findings about the file itself, and about what its owners expect of it.

package enum FileProblem: Codable, Equatable, Sendable {
    /// In the words of the AASA library.
    case lint(LintFinding)
    /// The number of findings that are not shown.
    case moreLint(Int, Domain)
    /// The file opens no link, although it did before or Apple's copy does. It exists for these services.
    case linksRemoved(services: [String])
    /// `apps`: the first that the file names or should name; nil: not known.
    case serviceMissing(String, apps: [String]? = nil)
    /// What a person asks for is not in the file. `known`: apps that may be meant, if the question names none.
    indirect case asked(AskedFault, AskedService, Domain, known: [String])
    /// The origin's file has what is asked, or was not read. Apple's copy lacks it.
    case copyLacks(AskedService, Domain)
    /// `from`: the service; nil for the whole file.
    case appMissing(String, from: String?)
    case opensUnexpectedly(String, by: String, Domain)
    case opensNothing(String, expected: String, Domain)
    case opensOther(String, by: String, expected: String, Domain)
    case pageMissing(String, PageFault)

    var declaration: Declaration {
        switch self {
        case .lint(let lint): .init(lint, English.words(lint))
        case .moreLint(let count, let domain):
            .init(
                .moreLint, "The file has \(count) more findings.",
                "Run 'aasa-monitor lint \(domain)' to see all of them.")
        case .linksRemoved(let services):
            .init(
                .linksRemoved, leads: .originLosesLinks,
                "The file no longer opens any links: it only covers \(services.listed(upTo: 4)).",
                "Put the apps back under applinks. If you removed them on purpose, ignore the rule aasa.links-removed for "
                    + "the domain.",
                evidence: ["pointer": "/applinks"])
        case .serviceMissing(let name, let apps):
            .init(
                .serviceMissing, leads: .expectationFailed, "The file lacks \(name), which you expect.",
                "\(English.adding(name, English.guesses(name, apps ?? []))) Or fix the expectation.")
        case .asked(let fault, let asked, let domain, let known):
            .init(fault.kind, leads: .expectationFailed, English.words(fault, asked, domain, known))
        case .copyLacks(let asked, let domain):
            .init(
                .appMissing, leads: .copyLacksService,
                "Apple's copy does not name \(asked.app?.id.inSentence ?? "an app") under \(asked.name).",
                "Run 'aasa-monitor watch \(domain)': it waits until Apple's CDN serves what the origin serves.")
        case .appMissing(let app, let service):
            .init(
                .appMissing, leads: .expectationFailed,
                "\(service.map { "The service \($0)" } ?? "The file") does not name the app \(app), which you expect.",
                "\(English.deployOrCorrect) An app ID is prefix, dot and bundle ID, as in the signed entitlements.")
        case .opensUnexpectedly(let url, let app, let domain):
            .init(
                .urlOpens, leads: .expectationFailed,
                "The URL \(url) opens \(app), but you expect it to open nothing.",
                English.explain(url, domain))
        case .opensNothing(let url, let expected, let domain):
            .init(
                .urlOpensNothing, leads: .expectationFailed,
                "The URL \(url) opens nothing, but you expect it to open \(expected).",
                English.explain(url, domain))
        case .opensOther(let url, let app, let expected, let domain):
            .init(
                .urlOpensOther, leads: .expectationFailed,
                "The URL \(url) opens \(app), but you expect it to open \(expected).",
                English.explain(url, domain))
        case .pageMissing(let url, let fault):
            .init(
                .pageMissing, leads: .pageMissing,
                "People without the app find no web page at \(url): \(English.words(fault)).",
                "Serve a page there, or redirect to the App Store.")
        }
    }
}

/// What a client gets instead of a web page.
package enum PageFault: Codable, Equatable, Sendable {
    case redirect(RedirectFault)
    /// `behind`: the target of a redirect.
    case served(Served, behind: String?)
}

// MARK: - Words

extension English {
    fileprivate static let deployOrCorrect = "Deploy the intended file, or fix the expectation."

    fileprivate static func words(_ lint: LintFinding) -> Words {
        let lead =
            switch lint.severity {
            case .error: "The file has an error in"
            case .warning: "The file has a risk in"
            case .note: "In the file,"
            }
        return Words(
            "\(lead) line \(lint.start.line), column \(lint.start.column): \(lint.message).",
            "\(lint.fix.atStart).",
            Dictionary(
                [
                    ("line", "\(lint.start.line)"), ("column", "\(lint.start.column)"), ("pointer", lint.pointer),
                ] + lint.evidence.map { ($0.name, $0.value) }
            ) { first, _ in first })
    }

    fileprivate static func explain(_ url: String, _ domain: Domain) -> String {
        "Run 'aasa-monitor match \(domain) \(url) --explain' to see every rule that was tried. "
            + deployOrCorrect
    }

    fileprivate static func words(_ fault: PageFault) -> String {
        switch fault {
        case .redirect(let fault):
            switch fault {
            case .insecure(let target), .byInsecure(let target): "it redirects to \(target), which is not HTTPS"
            case .circle: "its redirects form a loop"
            case .tooMany(let hops): "its redirects do not end within \(hops) hops"
            case .nowhere(let status): "it redirects (status \(status)) without a Location header"
            case .unreadable(let status, let location):
                "it redirects (status \(status)) to '\(location)', which no browser can follow"
            case .privateAddress(let target): "it redirects to \(target), a private or reserved address"
            case .login(let target), .otherSite(let target), .toPage(let target, _):
                "it redirects to \(target)"
            }
        case .served(let served, nil): "the server \(words(served))"
        case .served(let served, let target?): "it redirects to \(target), which \(words(served))"
        }
    }
}
