// Apple's own word on its crawler, where the origin looks fine from here.

package enum CrawlerCause: Codable, Equatable, Sendable {
    case various([AbsenceReason])
    case refusedByAddress(status: Int)
    case refused(status: Int)
    case remembersAbsence(status: Int)
    /// Apple asked after the file was there.
    case stillAbsent(status: Int)
    /// `target`: where this machine is redirected to as well.
    case redirected(AppleWord, target: String?)
    case metOutage(AppleWord)
    case rateLimited(AppleWord)
    case otherStatus(AppleWord)
    case noAnswerIPv6([GivenAt])
    case noAnswerAddress([GivenAt], of: Int)
    case connection(CrawlerFailure.Cause, words: String)
    case noAnswerSlow(milliseconds: Int)
    case noAnswerFirewall(words: String)
    case noAnswer(words: String)
    case content
    case unknown(AppleWord)

    var id: DiagnosisID {
        switch self {
        case .various: .crawlerSaysVarious
        case .refusedByAddress: .crawlerRefusedByAddress
        case .refused: .crawlerRefused
        case .remembersAbsence: .crawlerRemembersAbsence
        case .stillAbsent: .crawlerStillAbsent
        case .redirected: .crawlerRedirected
        case .metOutage: .crawlerMetOutage
        case .rateLimited: .crawlerRateLimited
        case .otherStatus: .crawlerOtherStatus
        case .noAnswerIPv6: .crawlerTimeoutIPv6
        case .noAnswerAddress: .crawlerTimeoutAddress
        case .connection: .crawlerCause
        case .noAnswerSlow: .crawlerTimeoutSlow
        case .noAnswerFirewall: .crawlerTimeoutFirewall
        case .noAnswer: .crawlerTimeout
        case .content: .crawlerContent
        case .unknown: .crawlerUnknown
        }
    }
}

/// One reason for which edges have no copy, and how many give it.
package struct AbsenceReason: Codable, Equatable, Sendable {
    package var count: Int
    /// nil: Apple gives none.
    package var word: AppleWord?
    package var trouble: CrawlerTrouble

    package init(count: Int, word: AppleWord?, trouble: CrawlerTrouble) {
        self.count = count
        self.word = word
        self.trouble = trouble
    }
}
