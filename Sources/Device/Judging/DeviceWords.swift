// A device's diagnosis in words: what it does now, why, what to do, and until when.

import AASA
import Evidence
import Foundation

extension DeviceDiagnosis {
    /// The text at an instant, because ages grow.
    package func text(at now: Date) -> DiagnosisText {
        DiagnosisText(
            effect: effect, cause: words(for: cause)?.nonEmpty, action: action,
            outlook: [outlook(at: now), choice].compactMap(\.self).joined(separator: " ").nonEmpty)
    }

    private var device: String { "this \(origin.device ?? "device")" }
    private var Device: String { "This \(origin.device ?? "device")" }
    private var app: String { appID?.inSentence ?? "the app" }
    /// The file that the device would get now.
    package var file: String { mode.readsCDN ? "Apple's copy" : "the origin's file" }
    private var File: String { mode.readsCDN ? "Apple's copy" : "The origin's file" }
    private var shownDomain: String { domain.isEmpty ? "a domain that the log does not name" : domain.inSentence }
    /// The domain whose file decides.
    private var fileDomain: String { (entry?.target?.domain.name ?? domain).inSentence }

    // MARK: - What the device does now

    private var effect: String {
        switch cause {
        case .notListed(.noApp), .notListed(.otherPrefix):
            return "\(Device) has no app \(app) with associated domains."
        case .notListed(.otherDomains): return "On \(device), \(app) does not claim \(shownDomain)."
        case .notListed(.noDomain): return "On \(device), no app claims \(shownDomain)."
        case .noted: return "\(Device) knows that \(app) claims \(shownDomain) for \(service.inSentence)."
        case .noFile where entry == nil:
            return "\(Device) got no file for \(shownDomain)."
        case .unknownState:
            let word = entry?.siteApproval?.word ?? "missing"
            return "What \(device) does with \(shownDomain) is unknown: its Site/Fmwk Approval is \(word)."
        case .writtenOtherwise, .developerModeOff, .denied, .noFile, .notFetched: return works(false)
        case .browserChosen: return "The user chose the browser: links of \(app) open Safari on \(device)."
        case .olderCopy: return "\(Device) uses an older copy\(example(toFile))."
        case .newerCopy: return works(true)
        case .copyBehind: return "\(Device) uses Apple's copy, which is not the origin's file\(example(toOrigin))."
        case .copyLacksApp, .copyMissing: return works(true, "because of a file that it read earlier")
        case .refreshFailed, .current: return works(true)
        case .approved(let reason):
            if case .offline = reason {
                return works(true, service == "applinks" ? "if they match its patterns" : "")
            }
            return "\(Device) has approved \(app) for \(shownDomain); the device's patterns were not compared."
        }
    }

    private func works(_ works: Bool, _ condition: String = "") -> String {
        let condition = condition.isEmpty ? "" : ", \(condition)"
        if service == "applinks" {
            return "Links of \(shownDomain) open \(works ? "the app" : "Safari") on \(device)\(condition)."
        }
        return
            "\(service.inSentence) of \(shownDomain) \(works ? "works" : "does not work") for the app on \(device)\(condition)."
    }

    /// `: /sub2 opens Safari`
    private func example(_ difference: DeviceDifference?) -> String {
        guard let difference else { return "" }
        let (missing, kept) = (difference.missing.uniqued, difference.kept.uniqued)
        let isMissing = difference.asked.map { $0.to == .opens } ?? !missing.isEmpty
        let paths = (difference.asked.map { [$0.example] } ?? (isMissing ? missing : kept)).prefix(2)
            .map { $0.displayable.shortened(to: 60) }
        guard !paths.isEmpty else { return "" }
        let opens = paths.count == 1 ? "opens" : "open"
        return ": \(paths.joined(separator: " and ")) \(isMissing ? "\(opens) Safari" : "still \(opens) the app")"
    }

    // MARK: - Why

    private func words(for cause: DeviceCause) -> String? {
        switch cause {
        case .notListed(let absence): return words(for: absence)
        case .writtenOtherwise:
            return
                "The app's entitlement is \(shownDomain), but an associated domain has no scheme, path or port."
        case .browserChosen:
            return "The user once chose to open the app's links in the browser, with the link at the top right."
                + (standing.isWithoutApp ? " \(standingWords)" : "")
        case .developerModeOff:
            return "The entry has ?mode=developer, and Associated Domains Development is off on \(device)."
        case .denied:
            // If the last attempt failed, an earlier one read the file.
            let failed = entry?.error.map { "\(failure($0)) " } ?? ""
            let read = failed.isEmpty ? "It read a file\(on(attempt)) that does" : "A file that it read earlier did"
            return "\(failed)\(read) not name \(app). \(standingWords)"
        case .noFile(let error, let retries):
            let count =
                retries.map { $0 == 0 ? "" : " It tried again \($0 == 1 ? "once" : "\($0.grouped) times")." } ?? ""
            return
                "\(failure(error))\(count) \(isStillSo(error) ? "Apple's CDN still reports this." : standingWords)"
        case .notFetched(let isAsking):
            let why =
                isAsking
                ? "It was asking for the file when the report was made."
                : "It has not asked for the file yet. After an install, domains outside the region's usual top-level "
                    + "domains wait until the device is idle, cool and charging."
            return "\(why) \(standingWords)"
        case .olderCopy(let request): return words(for: request)
        case .newerCopy: return "It already has the origin's file. This edge of Apple's CDN has a different one."
        case .copyLacksApp, .copyMissing: return standingWords
        case .copyBehind:
            return "Its patterns and Apple's copy mean the same. Apple's CDN does not have the origin's file yet."
        case .refreshFailed(let error):
            return "\(failure(error)) The device keeps its earlier approval and patterns, and "
                + (service == "applinks" ? "\(file) still means the same." : "\(file) still names the app.")
        case .current:
            return service == "applinks"
                ? "Its patterns and \(file) mean the same." : "It is approved, and \(file) names the app."
        case .approved(let reason): return words(for: reason)
        case .noted: return "The log line does not say whether the device has the file. \(standingWords)"
        case .unknownState: return standingWords
        }
    }

