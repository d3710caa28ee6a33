// Apple's copy, where the origin is fine: edges that disagree, copies that are behind, and at the end that it works.

import AASA
import Foundation

// MARK: - Edges that disagree: which of them a phone meets is chance and geography

extension Diagnosis {
    static let edgeRows: [Row] = [
        { context in
            guard context.isMixed, let tally = context.comparison.edges, tally.missing > 0 else { return nil }
            return .copy(.edgesWithoutCopy(tally.missing, of: tally.asked, Array(context.absenceReasons.prefix(4))))
        },
        { context in
            guard context.finding("cdn.edges-differ")?.severity == .note, let tally = context.comparison.edges,
                let lag = context.comparison.lagSeconds
            else { return nil }
            return .copy(.edgesCatchingUp(tally.inSync, of: tally.asked, lagSeconds: lag))
        },
        { context in
            guard context.isMixed, context.finding("cdn.edges-differ") != nil, let tally = context.comparison.edges
            else { return nil }
            return .copy(.edgesDiffer(tally, lagSeconds: context.comparison.lagSeconds))
        },
    ]
}

// MARK: - Copies that are missing or behind

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
            guard context.finding("cdn.unreachable") != nil, let cdn = context.check.cdn,
                let fault = CDNFault(cdn, context.check.now)
            else { return nil }
            return .copy(.unreachable(fault, by: context.check.ownCauseAtCDN))
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

// MARK: - It works

// With a risk, or as it should. Even then phones are late, and people ask why.

extension Diagnosis {
    static let healthyRows: [Row] = [
        { context in
            guard context.finding("origin.redirect")?.severity == .warning, context.worst == .warning,
                let target = context.check.origin.redirects.last?.target
            else { return nil }
            let followed = context.check.cdn?.answer?.header("apple-from")?.contains(",") == true
            return .origin(.redirectSameSite(target: target.inSentence, cdnFollowed: followed))
        },
        { context in
            guard context.finding("origin.ipv6-broken") != nil else { return nil }
            return .origin(.ipv6Broken(context.deadAddresses(ofIPv6: true)))
        },
        { context in
            guard context.finding("aasa.byte-order-mark") != nil, context.worst == .warning else { return nil }
            return .file(.byteOrderMark)
        },
        { context in
            guard let worst = context.findings.first, worst.severity == .warning else { return nil }
            return context.risk(worst)
        },
        { context in
            guard context.comparison.state == .inSync, context.worst != .error else { return nil }
            let isInternational = context.domain.name.split(separator: ".").contains { $0.hasPrefix("xn--") }
            return .copy(isInternational ? .inSyncInternational : .inSync)
        },
        { context in
            guard context.check.observation.cdn == .notAsked(.mode) else { return nil }
            return .copy(.otherMode(context.check.observation.mode))
        },
    ]
}

extension DiagnosisContext {
    fileprivate var worst: Severity? { findings.first?.severity }

    /// What a warning means, typed as far as it has a cause of its own.
    fileprivate func risk(_ finding: Finding) -> Cause {
        switch finding.matter {
        case .origin(.fault(.slow(let milliseconds), _)): .origin(.slow(milliseconds: milliseconds))
        case .origin(.certificateExpiring(let end, _)):
            .origin(.certificateExpiring(end, place: place(of: finding)))
        case .cdn(.edgesInTrouble): edgeTrouble ?? .file(.finding(finding.rule))
        case .monitor(let cause): .monitor(cause)
        case .file(.lint), .file(.moreLint): .file(.warning(finding.rule))
        default: .file(.finding(finding.rule))
        }
    }

    /// The trouble that most edges answer with.
    private var edgeTrouble: Cause? {
        let survey = EdgeSurvey(check.readings)
        let troubles = survey.silent.filter { $0.retrieval.answer != nil }.compactMap {
            CDNFault($0.retrieval, check.now)
        }
        guard let group = Groups(troubles.map { ($0.family, $0) }).members.first, let first = group.first else {
            return nil
        }
        return .copy(.edgeTrouble(group.count, of: survey.asked, first))
    }
}
