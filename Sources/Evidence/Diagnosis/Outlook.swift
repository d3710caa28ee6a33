// Until when it stays so: from what Apple's edges say of their own answers, and what Apple documents.

import Foundation

package enum Outlook: Codable, Equatable, Sendable {
    /// When the last edge that holds a failure drops it.
    case asksAgain(Date)
    /// A change that is younger than a day is normal until then.
    case normalUntil(Date)
    /// What earlier changes of the domain took.
    case usual(UsualPropagation)
    /// This one takes longer than that.
    case beyondUsual(UsualPropagation)
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
        let isDated = context.check.absentCopies.contains { $0.secondsUntilExpiry != nil }
        if context.check.crawlerFailure != nil || isDated {
            self = .asksAgain(context.failureEnd)
            return
        }
        // A file that Apple's crawler does not get, or that is wrong, is no matter of waiting.
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
            // What is wrong, or what another place does not get, is not called normal.
            if isWrong || context.hasError(in: .origin) {
                self = lag < 86_400 ? .withinDay : .beyondPromise
                return
            }
            if let usual = context.check.history.usual {
                self = lag > usual.ninth ? .beyondUsual(usual) : .usual(usual)
                return
            }
            guard lag < 86_400 else {
                self = .beyondPromise
                return
            }
            // What is an incident to its operator is not called normal.
            let isOverdue = lag >= Int(context.check.checks.staleAfter.inSeconds)
            self = comparison.state == .stale || isOverdue ? .withinDay : .normalUntil((changedAt + 86_400).wholeMinute)
        case .originUnavailable:
            if context.check.readings.cdnFile == nil {
                self = .withinDay
            } else if isKeptFromApple || context.hasError(in: .file) {
                self = .copyMayEnd
            } else if context.check.origin.ownFault == nil {
                self = .phonesWithinWeek
            } else {
                return nil
            }
        case .inSync:
            self = isKeptFromApple ? .copyMayEnd : isWrong ? .withinDay : .phonesWithinWeek
        }
    }
}

extension DiagnosisContext {
    /// Whether the origin, or Apple's way to it, fails now, so that phones live on Apple's copy alone. Another place does not show
    /// that, and several versions of the file are an answer.
    fileprivate var isOriginFailing: Bool {
        findings.contains { finding in
            guard finding.severity == .error, case .origin(let matter) = finding.matter else { return false }
            return switch matter {
            case .vantageDiffers, .agentDiffers, .alternates: false
            case .addressesDiffer(let groups): !groups.areVersions
            default: true
            }
        }
    }

    /// When Apple's edges have dropped the failure that they keep: the last of them.
    fileprivate var failureEnd: Date {
        // A copy's lifetime is no failure's; a day is all that Apple documents.
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
