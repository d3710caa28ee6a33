// Apple's own reason why its CDN has no copy: the Apple-Failure-* headers of a CDN answer. Apple publishes no list of
// the codes, so an unknown code is kept verbatim and classified by its hundred.

import AASA
import Facts
import Foundation

package struct CrawlerFailure: Equatable, Sendable {
    /// Such as `SWCERR00101`; nil if the header does not begin with a code.
    package let code: String?
    /// The text after the code, or the whole header; cleaned for display.
    package let reason: String
    /// The members of `Apple-Failure-Details` that are strings, numbers or booleans; at most 16. A header that is not a
    /// JSON object is kept verbatim under `raw`.
    package let details: [String: String]
    package let tryDirect: Bool?

    package enum Family: Sendable {
        /// 001xx: the crawler reached the origin and got a status other than 200.
        case status
        /// 002xx: the crawler's own policy refused to ask, because of the address (00202) or the name.
        case address
        /// 003xx: no answer, or none in time.
        case network
        /// 004xx: the content was refused.
        case content
        case unknown
    }

    /// - Returns: nil if the answer has no reason: it then says nothing about the origin.
    package init?(_ answer: Answer) {
        guard let reason = answer.failureReason else { return nil }
        self.init(
            reason: reason, details: answer.header("apple-failure-details"),
            tryDirect: answer.header("apple-try-direct").flatMap { Bool($0.lowercased()) })
    }

    /// From the values of the headers; a device's log has them too.
    package init(reason header: String, details: String?, tryDirect: Bool? = nil) {
        let text = header.displayable.shortened(to: 500)
        let first = text.prefix { $0 != " " }
        if first.hasPrefix("SWCERR"), first.dropFirst(6).isOfDigits {
            code = String(first)
            reason = text.dropFirst(first.count).trimmingCharacters(in: .whitespaces)
        } else {
            code = nil
            reason = text
        }
        self.tryDirect = tryDirect
        self.details = details.map(Self.details) ?? [:]
    }

    private static func details(_ header: String) -> [String: String] {
        guard !header.allSatisfy(\.isWhitespace) else { return [:] }
        guard let members = try? JSONDocument(parsing: Array(header.utf8)).root.members else {
            return ["raw": header.displayable.shortened(to: 500)]
        }
        var details: [String: String] = [:]
        // In the order of the text: the same header always gives the same details.
        for member in members.prefix(16) {
            let value: String
            switch member.value.value {
            case .string(let text), .number(let text): value = text
            case .bool(let truth): value = "\(truth)"
            default: continue
            }
            details[member.key.displayable.shortened(to: 100)] = value.displayable.shortened(to: 500)
        }
        return details
    }

    /// Code and reason as one text.
    package var words: String { [code ?? "", reason].filter { !$0.isEmpty }.joined(separator: " ") }

    package var family: Family {
        guard let code else { return .unknown }
        switch code.dropFirst(6).prefix(3) {
        case "001": return .status
        case "002": return .address
        case "003": return .network
        case "004": return .content
        default: return .unknown
        }
    }

    /// The HTTP status that Apple's crawler got; only for the family `status`.
    package var originStatus: Int? {
        guard family == .status else { return nil }
        let text = details["status"] ?? reason.split(separator: ":").last.map(String.init) ?? ""
        return text.split(separator: " ").lazy.compactMap { Int($0) }.first
    }

    /// What stopped Apple's crawler on the way, if its words show it. They are those of Go's HTTP client, in which
    /// Apple's crawler was seen to be written.
    package enum Cause: String, Codable, Sendable, CaseIterable {
        case certificateDates = "certificate_dates"
        case certificateName = "certificate_name"
        case certificate, tls, name, refused, redirects
    }

    package var cause: Cause? {
        let words = ([reason] + details.values.sorted()).joined(separator: " ").lowercased()
        return Cause.allCases.first { cause in cause.signs.contains { words.contains($0) } }
    }
}

extension CrawlerFailure.Cause {
    /// In lower case. A time-out during the handshake counts as a time-out, so there is no sign for it.
    fileprivate var signs: [String] {
        switch self {
        case .certificateDates:
            ["certificate has expired", "expired or is not yet valid", "certificate is not yet valid"]
        case .certificateName:
            ["certificate is valid for", "certificate is not valid for", "doesn't contain any ip sans"]
        case .certificate: ["x509", "certificate"]
        case .tls: ["remote error: tls", "tls: "]
        case .name: ["no such host", "server misbehaving", "nxdomain"]
        case .refused: ["connection refused", "connection reset", "no route to host", "network is unreachable"]
        case .redirects: ["redirect"]
        }
    }
}

