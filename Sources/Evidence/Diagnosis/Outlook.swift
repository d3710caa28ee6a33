// How long it lasts: from what Apple's edges say about their own answers, and from what Apple documents.

import Foundation

package enum Outlook: Codable, Equatable, Sendable {
    /// When the last edge drops its cached failure.
    case asksAgain(Date)
    /// A change that is younger than `stale_after` is normal until then.
    case normalUntil(Date)
    /// A change that is older than `stale_after`, in seconds, and younger than Apple's time for one.
    case pastLimit(Int)
    /// The time that earlier changes of the domain took.
    case usual(UsualPropagation)
    /// This change takes longer than that.
    case beyondUsual(UsualPropagation)
    /// Apple's time for a change, and that of phones.
    case withinDay
    /// The copy is older than Apple documents.
    case beyondPromise
    /// Apple keeps its copy, for a time that it does not document.
    case copyMayEnd
    /// Phones in that mode read the origin when the app is installed.
    case atInstall(AssociationMode)
    /// Phones that have the app follow within a week.
    case phonesWithinWeek

    /// Until when a change is normal, in a few words; nil if the outlook does not say that.
    package var limit: String? {
        switch self {
        case .normalUntil(let date): "normal until \(English.instant(date))"
        case .usual(let time):
            "usually \(TimeInterval(time.median).inWords), 9 of 10 \(TimeInterval(time.percentile90).inWords)"
        case .beyondUsual(let time): "9 of 10 took \(TimeInterval(time.percentile90).inWords) at most"
        case .withinDay: "normal up to 24 h"
        default: nil
        }
    }

    /// Apple's time for a change, in seconds.
    private static let promise = 86_400

    /// Until when `cause` has its effect. `phonesWithinWeek` is about a change of the file, so it does not fit a cause that
    /// ends in another way, such as an expiring certificate.
    init?(of context: DiagnosisContext, _ cause: Cause) {
        let observation = context.check.observation
        let comparison = context.comparison
        switch observation.cdn {
        case .notAsked(.mode):
            self = .atInstall(observation.mode)
            return
        case .notAsked(.originHasNoFile): return nil
        case .asked: break
        }
        let isDated = context.check.absentCopies.contains { $0.secondsUntilExpiry != nil }
        if context.check.crawlerFailure != nil || isDated {
            self = .asksAgain(context.failureEnd)
            return
        }
        // Waiting does not help if Apple's crawler cannot get the file, or if the file is wrong.
        let isKeptFromApple = context.isOriginFailing || context.finding(.crawlerError) != nil
        let isWrong = context.hasError(in: .file) || context.hasError(in: .expectation)
        if comparison.isWithoutEffect == true, !isKeptFromApple, !isWrong { return nil }
        switch comparison.state {
        case .cdnUnavailable, .notCompared: return nil
        case .missing: self = .withinDay
        case .divergent, .propagating, .mixed, .stale:
            if isKeptFromApple, context.check.readings.isServedByCDN {
                self = .copyMayEnd
                return
            }
            guard let changedAt = comparison.changedAt, let lag = comparison.lagSeconds else {
                self = .withinDay
                return
            }
            // A lag is normal unless its operator counts it as an incident.
            let limit = Int(context.check.checks.staleAfter.inSeconds)
            let late: Outlook = lag >= Self.promise ? .beyondPromise : lag >= limit ? .pastLimit(limit) : .withinDay
            // A wrong file, or one that another location does not get, is not called normal.
            if isWrong || context.hasError(in: .origin) {
                self = late
                return
            }
            if let usual = context.check.history.usual {
                self = lag > usual.percentile90 ? .beyondUsual(usual) : .usual(usual)
                return
            }
            let end = changedAt + TimeInterval(min(limit, Self.promise))
            self = lag < min(limit, Self.promise) ? .normalUntil(end.wholeMinute) : late
        case .originUnavailable:
            if context.check.readings.cdnFile == nil {
                self = .withinDay
            } else if isKeptFromApple || context.hasError(in: .file) {
                self = .copyMayEnd
            } else if context.check.origin.ownFault == nil, cause.endsWithChangeOfFile {
                self = .phonesWithinWeek
            } else {
                return nil
            }
        case .inSync:
            if isKeptFromApple {
                self = .copyMayEnd
            } else if isWrong {
                self = .withinDay
            } else if cause.endsWithChangeOfFile {
                self = .phonesWithinWeek
            } else {
                return nil
            }
        }
    }
}

/// What ends links that work now.
enum Risk {
    /// Apple's crawler asks the origin again, and meets what is wrong there.
    case nextFetch
    /// The certificate expires, and Apple's crawler refuses it from then on.
    case certificateEnds

}

extension Diagnosis {
    /// nil: nothing is known to end them, or they do not work. Phones in other modes do not depend on Apple's crawler.
    var risk: Risk? {
        guard case .work = effect.links, effect.phones.readsCDN else { return nil }
        if cause.isOfExpiringCertificate { return .certificateEnds }
        return isFetchAtRisk == true ? .nextFetch : nil
    }
}

extension Cause {
    /// Whether a change of the file ends it, or there is nothing to end.
    fileprivate var endsWithChangeOfFile: Bool {
        switch self {
        case .copy: true
        case .finding(_, let problem, _): problem.area == .file || problem.area == .expectation
        case .origin, .access, .crawler, .remark: false
        }
    }

    fileprivate var isOfExpiringCertificate: Bool {
        switch self {
        case .finding(_, .origin(.certificateExpiring), _), .finding(_, .origin(.chainExpiring), _): true
        default: false
        }
    }
}

extension DiagnosisContext {
    /// Whether the origin, or Apple's way to it, fails now: then phones depend on Apple's copy. Another location does not
    /// show that, and several versions of the file are still an answer.
    fileprivate var isOriginFailing: Bool {
        findings.contains { finding in
            guard finding.severity == .error, case .origin(let problem) = finding.problem else { return false }
            return switch problem {
            case .vantageDiffers, .agentDiffers, .alternates: false
            case .addressesDiffer(let groups): !groups.areVersions
            default: true
            }
        }
    }

    /// When the last of Apple's edges drops its cached failure.
    fileprivate var failureEnd: Date {
        // At most a day, as Apple documents. A longer lifetime is that of a copy.
        let seconds = check.absentCopies.compactMap(\.secondsUntilExpiry).max() ?? 3600
        return (check.now + min(max(60, TimeInterval(seconds)), 86_400)).wholeMinute
    }
}

extension Date {
    /// The next whole minute: an `Age` that grows with the clock gives the same instant at each check.
    var wholeMinute: Date {
        Date(timeIntervalSince1970: (timeIntervalSince1970 / 60).rounded(.up) * 60)
    }
}
