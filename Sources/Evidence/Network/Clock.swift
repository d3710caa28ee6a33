// This machine's clock, which certificate dates depend on, compared with Apple's answers and other hosts' certificates.

import Facts
import Foundation

enum Clock: Equatable, Sendable {
    case right
    case untested
    /// According to Apple's answer.
    case wrong(ClockLook)
    /// Other hosts' certificates are refused for their dates.
    case refused

    /// Seconds. A smaller error does no harm.
    private static let slack: TimeInterval = 600

    /// `look`: set if Apple's answer has another time. `isDated`: Apple answered over a certificate that passed.
    init(_ look: ClockLook?, isDated: Bool, refusesOthers: Bool) {
        if let look, abs(look.ahead) > Self.slack {
            self = .wrong(look)
        } else {
            self = isDated ? .right : refusesOthers ? .refused : .untested
        }
    }

    /// nil if nothing is known to be wrong with it.
    var cause: MonitorCause? {
        switch self {
        case .right, .untested: nil
        case .wrong(let look): .clockIsWrong(ahead: Int(look.ahead))
        case .refused: .clockIsWrong(ahead: nil)
        }
    }

    /// Why this machine refuses a certificate for its dates; nil if the dates are wrong at the true time as well.
    func cause(ofRefusing chain: [CertificateFacts]) -> MonitorCause? {
        guard case .wrong(let look) = self else { return cause }
        let isGood = chain.linked.allSatisfy { certificate in
            certificate.notAfter.map { $0 > look.apple } ?? true
                && certificate.notBefore.map { $0 <= look.apple } ?? true
        }
        return isGood ? cause : nil
    }
}
