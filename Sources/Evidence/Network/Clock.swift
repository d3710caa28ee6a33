// This machine's clock, by which certificates are dated: what Apple's answers and the certificates of others say of it.

import Facts
import Foundation

enum Clock: Equatable, Sendable {
    case right
    case untested
    /// By Apple's answer.
    case wrong(ClockLook)
    /// Certificates of others are refused for their dates.
    case refused

    /// Off by fewer seconds than this, a clock harms no judgement.
    private static let slack: TimeInterval = 600

    /// `look`: where Apple's answer tells another time. `isDated`: whether Apple answered over a certificate that passed.
    init(_ look: ClockLook?, isDated: Bool, refusesOthers: Bool) {
        if let look, abs(look.ahead) > Self.slack {
            self = .wrong(look)
        } else {
            self = isDated ? .right : refusesOthers ? .refused : .untested
        }
    }

    /// nil: nothing is known to be wrong with it.
    var cause: MonitorCause? {
        switch self {
        case .right, .untested: nil
        case .wrong(let look): .clockIsWrong(ahead: Int(look.ahead))
        case .refused: .clockIsWrong(ahead: nil)
        }
    }

    /// Why this machine refuses a certificate for its dates; nil where those are bad at the true time as well.
    func cause(ofRefusing chain: [CertificateFacts]) -> MonitorCause? {
        guard case .wrong(let look) = self else { return cause }
        let isGood = chain.linked.allSatisfy { certificate in
            certificate.notAfter.map { $0 > look.apple } ?? true
                && certificate.notBefore.map { $0 <= look.apple } ?? true
        }
        return isGood ? cause : nil
    }
}
