// The table of answers that holds where a service's own rules say nothing else.

import Foundation

enum Classification {
    static func outcome(of answer: TransportAnswer, now: Date) -> Outcome {
        guard let status = answer.status else {
            return switch answer.fault?.kind {
            case .address, .program: .permanentChannel(gone: false)
            case .network, .certificate, nil: .transient
            }
        }
        let wait = RetryAfter.read(answer, now: now)
        return switch status {
        case 200...299: .delivered
        // Never followed: the signature and the secret are meant for this receiver, and the target may be anything.
        case 300...399: .permanentChannel(gone: false)
        case 400, 413, 422: .permanentMessage
        case 410: .permanentChannel(gone: true)
        case 408, 425: .transient
        case 429: .throttled(after: wait)
        case 503 where wait != nil: .throttled(after: wait)
        case 500...599: .transient
        // 401, 403, 404 and the rest of the 400s: the message is not at fault.
        default: .permanentChannel(gone: false)
        }
    }
}

/// `Retry-After` and its kin in JSON bodies. RFC 9110, section 10.2.3.
enum RetryAfter {
    static let shortest = Duration.seconds(1)
    static let longest = Duration.seconds(3600)

    /// The larger of what header and body say, at least a second and at most an hour; nil where neither says anything.
    static func read(_ answer: TransportAnswer, now: Date) -> Duration? {
        let seconds = [header(answer.header("retry-after"), now: now), body(answer)].compactMap(\.self).max()
        guard let seconds else { return nil }
        return min(max(.seconds(seconds), shortest), longest)
    }

    private static func header(_ value: String?, now: Date) -> Double? {
        guard let value = value?.trimmingCharacters(in: .whitespaces), !value.isEmpty else { return nil }
        if value.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            return bounded(Double(value))
        }
        guard let date = try? Date(value, strategy: imfDate) else { return nil }
        return bounded(max(0, date.timeIntervalSince(now)))
    }

    private static func body(_ answer: TransportAnswer) -> Double? {
        struct Hint: Decodable { let retry_after: Double }
        return bounded((try? JSONDecoder().decode(Hint.self, from: answer.body))?.retry_after)
    }

    /// A negative number is no wish; a huge one must not overflow a `Duration`.
    private static func bounded(_ seconds: Double?) -> Double? {
        guard let seconds, seconds >= 0 else { return nil }
        return min(seconds, 86400)
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`.
    private static let imfDate = Date.ParseStrategy(
        format:
            "\(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .defaultDigits) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits) \(timeZone: .specificName(.short))",
        locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt)
}
