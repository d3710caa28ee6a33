// Apple's copy when the origin is fine: edges that disagree, copies that lag, and, last, that all is well.

import AASA
import Foundation

package enum CopyCause: Codable, Equatable, Sendable {
    case edgesWithoutCopy(Int, of: Int, [AbsenceReason])
    case edgesCatchingUp(Int, of: Int, since: OriginChange)
    /// `app`: set if the copy has the service but lacks the app.
    case lacksService(String, app: String?, since: OriginChange?)
    case hasOtherApp(old: String, new: String, since: OriginChange?)
    case inSyncInternational
    case inSync
    case otherMode(AssociationMode)
    /// The origin's file is fine; the copy is unknown.
    case originFine

    var declaration: CauseDeclaration {
        switch self {
        case .edgesWithoutCopy(let missing, let all, let reasons):
            .init(
                .edgesWithoutCopy,
                "\(missing) of Apple's \(all) edges \(missing == 1 ? "has" : "have") no copy (\(English.words(reasons))).",
                English.actions(reasons))
        case .edgesCatchingUp(let inSync, let all, let change):
            .init(.edgesCatchingUp) { now in
                Words(
                    "\(English.begin(change, now)), and \(inSync) of Apple's \(all) edges already "
                        + "\(inSync == 1 ? "serves" : "serve") "
                        + "\(change.way == .changed ? "the new one" : "the current one").",
                    English.wait(change, now))
            }
        case .lacksService(let service, let app, let change):
            .init(.copyLacksService) { now in
                Words(
                    "Apple's copy lacks " + (app.map { "\($0) in \(service)" } ?? "the service \(service)")
                        + ": \(English.consequence(service)). " + English.since(change, now),
                    English.wait(change, now))
            }
        case .hasOtherApp(let old, let new, let change):
            .init(.copyHasOtherApp) { now in
                Words(
                    "Apple's copy names the app \(old) in place of \(new). \(English.since(change, now))",
                    English.wait(change, now))
            }
        case .inSyncInternational:
            .init(
                .inSyncInternational, "The origin's file is valid, and Apple's CDN serves the same.",
                "Check the device if links still fail: some iOS versions do not open internationalised names.")
        case .inSync:
            .init(.inSync, "The origin's file is valid, and Apple's CDN serves the same.")
        case .otherMode(let mode):
            .init(
                .otherMode,
                "The origin's file is valid. Phones in \(mode.rawValue) mode read it there, not from Apple's CDN.")
        case .originFine: .init(.originFine, "The origin's file is valid.")
        }
    }
}

extension English {
    fileprivate static func consequence(_ service: String) -> String {
        service == "applinks" ? "links open the website" : fails(service)
    }

    fileprivate static func since(_ change: OriginChange?, _ now: Date) -> String {
        change.map { "\(begin($0, now))." } ?? "It is unknown since when."
    }
}

// MARK: - Edges that disagree: chance and geography decide which one a phone reaches

extension Diagnosis {
    static let edgeRows: [Row] = [
        { $0.finding(.withoutEffect).map { Cause($0) } },
        { context in
            guard context.isMixed, let tally = context.comparison.edges, tally.missing > 0 else { return nil }
            return .copy(
                .edgesWithoutCopy(tally.missing, of: tally.asked, Array(context.check.absenceReasons.prefix(4))))
        },
        { context in
            guard context.finding(.edgesDiffer)?.severity == .note, let tally = context.comparison.edges,
                let change = context.change
            else { return nil }
            return .copy(.edgesCatchingUp(tally.inSync, of: tally.asked, since: change))
        },
        { context in
            context.isMixed ? context.finding(.edgesDiffer).map { Cause($0) } : nil
        },
    ]
}

// MARK: - Copies that are missing or behind

extension Diagnosis {
    static let copyRows: [Row] = [
        { context in
            guard context.comparison.state == .missing else { return nil }
            return Cause(.cdn(.missing(status: context.check.cdn?.answer?.status ?? 404, at: nil)))
        },
        { context in
            context.findings.first { $0.kind == .crawlerError && $0.severity == .warning }.map { Cause($0) }
        },
        { $0.finding(.badCopy).map { Cause($0) } },
        { $0.error(.linksRemoved).map { Cause($0) } },
        { context in
            guard context.copyIsBehind, let lacking = context.lackingService else { return nil }
            return .copy(
                .lacksService(lacking.service, app: lacking.app, since: context.change))
        },
        { context in
            guard context.copyIsBehind, let apps = context.replacedApp else { return nil }
            return .copy(
                .hasOtherApp(old: apps.old, new: apps.new, since: context.change))
        },
        { context in
            guard let change = context.comparison.change else { return nil }
            switch context.comparison.state {
            case .stale: return Cause(.cdn(.stale(change)))
            case .propagating: return Cause(.cdn(.propagating(change)))
            default: return nil
            }
        },
        { $0.comparison.state == .divergent ? Cause(.cdn(.divergent(originSince: $0.check.originSince))) : nil },
        { $0.error(.pageMissing).map { Cause($0) } },
        { $0.finding(.cdnUnreachable).map { Cause($0) } },
    ]
}

extension DiagnosisContext {
    /// The change that the copy lags behind; nil if no lag is known.
    fileprivate var change: OriginChange? {
        guard var change = comparison.change else { return nil }
        if check.isOverdue { change.isOverdue = true }
        return change
    }

    fileprivate var copyIsBehind: Bool { [.stale, .propagating, .divergent].contains(comparison.state) }

    /// The services and their apps: in Apple's copy, and at the origin.
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

    /// A service, or an app of a service, that the origin's file has and Apple's copy lacks.
    fileprivate var lackingService: (service: String, app: String?)? {
        guard let services else { return nil }
        let names = ["webcredentials", "appclips", "activitycontinuation", "applinks"]
        for service in check.asked.map({ [$0.name] }) ?? names {
            guard let new = services.new[service] else { continue }
            guard let old = services.old[service] else { return (service, nil) }
            if let app = check.asked?.app?.id, new.containsExactly(app), !old.containsExactly(app) {
                return (service, app.inSentence)
            }
            if service != "applinks", let app = new.first(where: { !old.contains($0) }) {
                return (service, app.inSentence)
            }
        }
        return nil
    }

    /// An app ID that replaces another.
    fileprivate var replacedApp: (old: String, new: String)? {
        guard check.asked?.name ?? "applinks" == "applinks", let services, let old = services.old["applinks"],
            let new = services.new["applinks"],
            let gone = old.first(where: { !new.contains($0) }), let come = new.first(where: { !old.contains($0) })
        else { return nil }
        return (gone.inSentence, come.inSentence)
    }
}

// MARK: - It works

// With a risk or without one. Even then phones lag, and people ask why.

extension Diagnosis {
    static let healthyRows: [Row] = [
        { context in
            guard let finding = context.finding(.redirect), finding.severity == .warning, context.worst == .warning
            else { return nil }
            return Cause(finding)
        },
        { context in context.finding(.ipv6Broken).map { Cause($0) } },
        { context in
            guard let finding = context.lint("byte-order-mark"), context.worst == .warning else { return nil }
            return Cause(finding, as: .byteOrderMark)
        },
        { context in context.findings.first.flatMap { $0.severity == .warning ? Cause($0) : nil } },
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
}
