import Evidence

/// `domains[].expect`.
enum ExpectationReader {
    /// The sections of an association file: https://developer.apple.com/documentation/bundleresources/applinks
    private static let services = ["applinks", "webcredentials", "appclips", "activitycontinuation"]

    /// Whole URLs must be of `domain`; nil where that could not be read.
    static func read(_ parent: Section, domain: Domain?) -> Expectations? {
        guard let section = parent.section("expect", title: "in 'expect' \(parent.title)") else { return nil }
        let reading = section.reading
        var result = Expectations()
        for node in section.list("apps") ?? [] {
            guard let text = section.text(node, "apps", "an application identifier") else { continue }
            if checkApp(text, reading) { result.apps.append(text.value) }
        }
        for node in section.list("services") ?? [] {
            guard let text = section.text(node, "services", "the name of a service") else { continue }
            guard services.contains(text.value) else {
                let hint = text.isSubstituted ? "" : Spelling.suggestion(for: text.value, among: services)
                reading.error(
                    "expected one of \(services.joined(separator: ", ")) for 'services' \(section.title), "
                        + "found \(text.quoted)\(hint)", at: text.position)
                continue
            }
            result.services.append(text.value)
        }
        for node in section.list("urls") ?? [] {
            if let url = url(node, section, domain) { result.urls.append(url) }
        }
        section.close()
        return result
    }

    private static func url(_ node: SourceNode, _ parent: Section, _ domain: Domain?) -> ExpectedURL? {
        guard case .mapping(let entries) = node.content else {
            parent.mismatch("urls", "a mapping such as {url: /path, opens: nothing}", node)
            return nil
        }
        let section = Section(
            entries: entries, position: node.position, title: "in 'urls' \(parent.title)",
            path: "\(parent.path).urls[]", isConcealed: false, reading: parent.reading)
        let text = section.text("url", "a path or an https URL", isRequired: true)
        let opens = opening(section)
        let page = section.boolean("page")
        if !section.isGiven("opens"), !section.isGiven("page") {
            section.reading.error("'opens' or 'page' is missing \(section.title)", at: section.position)
        }
        section.close()
        guard let text else { return nil }
        let isPath = text.value.hasPrefix("/") && !text.value.hasPrefix("//")
        guard isPath || text.value.lowercased().hasPrefix("https://"), !text.value.contains(where: \.isWhitespace)
        else {
            section.reading.error(
                "expected a path that begins with '/' or an https URL for 'url', found \(text.quoted)",
                at: text.position)
            return nil
        }
        do {
            if let host = try ExpectedURL.host(of: text.value), let domain, host != domain {
                section.reading.error("the URL \(text.quoted) is not one of \(domain)", at: text.position)
            }
        } catch {
            // The reason may quote a part of the value, which a variable's must not show.
            section.reading.error(
                "the URL \(text.quoted) is none of an associated domain"
                    + (text.isSubstituted ? "" : ": \(error.reason)"),
                at: text.position)
        }
        return ExpectedURL(url: text.value, opens: opens, page: page)
    }

    private static func opening(_ section: Section) -> ExpectedOpening? {
        guard let text = section.text("opens", "an application identifier or 'nothing'") else { return nil }
        if text.value == "nothing" { return .nothing }
        return checkApp(text, section.reading) ? .app(text.value) : nil
    }

    private static func checkApp(_ text: ScalarText, _ reading: Reading) -> Bool {
        guard let fault = Expectations.fault(ofApp: text.value) else { return true }
        // The reason may quote a part of the value, which a variable's must not show.
        reading.error(
            "expected an application identifier such as ABCDE12345.com.example.app, found \(text.quoted)"
                + (text.isSubstituted ? "" : ": \(fault)"), at: text.position)
        return false
    }
}
