// The receiver of a channel, and its moods.

import Alerting
import Evidence
import Facts
import Foundation
import Monitoring

struct SimulatedReceiver {
    enum Mood: String, CaseIterable {
        case well, flaky, throttling, hanging, dead, resetting, refusing, rejecting, redirecting, badCertificate
        /// Answers every message with 400, or every message with 429.
        case rejectingAll, throttlingAll
        /// A login page with status 200 in front of the service.
        case gate
    }

    /// What became of one request: whether the receiver accepted it, and what the sender sees.
    struct Reaction {
        var isAccepted: Bool
        let answer: TransportAnswer
        /// Milliseconds.
        let latency: Int64

        /// Whether the sender can be sure that the receiver does not have the message.
        var isRefused: Bool {
            guard let status = answer.status, !isAccepted else { return answer.fault?.wasSent == false }
            // An answer that is not the service's own, such as a login page with status 200, delivers nothing.
            return asksToWait || status == 200 || (300..<500).contains(status) && status != 408 && status != 425
        }

        /// The request left, and no answer came back.
        var isUnanswered: Bool {
            answer.status == nil && answer.fault?.kind == .network && answer.fault?.wasSent == true
        }

        var asksToWait: Bool {
            answer.status == 429 || answer.status == 503 && answer.headers.contains { $0.name == "Retry-After" }
        }

        /// The receiver has read the message and refused it.
        var isRejection: Bool { [400, 413, 422].contains(answer.status ?? 0) }

        /// The sender reads a clear acceptance.
        var isConfirmed: Bool { isAccepted && answer.status.map { (200..<300).contains($0) } ?? false }
    }

    let kind: ChannelKind
    var mood = Mood.well

    /// Moods that end within the life of most messages are frequent, days of silence rare.
    mutating func change(_ dice: inout Dice) -> Int64 {
        if mood != .well, dice.happens(0.8) {
            mood = .well
            return dice.hours(mean: 20)
        }
        mood = dice.pick(Mood.allCases) ?? .well
        return switch mood {
        case .well: dice.hours(mean: 20)
        case .dead, .refusing: dice.happens(0.1) ? dice.hours(20...100) : dice.hours(mean: 4)
        case .rejectingAll, .throttlingAll: dice.hours(1...12)
        default: dice.hours(mean: 3)
        }
    }

    func react(_ dice: inout Dice, wall: Int64) -> Reaction {
        switch mood {
        case .well: return accepted(latency: Int64(dice.number(20...900)))
        case .flaky:
            if dice.happens(0.4) { return accepted(latency: 300) }
            let status = dice.pick([500, 502, 503, 504, 408, 425]) ?? 500
            return refused(status, latency: 200)
        case .throttling:
            if dice.happens(0.3) { return accepted(latency: 100) }
            return throttled(&dice, wall)
        case .hanging: return fault(isAccepted: dice.happens(0.4), "timed out", latency: 15_000)
        case .dead: return fault(isAccepted: false, "connection refused", wasSent: false, latency: 5)
        case .resetting: return fault(isAccepted: dice.happens(0.7), "connection reset", latency: 50)
        case .refusing: return refused(dice.pick([401, 403, 404, 410]) ?? 403, latency: 50)
        case .rejecting:
            if dice.happens(0.7) { return accepted(latency: 50) }
            return refused(dice.pick([400, 413, 422]) ?? 400, latency: 50)
        case .rejectingAll: return refused(400, latency: 50)
        case .throttlingAll: return throttled(&dice, wall)
        case .redirecting: return refused(302, latency: 50)
        case .gate:
            return Reaction(
                // The operator's own receiver keeps every message that it answers with success.
                isAccepted: kind == .webhook || kind == .alertmanager,
                answer: TransportAnswer(status: 200, body: Data("<html><title>Sign in</title></html>".utf8)),
                latency: 50)
        case .badCertificate:
            return Reaction(
                isAccepted: false,
                answer: TransportAnswer(
                    status: nil, fault: TransportFault(kind: .certificate, detail: "expired", wasSent: false)),
                latency: 60)
        }
    }

    private func accepted(latency: Int64) -> Reaction {
        let answer =
            switch kind {
            case .slack: TransportAnswer(status: 200, body: Data("ok".utf8))
            case .pagerduty: TransportAnswer(status: 202, body: Data(#"{"status":"success"}"#.utf8))
            default: TransportAnswer(status: 200)
            }
        return Reaction(isAccepted: true, answer: answer, latency: latency)
    }

    private func refused(_ status: Int, latency: Int64) -> Reaction {
        Reaction(isAccepted: false, answer: TransportAnswer(status: status, body: Data("no".utf8)), latency: latency)
    }

    private func fault(isAccepted: Bool, _ words: String, wasSent: Bool = true, latency: Int64) -> Reaction {
        Reaction(
            isAccepted: isAccepted,
            answer: TransportAnswer(
                status: nil, fault: TransportFault(kind: .network, detail: words, wasSent: wasSent)),
            latency: latency)
    }

    /// Every observed way to ask the sender to wait.
    private func throttled(_ dice: inout Dice, _ wall: Int64) -> Reaction {
        var headers: [HeaderField] = []
        var body = Data()
        var status = 429
        switch dice.number(0...7) {
        case 0: headers = [HeaderField(name: "Retry-After", value: "\(dice.number(1...120))")]
        case 1: headers = [HeaderField(name: "Retry-After", value: "0")]
        case 2: headers = [HeaderField(name: "Retry-After", value: "-5")]
        case 3: headers = [HeaderField(name: "Retry-After", value: "99999999999999999999")]
        case 4:
            let date = Date(timeIntervalSince1970: Double(wall / 1000 + Int64(dice.number(1...600))))
            headers = [HeaderField(name: "Retry-After", value: Self.httpDate(date))]
        case 5: body = Data(#"{"message":"slow down","retry_after":1.5,"global":false}"#.utf8)
        case 6:
            status = 503
            headers = [HeaderField(name: "Retry-After", value: "30")]
        default: break
        }
        return Reaction(
            isAccepted: false, answer: TransportAnswer(status: status, headers: headers, body: body), latency: 40)
    }

    private static func httpDate(_ date: Date) -> String {
        date.formatted(
            Date.VerbatimFormatStyle(
                format:
                    "\(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .defaultDigits) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits) GMT",
                locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt, calendar: Calendar(identifier: .gregorian)))
    }
}