    private func words(for absence: DeviceAbsence) -> String {
        switch absence {
        case .noApp: "The app is not installed, or it is signed without associated domains."
        case .otherPrefix(let ids): "The report lists this bundle ID as \(English.words(ids))."
        case .otherDomains(let domains):
            "It is signed for \(English.words(domains)). A build can lose its domains when it is signed again."
        case .noDomain: "The app is not installed, or it is signed without this domain."
        }
    }

    private func words(for request: Request) -> String {
        switch request {
        case .before(let asked):
            return "It last asked on \(English.instant(asked)), before the new file reached \(place)."
        case .beforeChange(let asked, let change):
            let since = English.instant(change.servedSince)
            let arrival = change.atEveryEdge.map { ", and every edge of Apple's CDN by \(English.instant($0))" } ?? ""
            return
                "It last asked on \(English.instant(asked)). The origin has served the new file since \(since)\(arrival)."
        case .afterChange(let asked, let arrival):
            return
                "It last asked on \(English.instant(asked)). Every edge of Apple's CDN had the new file by "
                + "\(English.instant(arrival)), but the device still has the old one."
        case .failed(let error): return "\(failure(error)) The device keeps its earlier patterns."
        case .unknown: return "Its patterns differ from \(file)."
        }
    }

    private var place: String { mode.readsCDN ? "Apple's CDN" : "the origin" }

    private func words(for reason: DeviceCause.Uncompared) -> String {
        switch reason {
        case .offline: "This comes only from the report: it was not compared with the files served now."
        case .notRead: "This machine did not get \(file)."
        case .noPatterns:
            "The report has no patterns: it was made without --verbose. \(standingWords)"
        case .unreadablePatterns: "The patterns in the report have an unknown form. \(standingWords)"
        case .undecided: "There are too many rules, or they are too complex, to compare all of them."
        }
    }

    /// What the file that the device would get now says about the app.
    private var standingWords: String {
        switch standing.state {
        case .named:
            if appID == nil { return "\(File) exists now." }
            return "\(File) names the app now." + (standing.isBehind ? " It is not the origin's file yet." : "")
        case .notNamed(let near):
            let nearest = near.first.flatMap { other in
                other.difference.map { " \(File) names \(other.id.inSentence) (\($0))." }
            }
            let origin = standing.isNamedByOrigin.map { $0 ? " The origin's file does." : "" } ?? ""
            return "\(File) does not name \(app) for \(service.inSentence).\(origin)\(nearest ?? "")"
        case .missing(let words): return words
        case .unread: return "This machine did not get \(file)."
        case .notAsked: return ""
        }
    }

    /// Whether Apple's CDN reports now what it reported to the device.
    private func isStillSo(_ error: DeviceError) -> Bool {
        guard case .missing(let words) = standing.state, let apple = error.apple else { return false }
        return words.contains(apple.words)
    }

    private func on(_ date: Date?) -> String { date.map { " on \(English.instant($0))" } ?? "" }

    private func failure(_ error: DeviceError) -> String {
        "Its last attempt\(attempt.map { ", on \(English.instant($0))," } ?? "") failed: \(error.plainWords)."
    }

    // MARK: - What to do

