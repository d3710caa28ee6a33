import AASA
import Foundation

extension Checks {
    /// Whether the origin's file does what its owners expect. Where it is no file, other findings say so.
    @Sendable static func expectations(_ context: CheckContext) -> [Finding] {
        guard !context.expectations.isEmpty, let document = context.readings.originFile?.document else { return [] }
        let file = AssociationFile(document)
        return missingServices(context.expectations, file) + missingApps(context.expectations, file)
            + context.expectations.urls.compactMap { unexpectedOpening($0, file, context) }
    }

    private static func missingServices(_ expected: Expectations, _ file: AssociationFile) -> [Finding] {
        expected.services.filter { name in !file.services.contains { $0.name == name } }.map { name in
            Finding(
                rule: .expect("service-missing"), severity: .error,
                message: "the file has no service \(name), which is expected",
                evidence: ["service": name, "services": file.services.map(\.name).joined(separator: ", ")],
                fix: "add \(name) to the file, or take it out of the expectations",
                reference: Reference.supportingDomains)
        }
    }

    private static func missingApps(_ expected: Expectations, _ file: AssociationFile) -> [Finding] {
        let present = file.services.filter { expected.services.contains($0.name) }
        return expected.apps.flatMap { app -> [Finding] in
            func finding(_ place: String) -> Finding {
                Finding(
                    rule: .expect("app-missing"), severity: .error,
                    message: "\(place) does not name the app \(app), which is expected", evidence: ["app": app],
                    fix: "add the app ID as its signed entitlements have it (prefix, dot, bundle ID)",
                    reference: Reference.supportingDomains)
            }
            if expected.services.isEmpty {
                return file.services.contains { $0.appIDs.contains(app) } ? [] : [finding("the file")]
            }
            return present.filter { !$0.appIDs.contains(app) }.map { finding($0.name) }
        }
    }

    private static func unexpectedOpening(
        _ expected: ExpectedURL, _ file: AssociationFile, _ context: CheckContext
    ) -> Finding? {
        guard let opening = expected.opens, let url = MatchableURL(expected.url) else { return nil }
        let result = file.applinks?.match(url)
        let opens = result?.opens
        var finding = Finding(
            rule: .expect("url-opens"), severity: .error, message: "",
            evidence: ["url": expected.url, "expected": opening.description, "opens": opens ?? "nothing"],
            fix: "'aasa-monitor match \(context.domain) \(expected.url) --explain' shows every rule that was tried",
            reference: Reference.applinks)
        if let rule = result?.deciding?.rule {
            finding.evidence["rule"] = rule.pointer
            finding.evidence["line"] = "\(file.position(of: rule.node).line)"
        }
        switch (opening, opens) {
        case (.nothing, nil): return nil
        // Of several apps that a URL opens, the one that is installed counts.
        case (.app(let app), .some(let opened)) where app == opened || result?.alsoOpenedBy.contains(app) == true:
            return nil
        case (.nothing, .some(let opened)):
            finding.message = "\(expected.url) opens \(opened), though it is expected to open nothing"
        case (.app(let app), nil):
            finding.rule = .expect("url-opens-nothing")
            finding.message = "\(expected.url) opens nothing, though it is expected to open \(app)"
        case (.app(let app), .some(let opened)):
            finding.rule = .expect("url-opens-other")
            finding.message = "\(expected.url) opens \(opened), though it is expected to open \(app)"
        }
        return finding
    }
}
