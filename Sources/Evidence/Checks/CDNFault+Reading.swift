// The CDN's own trouble, or that of the way to it: not the site's fault.

import Foundation

extension CDNFault {
    /// Nil where the retrieval says something about the file.
    init?(_ retrieval: Retrieval) {
        guard !retrieval.speaksOfFile else { return nil }
        switch retrieval.outcome {
        case .failed(let failure): self = .failed(failure.kind, failure.phase)
        case .answered(let answer) where answer.speaksOfFile: self = .cutShort
        case .answered(let answer):
            switch answer.status {
            case 429: self = .rateLimited(pause: answer.pause)
            case 500...: self = .ownTrouble(status: answer.status, pause: answer.pause)
            default: self = .notApple(status: answer.status)
            }
        }
    }

    /// The same for edges that ask for different pauses.
    var withoutPause: CDNFault {
        switch self {
        case .rateLimited: .rateLimited(pause: 0)
        case .ownTrouble(let status, _): .ownTrouble(status: status, pause: 0)
        case .failed, .cutShort, .notApple: self
        }
    }
}

extension Retrieval {
    /// Of the URL that was asked for.
    var host: String { URLComponents(string: url)?.host ?? "" }
}

extension Answer {
    /// How long to leave a CDN alone that is in trouble, in seconds, as it asks for it itself; a day at most.
    fileprivate var pause: Int {
        let asked = header("retry-after").flatMap { Int($0.trimmingCharacters(in: .whitespaces)) } ?? secondsUntilExpiry
        return asked.map { min(max($0, 60), 86_400) } ?? (status == 429 ? 3600 : 300)
    }
}
