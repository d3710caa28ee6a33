// It works: with a risk, or as it should. Even then phones are late, and people ask why.

import Foundation

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
        case .file(.lint), .file(.moreLint): .file(.warning(finding.rule))
        default: .file(.finding(finding.rule))
        }
    }

    /// The trouble that most edges answer with.
    private var edgeTrouble: Cause? {
        let survey = EdgeSurvey(check.readings)
        let troubles = survey.silent.filter { $0.retrieval.answer != nil }.compactMap {
            CDNFault($0.retrieval)
        }
        guard let group = Groups(troubles.map { ($0.family, $0) }).members.first, let first = group.first else {
            return nil
        }
        return .copy(.edgeTrouble(group.count, of: survey.asked, first))
    }
}
