// Headers such as `X-RateLimit-Reset`, which hold an instant with some services and a span with others.

import Foundation

enum ResetWait {
    /// How long to wait, within the bounds of `Retry-After`; nil where the header says nothing.
    /// Numbers of a billion and more are Unix times, smaller ones are seconds to wait.
    static func seconds(_ answer: TransportAnswer, header: String, now: Date) -> Duration? {
        guard let text = answer.header(header), let number = Double(text), number.isFinite, number >= 0 else {
            return nil
        }
        let wait = number >= 1_000_000_000 ? number - now.timeIntervalSince1970 : number
        return min(max(.seconds(min(max(wait, 0), 86_400)), RetryAfter.shortest), RetryAfter.longest)
    }
}
