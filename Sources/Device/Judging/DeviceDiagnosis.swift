// Why links open the app on a device, or do not: a diagnosis from the device's report and the files served now.

import AASA
import Evidence
import Foundation

/// The diagnosis of one entry of a device, or of one line of its log. `text(at:)` puts it into words.
package struct DeviceDiagnosis: Sendable {
    /// nil for an app or domain that the report does not list, and for a line of a log.
    package let entry: DeviceEntry?
    package let service: String
    /// nil if a line of a log does not name the app.
    package let appID: String?
    /// As the entitlement has it, without `?mode=`.
    package let domain: String
    package let mode: AssociationMode
    package private(set) var cause: DeviceCause
    package private(set) var level: Verdict.Level
    package private(set) var standing: AppStanding
    /// Whether the user chose the browser for the links of the app.
    package private(set) var isBrowserChosen = false
    /// How the app's links differ between the device's patterns and the file that the device would get now.
    package private(set) var toFile: DeviceDifference?
    /// The same for the origin's file, if that is a different file.
    package private(set) var toOrigin: DeviceDifference?
    package private(set) var link: DeviceLink?
    /// When the device last asked, or when the log line was written.
    private(set) var attempt: Date?
    let origin: DeviceReport.Origin

    /// The report, and the URL in question.
    package struct Context: Sendable {
        package let report: DeviceReport
        package let url: MatchableURL?

        package init(report: DeviceReport, url: MatchableURL? = nil) {
            self.report = report
            self.url = url
        }
    }

    /// `now`: nil without the network.
    package init(of entry: DeviceEntry, _ context: Context, now: DomainNow?) {
        self.entry = entry
        service = entry.service
        appID = entry.appID
        domain = entry.name
        attempt = entry.lastChecked
        let target = entry.target
        mode = target?.mode ?? .production
        origin = context.report.origin
        standing = AppStanding(entry.appID, service: entry.service, mode: mode, now)
        (cause, level) = (.unknownState, .unknown)
        guard target != nil else {
            (cause, level) = (.writtenOtherwise, .failing)
            return
        }
        isBrowserChosen = entry.service == "applinks" && context.report.choosesBrowser(entry)
        compare(entry, context, now)
        judge(entry, context.report, now)
    }

    private mutating func compare(_ entry: DeviceEntry, _ context: Context, _ now: DomainNow?) {
        guard entry.service == "applinks", now != nil || context.url != nil, case .known(let links) = entry.rules else {
            return
        }
        let file = now?.deciding?.applinks
        if case .named = standing.state {
            toFile = DeviceDifference(device: links, file: file, app: entry.appID, asked: context.url)
        }
        if standing.isBehind, let file = now?.originFile {
            toOrigin = DeviceDifference(device: links, file: file.applinks, app: entry.appID, asked: context.url)
        }
        link = context.url.map { DeviceLink($0, device: links, file: file, app: entry.appID) }
    }

    private mutating func judge(_ entry: DeviceEntry, _ report: DeviceReport, _ now: DomainNow?) {
        let isOff = [.developer, .developerManaged].contains(mode) && report.isDeveloperModeOn == false
        switch entry.siteApproval {
        case .denied: set(.denied, .failing)
        case .unspecified where isOff: set(.developerModeOff, .failing)
        case .unspecified:
            if let error = entry.error {
                set(.noFile(error, retries: entry.retries), .failing)
            } else {
                let isAsking =
                    entry.flags.contains("updating") || entry.target.map { report.asking.contains($0.domain) } ?? false
                set(.notFetched(isAsking: isAsking), .warning)
            }
        case .approved where isBrowserChosen: set(.browserChosen, .failing)
        case .approved: judgeApproved(entry, now)
        case .other, nil: set(.unknownState, .unknown)
        }
    }

    private mutating func judgeApproved(_ entry: DeviceEntry, _ now: DomainNow?) {
        switch standing.state {
        case .notAsked: set(.approved(.offline), .ok)
        case .unread: set(.approved(.notRead), .unknown)
        case .missing: set(.copyMissing, .failing)
        case .notNamed: set(.copyLacksApp, .failing)
        case .named:
            guard entry.service == "applinks" else {
                set(entry.error.map(DeviceCause.refreshFailed) ?? .current, entry.error == nil ? .ok : .warning)
                return
            }
            guard let toFile else {
                let isAbsent = if case .absent = entry.rules { true } else { false }
                set(.approved(isAbsent ? .noPatterns : .unreadablePatterns), .warning)
                return
            }
            if !toFile.isEmpty {
                let isOrigins = toOrigin.map { $0.isEmpty && $0.isComplete } ?? false
                if isOrigins {
                    set(.newerCopy, .ok)
                } else {
                    set(.olderCopy(Request(entry, now?.change)), .failing)
                }
            } else if !toFile.isComplete {
                set(.approved(.undecided), .warning)
            } else if let toOrigin, !toOrigin.isEmpty {
                set(.copyBehind, now?.verdict.level == .failing ? .failing : .warning)
            } else {
                set(entry.error.map(DeviceCause.refreshFailed) ?? .current, entry.error == nil ? .ok : .warning)
            }
        }
    }

    private mutating func set(_ cause: DeviceCause, _ level: Verdict.Level) {
        (self.cause, self.level) = (cause, level)
    }
}

