// What the owners of a domain expect of its file: `expect` in the configuration, `--expect-…` on the command line.

import AASA
import Facts
import Foundation

/// Expectations of one domain's file.
package struct Expectations: Equatable, Sendable {
    /// App IDs that the file must name: in each of `services`, or in any service if that list is empty.
    package var apps: [String]
    /// Services that the file must have.
    package var services: [String]
    package var urls: [ExpectedURL]

    package init(apps: [String] = [], services: [String] = [], urls: [ExpectedURL] = []) {
        self.apps = apps
        self.services = services
        self.urls = urls
    }

    /// Why a text cannot be an app ID, as a clause; nil if it can. Such an expectation is a typing error.
    package static func fault(ofApp text: String) -> String? { AppID.fault(in: text) }

    /// These and the other expectations.
    package func adding(_ other: Expectations) -> Expectations {
        Expectations(
            apps: apps + other.apps, services: services + other.services, urls: urls + other.urls)
    }

    /// The absolute URLs at which a web page is expected, each once. A path belongs to the domain, and `http` becomes
    /// `https`. A URL with another host, a port or a user is left out.
    package func pages(of domain: Domain) -> [String] {
        var seen: Set<String> = []
        return urls.filter { $0.page == true }.compactMap { $0.pageURL(of: domain) }.filter { seen.insert($0).inserted }
    }

    package var isEmpty: Bool { apps.isEmpty && services.isEmpty && urls.isEmpty }
}

/// A URL and what it must do.
package struct ExpectedURL: Equatable, Sendable {
    /// Absolute, or a path.
    package var url: String
    /// nil if this URL has no such expectation.
    package var opens: ExpectedOpening?
    /// Whether a person without the app must find a web page there.
    package var page: Bool?

    package init(url: String, opens: ExpectedOpening? = nil, page: Bool? = nil) {
        self.url = url
        self.opens = opens
        self.page = page
    }
}

extension ExpectedURL {
    /// The host of a whole URL, whose file decides about it; nil for a path, which can be tested against any file.
    /// - Throws: `DomainFault` if no file decides: for an address, a bare label, a port or a user.
    package static func host(of text: String) throws(DomainFault) -> Domain? {
        guard let scheme = ["https://", "http://"].first(where: { text.prefix(8).lowercased().hasPrefix($0) }) else {
            guard !text.hasPrefix("//") else {
                throw DomainFault(text, "it begins with '//'; write only the path, or the whole URL with https:")
            }
            return nil
        }
        let authority = text.unicodeScalars.dropFirst(scheme.count).prefix { !"/?#".unicodeScalars.contains($0) }
        return try Domain(authority: String(authority), scheme: scheme)
    }

    fileprivate func pageURL(of domain: Domain) -> String? {
        let isPath = !url.contains("://") || url.hasPrefix("/")
        let text = isPath ? "https://\(domain.name)" + (url.hasPrefix("/") ? "" : "/") + url : url
        // Foundation encodes characters that a URL must not contain.
        guard let parsed = URL(string: text), var parts = URLComponents(url: parsed, resolvingAgainstBaseURL: false),
            let scheme = parts.scheme?.lowercased(), scheme == "https" || scheme == "http",
            parts.host?.lowercased() == domain.name, parts.user == nil,
            parts.port == nil || parts.port == (scheme == "https" ? 443 : 80)
        else { return nil }
        parts.scheme = "https"
        parts.host = domain.name
        parts.port = nil
        // A fragment is not sent.
        parts.fragment = nil
        return parts.string
    }
}

package enum ExpectedOpening: Equatable, Sendable, CustomStringConvertible {
    case nothing
    case app(String)

    /// `nothing`, or an app ID.
    package init(parsing text: String) { self = text == "nothing" ? .nothing : .app(text) }

    package var description: String {
        switch self {
        case .nothing: "nothing"
        case .app(let app): app.displayable
        }
    }
}

// MARK: - Checks

extension Checks {
    /// Whether the origin's file does what its owners expect. If it is not a file, other findings say so.
    @Sendable static func expectations(_ context: CheckContext) -> [Finding] {
        guard !context.expectations.isEmpty, let document = context.readings.originFile?.document else { return [] }
        let file = AssociationFile(document)
        return missingServices(context.expectations, file) + missingApps(context.expectations, file, context.asked)
            + context.expectations.urls.compactMap { unexpectedOpening($0, file, context) }
    }

