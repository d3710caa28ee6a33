// A question about a report: which entries it is about, and in which order their diagnoses are shown.

import AASA
import Evidence
import Foundation

/// A question about a report.
package struct DeviceQuestion: Sendable {
    package let app: String?
    package let domain: Domain?
    /// `--why`.
    package let url: MatchableURL?
    /// The host of the URL.
    package let host: Domain?

    package init(app: String? = nil, domain: Domain? = nil, url: MatchableURL? = nil, host: Domain? = nil) {
        self.app = app
        self.domain = domain
        self.url = url
        self.host = host
    }

    /// Without an app or a domain: the answer is a table of all apps.
    package var isOfAll: Bool { app == nil && domain == nil && host == nil }

    /// The entries that the question is about, in the order of the report.
    package func entries(of report: DeviceReport) -> [DeviceEntry] {
        if isOfAll { return report.entries.filter { !$0.isOfSystem } }
        let asked = report.entries.filter { entry in
            (app.map { entry.appID.isExactly($0) } ?? true)
                && (domain.map { entry.covers($0) || entry.isURL(of: $0) } ?? true)
                && (host == nil || entry.service == "applinks")
        }
        guard let host else { return asked }
        // For each app, the entry of the host itself decides; otherwise the entry with the longest wildcard.
        let deciding = Dictionary(grouping: asked.filter { $0.covers(host) }, by: \.appID).mapValues { entries in
            entries.first { !$0.isWildcard } ?? entries.max { $0.name.utf8.count < $1.name.utf8.count }
        }
        return asked.filter { deciding[$0.appID] == $0 }
    }

    /// Why the report has no such entry.
    package func absence(from report: DeviceReport) -> DeviceAbsence {
        guard let app else { return .noDomain }
        let own = report.entries.filter { $0.appID.isExactly(app) }.map { "\($0.service):\($0.writtenDomain)" }
        guard own.isEmpty else { return .otherDomains(TruncatedList(own.uniqued.map(\.inSentence), upTo: 5)) }
        let bundle = app.drop { $0 != "." }
        let others = report.entries.map(\.appID).uniqued.filter { id in
            let other = id.drop { $0 != "." }
            // The app of another team, or the question has only the bundle ID.
            return !other.isEmpty && (other == bundle || other.dropFirst() == app)
        }
        return others.isEmpty ? .noApp : .otherPrefix(TruncatedList(others.map(\.inSentence)))
    }
}

extension [DeviceDiagnosis] {
    /// First the app that opens the URL in question, then failures, then links; otherwise in the order of the report.
    package var worstFirst: [DeviceDiagnosis] {
        let opener = opener
        return enumerated().sorted {
            ($0.element.rank(opener), $0.offset) < ($1.element.rank(opener), $1.offset)
        }.map(\.element)
    }

    /// The app that opens the URL in question on the device: the first one that may.
    package var opener: DeviceDiagnosis? {
        first { $0.link?.behaviour == .opens && $0.entry?.siteApproval == .approved && !$0.isBrowserChosen }
    }

    package var level: Verdict.Level { map(\.level).min { $0.rankOnDevice < $1.rankOnDevice } ?? .ok }
}

extension Verdict.Level {
    /// Smaller values come first.
    package var rankOnDevice: Int {
        switch self {
        case .failing: 0
        case .unknown: 1
        case .warning: 2
        case .ok: 3
        }
    }
}

extension DeviceDiagnosis {
    fileprivate func rank(_ opener: DeviceDiagnosis?) -> Int {
        if let opener, opener.entry == entry { return -1 }
        return 2 * level.rankOnDevice + (service == "applinks" ? 0 : 1)
    }
}

extension DeviceDiagnosis {
    /// The error of the entry, or of the log line.
    package var error: DeviceError? {
        if let entry { return entry.error }
        if case .noFile(let error, _) = cause { return error }
        return nil
    }
}

extension DeviceLog {
    /// For each domain, the newest line with an error; without one, the newest line about each app that claims the
    /// domain. `domain`: the domain to assume if the log hides the names.
    package func latest(of app: String?, about domain: Domain?) -> [DeviceEvent] {
        var latest: [DeviceEvent] = []
        var places: [[String?]: Int] = [:]
        var failed: Set<Domain?> = []
        for event in events {
            let own = event.domain ?? domain
            guard domain == nil || own == domain else { continue }
            var key = [own?.name]
            switch event.kind {
            case .failed: failed.insert(own)
            case .added(let service, let id):
                if let app, !id.isExactly(app) { continue }
                key += [service, id]
            }
            let event = DeviceEvent(kind: event.kind, domain: own, at: event.at)
            if let place = places[key] {
                latest[place] = event
            } else {
                places[key] = latest.count
                latest.append(event)
            }
        }
        return latest.filter { $0.error != nil || !failed.contains($0.domain) }
    }
}
