// The origin is fine; Apple's copy may not be.

import AASA

extension Diagnosis {
    static let copyRows: [Row] = [
        { context in context.comparison.state == .missing ? .copy(.missing) : nil },
        { context in
            guard context.findings.contains(where: { $0.rule == .cdn("crawler-error") && $0.severity == .warning }),
                let failure = context.failureBesideCopy
            else { return nil }
            return .copy(.failsBesideCopy(AppleWord(failure), failure.trouble))
        },
        { context in
            guard context.copyIsBehind, let lacking = context.lackingService else { return nil }
            return .copy(
                .lacksService(lacking.service, app: lacking.app, lagSeconds: context.comparison.lagSeconds))
        },
        { context in
            guard context.copyIsBehind, let apps = context.replacedApp else { return nil }
            return .copy(
                .hasOtherApp(old: apps.old, new: apps.new, lagSeconds: context.comparison.lagSeconds))
        },
        { context in
            guard let lag = context.comparison.lagSeconds else { return nil }
            switch context.comparison.state {
            case .stale: return .copy(.stale(lagSeconds: lag))
            case .propagating: return .copy(.propagating(lagSeconds: lag))
            default: return nil
            }
        },
        { $0.finding("cdn.bad-copy").map { _ in .copy(.badCopy) } },
        { context in context.comparison.state == .divergent ? .copy(.divergent) : nil },
        { $0.error("expect.page-missing").map { _ in .file(.pageMissing) } },
        { context in
            guard context.finding("cdn.unreachable") != nil,
                let fault = context.check.cdn.flatMap(CDNFault.init)
            else { return nil }
            return .copy(.unreachable(fault))
        },
    ]
}

extension DiagnosisContext {
    /// Apple's word on its crawler at the first edge that serves a copy and has one.
    fileprivate var failureBesideCopy: CrawlerFailure? {
        let edges = EdgeSurvey(check.readings).speaking.map(\.look.retrieval)
        return ([check.cdn].compactMap { $0 } + edges).lazy.compactMap(\.answer).filter { $0.status == 200 }
            .compactMap(\.crawlerFailure).first
    }

    fileprivate var copyIsBehind: Bool { [.stale, .propagating, .divergent].contains(comparison.state) }

    /// The services and their apps, in Apple's copy and at the origin.
    private var services: (old: [Service: [String]], new: [Service: [String]])? {
        guard let old = check.readings.cdnFile?.document, let new = check.readings.originFile?.document else {
            return nil
        }
        func apps(_ document: JSONDocument) -> [Service: [String]] {
            Dictionary(AssociationFile(document).services.map { ($0.name, $0.appIDs) }) { first, _ in first }
        }
        return (apps(old), apps(new))
    }

    private typealias Service = String

    /// A service, or an app of a service, that the origin's file has and Apple's copy has not.
    fileprivate var lackingService: (service: String, app: String?)? {
        guard let services else { return nil }
        for service in ["webcredentials", "appclips", "activitycontinuation", "applinks"] {
            guard let new = services.new[service] else { continue }
            guard let old = services.old[service] else { return (service, nil) }
            if service != "applinks", let app = new.first(where: { !old.contains($0) }) {
                return (service, app.inSentence)
            }
        }
        return nil
    }

    /// One app ID in place of another.
    fileprivate var replacedApp: (old: String, new: String)? {
        guard let services, let old = services.old["applinks"], let new = services.new["applinks"],
            let gone = old.first(where: { !new.contains($0) }), let come = new.first(where: { !old.contains($0) })
        else { return nil }
        return (gone.inSentence, come.inSentence)
    }
}