    private static func missingServices(_ expected: Expectations, _ file: AssociationFile) -> [Finding] {
        let apps = (expected.apps + file.services.flatMap(\.appIDs)).uniqued.prefix(2).map(\.inSentence)
        return expected.services.filter { name in !file.services.contains { $0.name == name } }.map { name in
            Finding(
                .file(.serviceMissing(name, apps: apps)),
                evidence: [
                    "service": name,
                    "services": file.services.prefix(20).map { String($0.name.prefix(200)) }.joined(separator: ", "),
                ])
        }
    }

    /// An expected app is also expected for the asked service.
    private static func missingApps(
        _ expected: Expectations, _ file: AssociationFile, _ asked: AskedService?
    ) -> [Finding] {
        let names = expected.services + [asked?.name].compactMap(\.self)
        let present = file.services.filter { names.contains($0.name) }
        return expected.apps.flatMap { app -> [Finding] in
            func finding(_ service: String?) -> Finding {
                Finding(.file(.appMissing(app, from: service)), evidence: ["app": app])
            }
            if names.isEmpty {
                return file.services.contains { $0.appIDs.containsExactly(app) } ? [] : [finding(nil)]
            }
            return present.filter { !$0.appIDs.containsExactly(app) }.map { finding($0.name) }
        }
    }

    private static func unexpectedOpening(
        _ expected: ExpectedURL, _ file: AssociationFile, _ context: CheckContext
    ) -> Finding? {
        guard let opening = expected.opens, let url = MatchableURL(expected.url) else { return nil }
        let result = file.applinks?.match(url)
        let opens = result?.opens
        let problem: FileProblem
        switch (opening, opens) {
        case (.nothing, nil): return nil
        // If a URL opens several apps, the installed one counts.
        case (.app(let app), .some(let opened))
        where app.isExactly(opened) || result?.alsoOpenedBy.containsExactly(app) == true:
            return nil
        case (.nothing, .some(let opened)):
            problem = .opensUnexpectedly(expected.url, by: opened, context.domain)
        case (.app(let app), nil): problem = .opensNothing(expected.url, expected: app, context.domain)
        case (.app(let app), .some(let opened)):
            problem = .opensOther(expected.url, by: opened, expected: app, context.domain)
        }
        var evidence = ["url": expected.url, "expected": opening.description, "opens": opens ?? "nothing"]
        if result?.isComplete == false {
            evidence["incomplete"] = "there are too many rules, or they are too complex, to try them all"
        }
        if let rule = result?.deciding?.rule {
            evidence["rule"] = rule.pointer
            evidence["line"] = "\(file.position(of: rule).line)"
        }
        return Finding(.file(problem), evidence: evidence)
    }
}

extension Checks {
    /// The web page at an expected URL, for people without the app, or whose phone has not read the new file yet.
    @Sendable static func pages(_ context: CheckContext) -> [Finding] {
        (context.observation.full?.pages ?? []).compactMap { page in
            guard let found = page.fault else { return nil }
            var evidence = ["url": page.url]
            let hops = page.retrieval.redirects
            if !hops.isEmpty { evidence["redirects"] = RedirectTrail(hops).text }
            if let status = page.retrieval.answer?.status { evidence["status"] = "\(status)" }
            if let failure = page.retrieval.failure { evidence["error"] = failure.detail }
            if let problem = page.retrieval.connection?.tls?.problem { evidence["certificate"] = problem.rawValue }
            return Finding(.file(.pageMissing(page.url.inSentence, found)), evidence: evidence)
        }
    }
}

extension PageResult {
    /// What was found instead of a page; nil if there is a page.
    fileprivate var fault: PageFault? {
        if appStore != nil || retrieval.ownFault != nil { return nil }
        if let fault = RedirectFault(stopOf: retrieval) { return .redirect(fault) }
        let last = retrieval.redirects.last
        let target = (last?.target ?? last?.location)?.inSentence
        switch retrieval.outcome {
        case .answered(let answer):
            return (200..<300).contains(answer.status) ? nil : .served(.status(answer.status), behind: target)
        case .failed(let failure):
            let problem = failure.kind == .certificate ? retrieval.connection?.tls?.problem : nil
            return .served(.failed(failure.kind, failure.phase, problem), behind: target)
        }
    }
}
