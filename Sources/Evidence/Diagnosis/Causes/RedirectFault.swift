// Redirects that no client follows, or that Apple refuses.

package enum RedirectFault: Codable, Equatable, Sendable {
    /// To a URL that is not HTTPS, where it stopped.
    case insecure(String)
    /// By way of plain HTTP.
    case byInsecure(String)
    case circle
    case tooMany(hops: Int)
    /// Without saying where to.
    case nowhere(status: Int)
    case unreadable(status: Int, location: String)
    case privateAddress(String)
    case login(String)
    case otherSite(String)

    /// Why a redirect was not followed; nil where none stopped.
    init?(stopOf retrieval: Retrieval) {
        guard let stop = retrieval.redirectStop, let last = retrieval.redirects.last else { return nil }
        let target = last.target?.inSentence
        let location = (last.location ?? "").inSentence
        self =
            switch stop {
            case .insecure: .insecure(target ?? location)
            case .loop: .circle
            case .tooMany: .tooMany(hops: retrieval.redirects.count)
            case .unreadable where location.isEmpty: .nowhere(status: last.status)
            case .unreadable: .unreadable(status: last.status, location: location)
            case .privateAddress: .privateAddress(target ?? location)
            }
    }

    var rule: Rule {
        switch self {
        case .insecure, .byInsecure: .origin("redirect-insecure")
        case .circle, .tooMany: .origin("redirect-loop")
        case .nowhere, .unreadable, .login, .otherSite: .origin("redirect")
        case .privateAddress: .origin("not-public-address")
        }
    }
}
