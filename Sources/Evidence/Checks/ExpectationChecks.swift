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
                .file(.serviceMissing(name)),
                evidence: ["service": name, "services": file.services.map(\.name).joined(separator: ", ")])
        }
    }

    private static func missingApps(_ expected: Expectations, _ file: AssociationFile) -> [Finding] {
        let present = file.services.filter { expected.services.contains($0.name) }
        return expected.apps.flatMap { app -> [Finding] in
            func finding(_ service: String?) -> Finding {
                Finding(.file(.appMissing(app, from: service)), evidence: ["app": app])
            }
            if expected.services.isEmpty {
                return file.services.contains { $0.appIDs.contains(app) } ? [] : [finding(nil)]
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
        let matter: FileMatter
        switch (opening, opens) {
        case (.nothing, nil): return nil
        // Of several apps that a URL opens, the one that is installed counts.
        case (.app(let app), .some(let opened)) where app == opened || result?.alsoOpenedBy.contains(app) == true:
            return nil
        case (.nothing, .some(let opened)):
            matter = .opensUnexpectedly(expected.url, by: opened, context.domain)
        case (.app(let app), nil): matter = .opensNothing(expected.url, expected: app, context.domain)
        case (.app(let app), .some(let opened)):
            matter = .opensOther(expected.url, by: opened, expected: app, context.domain)
        }
        var evidence = ["url": expected.url, "expected": opening.description, "opens": opens ?? "nothing"]
        if let rule = result?.deciding?.rule {
            evidence["rule"] = rule.pointer
            evidence["line"] = "\(file.position(of: rule.node).line)"
        }
        return Finding(.file(matter), evidence: evidence)
    }
}
