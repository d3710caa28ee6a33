// This machine's clock, which certificate dates depend on, compared with Apple's answers and other hosts' certificates.

import Facts
import Foundation

enum Clock: Equatable, Sendable {
    case right
    case untested
    /// According to Apple's answer.
    case wrong(ClockResult)
    /// Other hosts' certificates are refused for their dates.
    case refused

    /// Seconds. A smaller error does no harm.
    private static let slack: TimeInterval = 600

    /// `result`: set if Apple's answer has another time. `isDated`: Apple answered over a certificate that passed.
    init(_ result: ClockResult?, isDated: Bool, refusesOthers: Bool) {
        if let result, abs(result.ahead) > Self.slack {
            self = .wrong(result)
        } else {
            self = isDated ? .right : refusesOthers ? .refused : .untested
        }
    }

    /// nil if nothing is known to be wrong with it.
    var cause: MonitorCause? {
        switch self {
        case .right, .untested: nil
        case .wrong(let result): .clockIsWrong(ahead: Int(result.ahead))
        case .refused: .clockIsWrong(ahead: nil)
        }
    }

    /// Why this machine refuses a certificate for its dates; nil if the dates are wrong at the true time as well.
    func cause(ofRefusing chain: [CertificateFacts]) -> MonitorCause? {
        guard case .wrong(let result) = self else { return cause }
        let isGood = chain.linked.allSatisfy { certificate in
            certificate.notAfter.map { $0 > result.apple } ?? true
                && certificate.notBefore.map { $0 <= result.apple } ?? true
        }
        return isGood ? cause : nil
    }
}
