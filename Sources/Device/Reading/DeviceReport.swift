// What a device reports about its associated domains: the state of swcd from `swcutil show`, or lines of swcd's log.
// https://developer.apple.com/documentation/technotes/tn3155-debugging-universal-links

import AASA
import Evidence
import Foundation

/// The state of swcd.
package struct DeviceReport: Equatable, Sendable {
    /// In the order of the report. Within a domain that is the order in which the device asks the apps.
    package var entries: [DeviceEntry] = []
    /// What the user chose for the links of an app: true opens the app. Apps without a choice are missing here.
    package var choices: [String: Bool] = [:]
    /// The domains whose files the device was asking for.
    package var asking: Set<Domain> = []
    /// Whether the report was made with `--verbose`, as in a sysdiagnose. Other reports have no patterns.
    package var isVerbose = false
    /// Settings > Developer > Associated Domains Development; nil if the report does not say.
    package var isDeveloperModeOn: Bool?
    package var origin = Origin()

    /// When and on which device the report was made, if an archive says so.
    package struct Origin: Equatable, Sendable {
        package var writtenAt: Date?
        /// `iPhone`, `iPad` or `Mac`.
        package var device: String?
    }

    package init() {}
}

/// What the device has of one service of one app for one domain.
package struct DeviceEntry: Equatable, Sendable {
    package var service = ""
    package var appID = ""
    /// As the entitlement has it, such as `*.example.com?mode=developer`.
    package var writtenDomain = ""
    /// The components that the device uses, as the report has them.
    package var patterns: String?
    package var variables: String?
    /// The report's word; LaunchServices does not read it.
    package var userApproval: Approval?
    /// Whether a file that the device read names the app.
    package var siteApproval: Approval?
    package var flags: Set<String> = []
    /// The last attempt.
    package var lastChecked: Date?
    package var nextCheck: Date?
    package var error: DeviceError?
    package var retries: Int?

    package init() {}

    package enum Approval: Equatable, Sendable {
        case approved, denied, unspecified
        case other(String)

        init(_ word: String) {
            switch word.lowercased() {
            case "approved": self = .approved
            case "denied": self = .denied
            case "unspecified": self = .unspecified
            default: self = .other(word.inSentence)
            }
        }

        package var word: String {
            switch self {
            case .approved: "approved"
            case .denied: "denied"
            case .unspecified: "unspecified"
            case .other(let word): word
            }
        }
    }

    /// The domain whose file decides, and how the device gets it; nil if the text cannot be an associated domain.
    package var target: Target? {
        // A target may be a URL; an entitlement may not.
        guard writtenDomain.utf8.count <= Self.longestDomain, !writtenDomain.contains(where: { "/:".contains($0) }),
            let target = try? Target(parsing: writtenDomain)
        else { return nil }
        let isFromOrigin = flags.contains("developer") && target.mode == .production
        return Target(domain: target.domain, mode: isFromOrigin ? .developer : target.mode, service: service)
    }

    /// Whether the entitlement is wrongly written as a URL of a domain.
    package func isURL(of domain: Domain) -> Bool {
        target == nil && Domain(device: Substring(writtenDomain)) == domain
    }

    /// A name of the maximum length in DNS, and a mode.
    private static let longestDomain = 300

    package var isWildcard: Bool { writtenDomain.hasPrefix("*.") }

    /// The domain without `?mode=`.
    package var name: String { String(writtenDomain.prefix { $0 != "?" }) }

    package var isOfSystem: Bool {
        !flags.isDisjoint(with: ["systemApplication", "systemPlaceholder"]) || appID.hasPrefix("com.apple.")
    }

    /// Whether this entry applies to links of a host.
    package func covers(_ host: Domain) -> Bool {
        guard let target else { return false }
        return target.domain == host || isWildcard && host.name.hasSuffix(".\(target.domain.name)")
    }
}

/// An error as a device reports it.
package struct DeviceError: Equatable, Sendable {
    /// Such as `SWCErrorDomain`; empty if the text names none.
    package let domain: String
    package let code: Int?
    /// The error's own words, if it has any.
    package let words: String?
    /// Apple's reason, as its CDN gave it to the device.
    package let apple: CrawlerFailure?

    package init(_ text: String) {
        let text = text.shortened(to: 4_000)
        let name = Self.name(in: text)
        domain = name?.domain ?? ""
        code = name?.code
        // `Error Domain=… Code=… "…" UserInfo={…}`
        let quoted = name.flatMap { text[$0.end...].prefixMatch(of: /[ :]*"([^"]+)"/) }
        words =
            quoted.map { String($0.1).inSentence }.flatMap { $0 == "(null)" ? nil : $0 }
            ?? (name == nil && !text.isEmpty ? text.inSentence : nil)
        apple = CrawlerFailure(inText: text)
    }

    /// `SWCErrorDomain 7`, `SWCErrorDomain error 7`, `Error Domain=SWCErrorDomain Code=7`. Without a regular expression, whose
    /// steps grow with the square of a long word.
    private static func name(in text: String) -> (domain: String, code: Int, end: String.Index)? {
        for place in text.ranges(of: "Domain").prefix(8) {
            let letters = text[..<place.lowerBound].reversed().prefix { $0.isLetter }
            let rest = text[place.upperBound...]
            guard !letters.isEmpty, let number = rest.prefixMatch(of: /[ ,]{1,4}(?:Code=|error |code )?(-?\d{1,9})/),
                let code = Int(number.1)
            else { continue }
            return (String(letters.reversed()) + "Domain", code, number.range.upperBound)
        }
        return nil
    }

    /// `SWCErrorDomain 7`.
    package var name: String { code.map { "\(domain) \($0)" } ?? domain }
}

extension Domain {
    /// From a report, with `*.` and `?mode=`; nil if the text is not a domain.
    init?(device text: Substring) {
        guard text.utf8.count <= 300, let domain = try? Target(parsing: String(text)).domain else { return nil }
        self = domain
    }
}

extension CrawlerFailure {
    /// Apple's reason within a longer text: `SWCERR00101 Bad HTTP Response: 403 Forbidden -- {"status":"403 Forbidden"}`
    init?(inText text: String) {
        guard let match = text.firstMatch(of: /SWCERR\d+[^"\n]*?(?= -- |["\n}]|$)/) else { return nil }
        let details = text[match.range.upperBound...].prefixMatch(of: /\x20-- (\{[^\n]*?\})/)
        self.init(reason: String(match.0), details: details.map { String($0.1) })
    }
}

/// Lines of swcd's log.
package struct DeviceLog: Equatable, Sendable {
    package var events: [DeviceEvent] = []
    package init() {}
}

/// What one line of swcd's log says.
package struct DeviceEvent: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case failed(DeviceError)
        /// The device noted that an app claims a domain.
        case added(service: String, appID: String)
    }

    package let kind: Kind
    /// Lower case, without `*.`; nil if the line names none.
    package let domain: Domain?
    package let at: Date?

    var error: DeviceError? { if case .failed(let error) = kind { error } else { nil } }
}