    private var action: String? {
        switch cause {
        case .notListed(.noDomain), .notListed(.noApp), .notListed(.otherDomains):
            return "See which domains the installed app is signed for: codesign -d --entitlements - --xml App.app > "
                + "App.entitlements, then aasa-monitor audit --entitlements App.entitlements."
        case .notListed(.otherPrefix): return "Name that app ID with --app, if you mean that build."
        case .writtenOtherwise: return "Write only the domain in the entitlement, such as applinks:example.com."
        case .browserChosen:
            return "Long-press a link of the app in Notes or Messages, and choose to open it in the app."
        case .developerModeOff:
            return "Turn on Settings > Developer > Associated Domains Development, and install the app again."
        case .denied, .noFile: return advice
        case .notFetched:
            return standing.isNamed ? "Leave the device idle on its charger, then make a new report." : advice
        case .olderCopy: return isBehind ? wait : "Reinstall or update the app to get the new file now."
        case .copyLacksApp:
            return standing.isNamedByOrigin == true
                ? wait : "Name the app for \(service.inSentence) in the file again, if it still needs it."
        case .copyMissing: return advice
        case .copyBehind: return wait
        case .approved(.offline): return compare
        case .approved(.noPatterns):
            return "Make the report with: sudo swcutil show --verbose. A sysdiagnose contains such a report."
        case .approved(.notRead): return "Try again from another network."
        case .approved(.undecided), .approved(.unreadablePatterns): return "Check single URLs with --why."
        case .unknownState: return "Read the entry in the report itself."
        case .newerCopy, .refreshFailed, .current: return nil
        case .noted: return domain.isEmpty ? hidden : nil
        }
    }

    private var isBehind: Bool { standing.isBehind }
    private var hidden: String { "Name the domain with --domain: the system hides names in logs as <private>." }

    private var compare: String {
        "To compare this with the files served now, use --app or --domain, without --offline."
    }

    private var wait: String {
        "Wait for Apple's CDN: an app that is installed now gets the CDN's current copy. To wait for the new file: "
            + "aasa-monitor watch \(fileDomain)."
    }

    /// For a device without a file that names the app.
    private var advice: String {
        switch standing.state {
        case .named where isBehind: return wait
        case .named where appID == nil: return "If the app still has no file, reinstall it."
        case .named: return "Reinstall or update the app to get it now."
        case .notNamed where standing.isNamedByOrigin == true: return wait
        case .notNamed:
            return "Name \(app) in the file of \(fileDomain). "
                + (mode.readsCDN ? "The device gets it after Apple's CDN has it." : "Then install the app again.")
        case .missing:
            return "Find out why the file is missing: aasa-monitor check "
                + (mode.readsCDN ? "\(fileDomain)." : "'\(fileDomain)?mode=\(mode.rawValue)'.")
        case .unread: return "Try again from another network."
        case .notAsked:
            return domain.isEmpty ? hidden : compare
        }
    }

    // MARK: - Until when

    private func outlook(at now: Date) -> String? {
        guard let next = entry?.nextCheck, cause != .writtenOtherwise else { return nil }
        guard next < now else { return "It asks again by \(English.instant(next))." }
        let due = "It was due to ask again by \(English.instant(next))"
        guard let written = origin.writtenAt, written <= now else {
            return
                "\(due), \(English.age(since: next, now)) ago: the report is older than that, or the device was off, hot or busy."
        }
        return next < written
            ? "\(due), before this report was made: it was off, hot or busy."
            : "\(due); this report is \(English.age(since: written, now)) old. Make a new one."
    }

    private var choice: String? {
        guard isBrowserChosen, cause != .browserChosen else { return nil }
        return "The user also chose the browser for this app: long-press a link, and choose to open it in the app."
    }
}

extension AppStanding {
    fileprivate var isNamed: Bool { if case .named = state { true } else { false } }
}

extension DeviceError {
    /// What the error means, as the end of a sentence. https://developer.apple.com/documentation/technotes/tn3155-debugging-universal-links
    package var plainWords: String {
        if let apple {
            return "Apple's CDN had no copy, and its crawler reported \"\(apple.words)\"\(details(of: apple))"
        }
        let name = name.isEmpty ? "" : " (\(name))"
        let quoted = words.map { "\"\($0)\"" }
        guard let meaning else { return (quoted ?? "the report does not say why") + name }
        return meaning + name
    }

    private func details(of apple: CrawlerFailure) -> String {
        let values = apple.details.values.filter { !apple.reason.contains($0) }.sorted()
        return values.isEmpty ? "" : " (\(values.joined(separator: ", ").inSentence))"
    }

    private var meaning: String? {
        switch (domain, code) {
        case ("SWCErrorDomain", 7): "Apple's CDN had no copy, and told the device to stop"
        case ("SWCErrorDomain", 2), ("SWCErrorDomain", 3): "the device does not know this service of this app"
        case ("SWCErrorDomain", 8): "the domain is not valid"
        case ("SWCErrorDomain", 100):
            "the device rejected the certificate, for example because a VPN or proxy inspects TLS"
        case ("SWCErrorDomain", 101): "the device could not evaluate the server's certificate"
        case ("SWCErrorDomain", 102): "the certificate has no extended validation"
        case ("SWCErrorDomain", 103): "the certificate's root is not one of the system's roots"
        case ("SWCErrorDomain", 104): "the file is neither JSON nor validly signed"
        case ("SWCErrorDomain", 1701):
            "there is no data from device management, which is normal on unmanaged devices"
        case ("NSURLErrorDomain", -1103): "the file is larger than 131,072 bytes"
        default: nil
        }
    }
}

extension String {
    fileprivate var nonEmpty: String? {
        let text = trimmingCharacters(in: .whitespaces)
        return text.isEmpty ? nil : text
    }
}
