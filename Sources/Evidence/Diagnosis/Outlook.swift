// Until when it stays so: from what Apple's edges say of their own answers, and what Apple documents.

import Foundation

package enum Outlook: Codable, Equatable, Sendable {
    /// When the last edge that holds a failure drops it.
    case asksAgain(Date)
    /// A change that is younger than a day is normal until then.
    case normalUntil(Date)
    /// What earlier changes of the domain took.
    case usual(UsualPropagation)
    /// Apple's time for a change, and that of phones.
    case withinDay
    /// The copy is older than Apple documents.
    case beyondPromise
    /// Apple keeps its copy, and documents no time.
    case copyMayEnd
    /// Phones in that mode read the origin when the app is installed.
    case atInstall(AssociationMode)
    /// Phones that have the app follow later.
    case phonesWithinWeek

    init?(of context: DiagnosisContext) {
        let observation = context.check.observation
        let comparison = context.comparison
        switch observation.cdn {
        case .notAsked(.mode):
            self = .atInstall(observation.mode)
            return
        case .notAsked(.originHasNoFile): return nil
        case .asked: break
        }
        let isDated = context.absentCopies.contains { $0.secondsUntilExpiry != nil }
        if context.crawlerFailure != nil || isDated {
            self = .asksAgain(context.failureEnd)
            return
        }
        switch comparison.state {
        case .cdnUnavailable, .notCompared: return nil
        case .missing, .divergent: self = .withinDay
        case .propagating, .mixed, .stale:
            guard let changedAt = comparison.changedAt, let lag = comparison.lagSeconds else {
                self = .withinDay
                return
            }
            if let usual = context.check.history.usual {
                self = .usual(usual)
                return
            }
            self = lag < 86_400 ? .normalUntil((changedAt + 86_400).wholeMinute) : .beyondPromise
        case .originUnavailable:
            self = context.check.readings.cdnFile == nil ? .withinDay : .copyMayEnd
        case .inSync:
            let isOfFile = context.hasError(in: "aasa.") || context.hasError(in: "expect.")
            let isOfOrigin = context.hasError(in: "origin.") || context.finding("cdn.crawler-error") != nil
            self = isOfOrigin ? .copyMayEnd : isOfFile ? .withinDay : .phonesWithinWeek
        }
    }
}

extension DiagnosisContext {
    /// When Apple's edges have dropped the failure that they keep: the last of them.
    fileprivate var failureEnd: Date {
        // A copy's lifetime is no failure's; a day is all that Apple documents.
        let seconds = absentCopies.compactMap(\.secondsUntilExpiry).max() ?? 3600
        return (check.now + min(max(60, TimeInterval(seconds)), 86_400)).wholeMinute
    }
}

extension Date {
    /// The next whole minute: an `Age` that grows with the clock gives the same instant at each check.
    var wholeMinute: Date {
        Date(timeIntervalSince1970: (timeIntervalSince1970 / 60).rounded(.up) * 60)
    }
}
