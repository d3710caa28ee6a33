// What Apple's failure codes mean.

/// What kept Apple's crawler from the file, as finely as the advice differs.
package enum CrawlerTrouble: Hashable, Codable, Sendable {
    case refusal, absence, redirect, outage, rateLimit, status, address, silence, content, unknown
    case connection(CrawlerFailure.Cause)
}

extension CrawlerFailure {
    /// Statuses by which servers send clients away that they do not want.
    private static let refusals: Set<Int> = [401, 403, 405, 406, 407, 451]

    var trouble: CrawlerTrouble {
        switch family {
        case .status:
            switch originStatus {
            case .some(let status) where Self.refusals.contains(status): .refusal
            case 404, 410: .absence
            case .some(300..<400): .redirect
            case 429: .rateLimit
            case .some(500..<600): .outage
            default: .status
            }
        case .address: .address
        case .network: cause.map(CrawlerTrouble.connection) ?? .silence
        case .content: .content
        case .unknown: cause.map(CrawlerTrouble.connection) ?? .unknown
        }
    }
}
