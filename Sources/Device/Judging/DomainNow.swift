// What Apple's CDN and the origin serve for a domain now, as `check` reads it, and what that means for one app.

import AASA
import Evidence
import Foundation

/// The result of a check of one domain, to compare a device's report with.
package struct DomainNow: Sendable {
    package let readings: Readings
    package let verdict: Verdict
    /// What a monitor saw of the newest change; nil if nothing.
    package let change: KnownChange?
    /// The origin's file.
    let originFile: AssociationFile?
    /// The file that devices of the domain's mode ask for.
    let deciding: AssociationFile?

    package init(readings: Readings, verdict: Verdict, change: KnownChange? = nil) {
        self.readings = readings
        self.verdict = verdict
        originFile = readings.originFile?.document.map { AssociationFile($0) }
        deciding =
            readings.observation.mode.readsCDN
            ? readings.cdnFile?.document.map { AssociationFile($0) } : originFile
        // Only the history of the file that Apple's CDN has now explains something.
        self.change = change?.meaning == readings.cdnFile?.meaning ? change : nil
    }

    /// Whether Apple's copy is not the origin's file yet: a reinstalled app then gets the old one again.
    var isBehind: Bool {
        let isOther = [.propagating, .stale, .divergent, .mixed].contains(verdict.comparison.state)
        return readings.observation.mode.readsCDN && isOther && verdict.comparison.isWithoutEffect != true
    }

    /// What devices get instead of a file, in words; nil if this machine does not know.
    var absence: String? {
        let isCopy = readings.observation.mode.readsCDN
        guard let retrieval = isCopy ? readings.cdn : readings.observation.origin, retrieval.ownFault == nil else {
            return nil
        }
        if isCopy {
            guard let answer = retrieval.answer, retrieval.isAboutFile else { return nil }
            if let failure = CrawlerFailure(answer) {
                return "Apple's CDN has no copy now: its crawler reports \"\(failure.words)\"."
            }
            return answer.status == 200 ? "Apple's copy is not a usable file." : "Apple's CDN has no copy now."
        }
        return "The origin \(English.words(readings.served(by: retrieval)))."
    }
}

/// When the file that Apple's CDN has now appeared, according to a monitor's history.
package struct KnownChange: Equatable, Sendable {
    package let meaning: ContentHash
    /// When the origin was first seen to serve it.
    package let servedSince: Date
    /// When every edge of Apple's CDN had it; nil if that was not seen.
    package let atEveryEdge: Date?

    package init(meaning: ContentHash, servedSince: Date, atEveryEdge: Date?) {
        self.meaning = meaning
        self.servedSince = servedSince
        self.atEveryEdge = atEveryEdge
    }
}

/// What the file that the device would get now says about an app.
package struct AppStanding: Equatable, Sendable {
    package enum State: Equatable, Sendable {
        case named
        /// It names other apps; these are the nearest ones.
        case notNamed([NearbyAppID])
        /// There is no file; the text says why.
        case missing(String)
        /// This machine did not get it.
        case unread
        /// `--offline`.
        case notAsked
    }

    package var state: State

    /// Whether a device that asks now gets no file that names the app.
    var isWithoutApp: Bool {
        switch state {
        case .notNamed, .missing: true
        case .named, .unread, .notAsked: false
        }
    }

    /// How Apple's copy compares with the origin's file; nil if that is not known.
    package private(set) var comparison: Comparison.State?
    /// Whether Apple's copy is not the origin's file yet.
    package var isBehind = false
    /// Whether the origin's file names the app; nil if that is not known, or the same file.
    package var isNamedByOrigin: Bool?

    init(_ appID: String?, service: String, mode: AssociationMode, _ now: DomainNow?) {
        guard let now else {
            state = .notAsked
            return
        }
        comparison = now.verdict.comparison.state
        isBehind = now.isBehind
        func names(_ file: AssociationFile) -> [String] { file.services.last { $0.name == service }?.appIDs ?? [] }
        if let file = now.deciding {
            let names = names(file)
            let isNamed = appID.map { names.containsExactly($0) } ?? !names.isEmpty
            state = isNamed ? .named : .notNamed(appID.map { NearbyAppID.all(names, near: $0, limit: 1) } ?? [])
        } else {
            state = now.absence.map(State.missing) ?? .unread
        }
        guard mode.readsCDN, let appID, let file = now.originFile else { return }
        isNamedByOrigin = names(file).containsExactly(appID)
    }
}
