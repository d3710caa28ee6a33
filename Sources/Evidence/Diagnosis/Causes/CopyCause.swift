// The origin is fine; Apple's copy may not be, or all is well.

package enum CopyCause: Codable, Equatable, Sendable {
    case edgesWithoutCopy(Int, of: Int, [AbsenceReason])
    case edgesCatchingUp(Int, of: Int, lagSeconds: Int)
    case edgesDiffer(EdgeTally, lagSeconds: Int?)
    /// Edges that answer with trouble of their own.
    case edgeTrouble(Int, of: Int, CDNFault)
    case missing
    case failsBesideCopy(AppleWord, CrawlerTrouble)
    /// `app`: of the service, where the copy has the service but not the app.
    case lacksService(String, app: String?, lagSeconds: Int?)
    case hasOtherApp(old: String, new: String, lagSeconds: Int?)
    case stale(lagSeconds: Int)
    case propagating(lagSeconds: Int)
    case badCopy
    case divergent
    case unreachable(CDNFault)
    case inSyncInternational
    case inSync
    case otherMode(AssociationMode)
    /// The origin's file is fine; nothing is known of the copy.
    case originFine

    var id: DiagnosisID {
        switch self {
        case .edgesWithoutCopy: .edgesWithoutCopy
        case .edgesCatchingUp: .edgesCatchingUp
        case .edgesDiffer: .edgesDiffer
        case .edgeTrouble: .edgeTrouble
        case .missing: .cdnMissing
        case .failsBesideCopy: .crawlerFailsBesideCopy
        case .lacksService: .copyLacksService
        case .hasOtherApp: .copyHasOtherApp
        case .stale: .cdnStale
        case .propagating: .cdnPropagating
        case .badCopy: .badCopy
        case .divergent: .cdnDivergent
        case .unreachable: .cdnUnreachable
        case .inSyncInternational: .inSyncInternational
        case .inSync: .inSync
        case .otherMode: .otherMode
        case .originFine: .originFine
        }
    }
}

/// Why an answer of the CDN, or none, says nothing about the file.
package enum CDNFault: Codable, Hashable, Sendable {
    case failed(Failure.Kind, Failure.Phase)
    case cutShort
    /// `pause`: seconds, as far as it asks for it.
    case rateLimited(pause: Int)
    case ownTrouble(status: Int, pause: Int)
    case notApple(status: Int)

    /// Which of them it is: edges in one kind of trouble are counted together.
    var family: String {
        switch self {
        case .failed(let kind, _): kind.rawValue
        case .cutShort: "cut_short"
        case .rateLimited: "rate_limited"
        case .ownTrouble: "own_trouble"
        case .notApple: "not_apple"
        }
    }
}
