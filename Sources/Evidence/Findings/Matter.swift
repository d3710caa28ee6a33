// What a finding is about, an enum for each area.

package enum Matter: Codable, Equatable, Sendable {
    case origin(OriginMatter)
    case cdn(CDNMatter)
    case file(FileMatter)
    case monitor(MonitorCause)
    /// A vantage whose own way fails; `detail`: of the network library.
    case vantageFailed(String, detail: String?)

    var ruling: Ruling {
        switch self {
        case .origin(let matter): matter.ruling
        case .cdn(let matter): matter.ruling
        case .file(let matter): matter.ruling
        case .monitor(let cause): cause.ruling
        case .vantageFailed: Ruling(.monitor("vantage-failed"), .warning, Reference.ownConfiguration)
        }
    }
}

/// The first few of many names.
package struct Listing: Codable, Equatable, Sendable {
    package let names: [String]
    package let more: Int

    package init(_ all: [String], upTo limit: Int = 3) {
        names = Array(all.prefix(limit))
        more = max(0, all.count - limit)
    }

    package var count: Int { names.count + more }
}

extension MonitorCause {
    var ruling: Ruling {
        switch self {
        case .ownFault: Ruling(.monitor("fetch-failed"), .error, Reference.ownConfiguration)
        case .nameServerFailed: Ruling(.monitor("name-server-failed"), .error, Reference.ownConfiguration)
        case .tlsIntercepted: Ruling(.monitor("tls-intercepted"), .error, Reference.ownConfiguration)
        case .networkSuspect: Ruling(.networkLost, .warning, Reference.curlManual)
        case .networkLost: Ruling(.networkLost, .error, Reference.curlManual)
        case .cdnWide: Ruling(.cdn("wide"), .error, Reference.systemStatus)
        case .scheduleBehind, .configReloadFailed, .deliveryFailing(_, isDisabled: false, _):
            Ruling(.monitor(id.rawValue), .warning, Reference.curlManual)
        case .manyFailing, .deliveryFailing: Ruling(.monitor(id.rawValue), .error, Reference.curlManual)
        case .storeFailing: Ruling(.monitor(id.rawValue), .error, Reference.storeErrors)
        // No finding is made of these.
        case .notMonitored, .testMessage, .over, .factsMissing:
            Ruling(.monitor(id.rawValue), .note, Reference.curlManual)
        }
    }
}

extension Rule {
    package static let networkLost = Rule.monitor("network-lost")
}