extension DeviceDiagnosis {
    /// For an app, a domain or both that the report does not list.
    package init(missing absence: DeviceAbsence, app: String?, domain: String?, _ report: DeviceReport) {
        self.init(
            nil, service: "applinks", app, domain: domain ?? "", .production, .notListed(absence), .failing,
            AppStanding(nil, service: "applinks", mode: .production, nil), report.origin)
    }

    /// For a log line. `domain`: that of the line, or the one that the user named.
    package init(of event: DeviceEvent, domain: Domain?, app: String?, now: DomainNow?) {
        var (service, appID) = ("applinks", app)
        let cause: DeviceCause
        switch event.kind {
        case .failed(let error): cause = .noFile(error, retries: nil)
        case .added(let added, let id):
            (service, appID) = (added, id == "<private>" ? app : id)
            cause = .noted
        }
        let standing = AppStanding(appID, service: service, mode: .production, now)
        self.init(
            nil, service: service, appID, domain: domain?.name ?? "", .production, cause,
            cause != .noted ? .failing : standing.isWithoutApp ? .warning : .ok, standing, .init())
        attempt = event.at
    }

    private init(
        _ entry: DeviceEntry?, service: String, _ appID: String?, domain: String, _ mode: AssociationMode,
        _ cause: DeviceCause, _ level: Verdict.Level, _ standing: AppStanding, _ origin: DeviceReport.Origin
    ) {
        self.entry = entry
        self.service = service
        self.appID = appID
        self.domain = domain
        self.mode = mode
        self.cause = cause
        self.level = level
        self.standing = standing
        self.origin = origin
    }
}

/// The cause of what the device does. docs/device.md has a row for each.
package enum DeviceCause: Equatable, Sendable {
    case notListed(DeviceAbsence)
    /// The entitlement is not an associated domain: it has a scheme or a path.
    case writtenOtherwise
    case browserChosen
    case developerModeOff
    /// The device read a file that does not name the app.
    case denied
    /// The device never read a file.
    case noFile(DeviceError, retries: Int?)
    case notFetched(isAsking: Bool)
    /// Approved by an earlier file; the CDN has a different one now.
    case olderCopy(DeviceDiagnosis.Request)
    /// The device has the origin's file, but Apple's copy is a different one.
    case newerCopy
    case copyLacksApp
    case copyMissing
    /// The device has Apple's copy, which is not the origin's file.
    case copyBehind
    /// Approved, but the latest attempt failed.
    case refreshFailed(DeviceError)
    case current
    /// Approved; the device's patterns were not compared.
    case approved(Uncompared)
    /// A log: the device noted that an app claims a domain.
    case noted
    case unknownState

    package enum Uncompared: Equatable, Sendable { case offline, notRead, noPatterns, unreadablePatterns, undecided }

    /// Stable: programs compare it.
    package var id: String {
        switch self {
        case .notListed: "not-listed"
        case .writtenOtherwise: "written-otherwise"
        case .browserChosen: "browser-chosen"
        case .developerModeOff: "developer-mode-off"
        case .denied: "denied"
        case .noFile: "no-file"
        case .notFetched: "not-fetched"
        case .olderCopy: "older-copy"
        case .newerCopy: "newer-copy"
        case .copyLacksApp: "copy-lacks-app"
        case .copyMissing: "copy-missing"
        case .copyBehind: "copy-behind"
        case .refreshFailed: "refresh-failed"
        case .current: "current"
        case .approved: "approved"
        case .noted: "noted"
        case .unknownState: "unknown-state"
        }
    }
}

/// Why the report has no entry of an app for a domain.
package enum DeviceAbsence: Equatable, Sendable {
    case noApp
    /// The same bundle ID with other prefixes.
    case otherPrefix(TruncatedList)
    /// The app has entries, for other domains.
    case otherDomains(TruncatedList)
    case noDomain
}

extension DeviceDiagnosis {
    /// What is known about the device's last attempt.
    package enum Request: Equatable, Sendable {
        /// It succeeded then, before the new file existed.
        case before(Date)
        /// The same, and a monitor saw when the new file came.
        case beforeChange(Date, KnownChange)
        /// A monitor saw that every edge had the new file already.
        case afterChange(Date, everywhereSince: Date)
        case failed(DeviceError)
        case unknown

        init(_ entry: DeviceEntry, _ change: KnownChange?) {
            if let error = entry.error {
                self = .failed(error)
                return
            }
            guard let asked = entry.lastChecked else {
                self = .unknown
                return
            }
            if let change, asked <= change.atEveryEdge ?? change.servedSince {
                self = .beforeChange(asked, change)
            } else if let arrival = change?.atEveryEdge {
                self = .afterChange(asked, everywhereSince: arrival)
            } else {
                self = .before(asked)
            }
        }
    }
}

extension DeviceReport {
    /// LaunchServices uses `alwaysEnabled` and the user's choice for the app. A report without the choice has the user
    /// approval.
    func choosesBrowser(_ entry: DeviceEntry) -> Bool {
        if entry.flags.contains("alwaysEnabled") { return false }
        return choices[entry.appID].map { !$0 } ?? (entry.userApproval == .denied)
    }
}