extension Retrieval {
    /// Whether the CDN's answer is complete and says anything about the file.
    package var isAboutFile: Bool { answer.map { $0.isAboutFile && $0.body.end == .complete } ?? false }
}

extension Answer {
    /// Whether a CDN's answer says anything about the file: its content, its absence, or Apple's own reason. An answer
    /// about something else (a failure of the CDN, a gate in the network) says nothing.
    package var isAboutFile: Bool {
        // Apple's CDN says "no file" with 404; 401, 403 and the like come from a gate on the way. Apple's answers name
        // their origin, and are never pages.
        let isForeignPage = status == 200 && isPage && !isOfApple
        return failureReason != nil || [200, 404, 410].contains(status) && !isForeignPage
    }

    /// Whether an answer in place of Apple's CDN is not Apple's and not a server error: a login page, a filter, or
    /// a redirect to one of them.
    var isForeign: Bool { !isAboutFile && !isOfApple && (status < 500 && status != 429 || status == 511) }

    /// Whether its headers are those of Apple's CDN, at any status: a hop of Apple's edges, or Apple's own headers. An
    /// answer of a gate in this machine's network (511) is not Apple's.
    var isOfApple: Bool {
        guard status != 511 else { return false }
        let isHop = header("via")?.lowercased().contains(".ts.apple.com") == true
        return isHop || header("cdnuuid") != nil || headers.contains { $0.name.hasPrefix("apple-") }
    }

    /// The media type in lower case, without parameters; empty if absent.
    var mediaType: String {
        header("content-type")?.prefix { $0 != ";" }.withoutBlanks.lowercased() ?? ""
    }

    /// Whether its Content-Type is that of a web page.
    var isPage: Bool { ["text/html", "application/xhtml+xml"].contains(mediaType) }

    /// Apple's reason; nil if the header is absent or empty.
    var failureReason: String? {
        header("apple-failure-reason").flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
    }

    /// `max-age` of Cache-Control, in seconds: how long an edge may keep this answer.
    package var maxAge: Int? {
        header("cache-control")?.lowercased().split(separator: ",").lazy
            .map(\.withoutBlanks)
            .compactMap { $0.hasPrefix("max-age=") ? Int($0.dropFirst("max-age=".count)) : nil }
            .first { $0 >= 0 }
            .map { min($0, Self.largestAge) }
    }

    /// Seconds that this answer has spent in the edge's cache.
    package var age: Int? {
        header("age").flatMap { Int($0) }
            .flatMap { $0 >= 0 ? min($0, Self.largestAge) : nil }
    }

    /// Seconds: https://www.rfc-editor.org/rfc/rfc9111#section-1.2.2
    private static let largestAge = 1 << 31

    /// Seconds until the edge must ask again; nil if it does not say.
    package var secondsUntilExpiry: Int? { maxAge.map { max(0, $0 - (age ?? 0)) } }
}

/// What kept Apple's crawler from the file. Troubles with different advice are different cases.
package enum CrawlerTrouble: Hashable, Codable, Sendable {
    case refusal, absence, redirect, outage, rateLimit, status, address, silence, content, unknown
    case connection(CrawlerFailure.Cause)
}

extension CrawlerFailure {
    /// Statuses with which servers turn unwanted clients away.
    private static let refusals: Set<Int> = [401, 403, 405, 406, 407, 451]

    private var isOfPrivateAddress: Bool {
        code == "SWCERR00202" || ["private", "reserved"].contains(where: reason.lowercased().contains)
    }

    /// Whether Apple refused the content because it is not JSON.
    var isOfJSON: Bool { reason.lowercased().contains("json") }

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
        // Another code of this hundred is about something else, such as the name.
        case .address where isOfPrivateAddress: .address
        case .address: .unknown
        case .network: cause.map(CrawlerTrouble.connection) ?? .silence
        case .content: .content
        case .unknown: cause.map(CrawlerTrouble.connection) ?? .unknown
        }
    }
}
