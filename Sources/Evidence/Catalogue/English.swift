// The English catalogue, a file for each area of causes. It alone has sentences of diagnoses; style: words.md.

import Foundation

package enum English {
    /// `findings`: those of the same check. Some causes are the words of one of them.
    package static func text(of diagnosis: Diagnosis, findings: [Finding]) -> DiagnosisText {
        let words = words(diagnosis.cause, findings)
        return DiagnosisText(
            effect: text(of: diagnosis.effect), cause: words.why, action: words.action,
            outlook: diagnosis.outlook.map(text))
    }

    static func words(_ cause: Cause, _ findings: [Finding]) -> CauseText {
        switch cause {
        case .origin(let cause): words(cause)
        case .access(let cause): words(cause)
        case .crawler(let cause): words(cause)
        case .copy(let cause): words(cause)
        case .file(let cause): words(cause, findings)
        case .monitor(let cause): words(cause)
        }
    }

    // MARK: - Words of several areas

    /// What was given, as the end of a sentence about who gives it.
    static func words(_ given: Given, isOther: Bool = false) -> String {
        switch given {
        case .file(let hash): "serves \(isOther ? "another" : "a") file (SHA-256 \(hash)…)"
        case .page: "serves an HTML page in place of the file"
        case .noFile: "serves something that is no such file"
        case .partial: "does not send the whole file"
        case .redirect(let target): target.isEmpty ? "redirects without saying where to" : "redirects to \(target)"
        case .status(let status): "answers with status \(status)"
        case .certificate(let problem): "shows a certificate that is refused" + (problem.map { " (\($0.words))" } ?? "")
        case .failed(let kind, let phase): words(kind, phase)
        }
    }

    /// A failure, as the end of a sentence about the server.
    static func words(_ kind: Failure.Kind, _ phase: Failure.Phase) -> String {
        switch kind {
        case .nameNotFound: "has a name that does not resolve"
        case .noIPv4Address: "has no IPv4 address"
        case .noIPv6Address: "has no IPv6 address"
        case .connectionRefused: "refuses connections"
        case .unreachable: "cannot be reached (no route)"
        case .timedOut:
            switch phase {
            case .resolving: "has name servers that do not answer in time"
            case .connecting: "does not take the connection in time"
            case .handshaking: "does not finish the TLS handshake in time"
            case .waiting: "takes the request and does not answer in time"
            case .receiving: "does not finish the headers of its answer in time"
            }
        case .connectionReset:
            phase == .receiving ? "breaks off in the headers of its answer" : "ends the connection without an answer"
        case .truncated: "breaks off in the headers of its answer"
        case .tlsHandshake: "fails the TLS handshake"
        case .tlsVersion: "offers only TLS versions that are too old"
        case .certificate: "shows a certificate that is refused"
        case .headersTooLarge: "sends headers without end"
        case .malformedAnswer: "answers with something that is no HTTP"
        case .badEncoding: "sends a body that cannot be decompressed"
        case .privateAddress: "leads to a private or reserved address"
        case .noAddress: "has no address"
        case .nameServerFailure, .noNameServer: "could not be asked, since no name server gave its address"
        case .proxy: "could not be asked, since the proxy failed"
        case .own: "could not be asked from here"
        case .intercepted: "could not be asked, since something in this network opens TLS"
        }
    }

    /// `192.0.2.2 refuses connections, 192.0.2.3 answers with status 404`.
    static func words(_ groups: [GivenAt]) -> String {
        groups.map(words).listed(upTo: 4)
    }

    static func words(_ group: GivenAt) -> String {
        let places = places(group)
        return "\(places.listed(upTo: 2))\(places.count > 1 ? " each" : "") \(words(group.given))"
    }

    static func places(_ group: GivenAt) -> [String] {
        group.places + [group.again].compactMap(\.self).map { "\($0) at another moment" }
    }

    static func words(_ listing: Listing) -> String {
        listing.names.joined(separator: ", ") + (listing.more > 0 ? " and \(listing.more) more" : "")
    }

    /// `Timeout`: Apple's words without the code, or the code where there is nothing else.
    static func words(_ word: AppleWord) -> String { word.reason.isEmpty ? word.code ?? "no reason" : word.reason }

    /// `1 Timeout, 2 Bad HTTP Response: 403 Forbidden`; one reason alone has no count.
    static func words(_ reasons: [AbsenceReason]) -> String {
        func one(_ reason: AbsenceReason) -> String { reason.word.map(words) ?? "no reason given" }
        guard reasons.count > 1 else { return reasons.first.map(one) ?? "no reason given" }
        return reasons.map { "\($0.count) \(one($0))" }.listed(upTo: 4)
    }

    static func age(_ seconds: Int) -> String { TimeInterval(seconds).inWords }

    static func seconds(_ milliseconds: Int) -> String { (Double(milliseconds) / 1000).inWords }

    /// `21 Nov 2026`.
    static func day(_ date: Date) -> String { date.formatted(style.day().month(.abbreviated).year()) }

    /// `21 Nov 15:13 UTC`.
    static func instant(_ date: Date) -> String {
        let clock = style.hour(.twoDigits(amPM: .omitted)).minute(.twoDigits)
        return "\(date.formatted(style.day().month(.abbreviated))) \(date.formatted(clock)) UTC"
    }

    private static let style = Date.FormatStyle(
        locale: Locale(identifier: "en_GB"), timeZone: TimeZone(secondsFromGMT: 0) ?? .gmt)
}
