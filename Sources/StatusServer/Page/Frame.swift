// What all views share: the head, the navigation, the monitor's own health, the foot.

import Evidence
import Foundation
import Monitoring
import Report
import Storage

struct Frame: Equatable, Sendable {
    let title: String
    /// The file of the icon, which carries the state into a pinned tab.
    let icon: String
    let isDomains: Bool
    let isIncidents: Bool
    let isSilences: Bool
    /// Open ones; nil: none.
    let openIncidents: String?
    /// `14:32:07 UTC`.
    let clock: String
    let refreshSeconds: String
    /// What a browser without a script loads again; nil: nothing.
    let isPaused: Bool
    /// The same view with and without refresh.
    let pauseAddress: String
    let health: [HealthItem]
    /// How many of them are fine; a narrow page shows the others.
    let fineHealth: String?
    let version: String
    /// `2026-11-22 14:32:07`.
    let rendered: String
    /// Versions of the files beside the page, so that a browser keeps each.
    let assets: String
    let json: String
    /// Whether it leads to the login, or to the way out.
    let canLogIn: Bool
    let canLogOut: Bool
    /// Whether it leaves out the monitor's own matters.
    let isPublic: Bool
    /// Whether the page shows what changes something.
    let canWrite: Bool
    /// Why a form of the page was refused; nil where none was.
    let refusal: Refusal?
    /// That the daemon checks no more; nil where it does.
    let stalled: String?
    /// For how long a silence may be asked for.
    let lengths: [FrontPage.Choice]

    /// What was typed into a form, and what is wrong with it.
    struct Refusal: Equatable, Sendable {
        let words: String
        let by: String
        let reason: String
        let target: String
        let length: String
        let kind: String
        let incidents: [String]

        init(_ words: String, _ form: FormBody) {
            self.words = words.onOneLine(upTo: 500)
            by = form["by"].onOneLine(upTo: 200)
            reason = form["reason"].onOneLine(upTo: 1000)
            target = form["target"].onOneLine(upTo: 500)
            length = form["for"]
            kind = form["kind"]
            incidents = form.all("incident")
        }
    }

    struct HealthItem: Equatable, Sendable {
        let name: String
        let text: String
        let mark: String
        let tone: String
    }

    /// What a page is made with.
    struct Basis: Sendable {
        var version: String
        var health: [HealthItem] = []
        var openIncidents = 0
        var refreshSeconds = 30
        var isPaused = false
        var pauseAddress = "?pause=1"
        var role = Role.writer
        var needsLogin = false
        var refusal: Refusal?
        /// When the last check ended, where the daemon checks no more.
        var stalledSince: Date?
    }

    private static let lengthChoices: [(value: String, text: String)] = [
        ("1h", "1 hour"), ("2h", "2 hours"), ("8h", "8 hours"), ("24h", "24 hours"), ("3d", "3 days"),
        ("7d", "7 days"),
    ]

    init(title: String, tone: Tone, section: PageEndpoint, json: String, basis: Basis, time: ReportTime) {
        stalled = basis.stalledSince.map {
            "No check has ended since \(time.brief($0)) UTC: this is what was seen until then. The daemon’s log says why."
        }
        self.title = stalled == nil ? title : "Not checked – \(title)"
        icon = "/assets/icon-\((stalled == nil ? tone : .fail).rawValue).svg"
        isDomains = section == .overview
        isIncidents = section == .incidents
        isSilences = section == .silences
        openIncidents = basis.openIncidents > 0 ? basis.openIncidents.grouped : nil
        let instant = time.wall.rfc3339
        clock = instant.dropFirst(11).dropLast() + " UTC"
        rendered = String(instant.dropLast().map { $0 == "T" ? " " : $0 })
        refreshSeconds = "\(basis.refreshSeconds)"
        isPaused = basis.isPaused
        pauseAddress = basis.pauseAddress
        health = basis.health.filter { $0.tone != "ok" } + basis.health.filter { $0.tone == "ok" }
        let fine = basis.health.count { $0.tone == "ok" }
        fineHealth = fine == 0 ? nil : fine == basis.health.count ? "all \(fine) fine" : "\(fine) more fine"
        version = basis.version.displayable
        assets = Assets.version
        self.json = json
        isPublic = basis.role == .visitor
        canLogIn = basis.needsLogin && isPublic
        canLogOut = basis.needsLogin && !isPublic
        canWrite = basis.role == .writer
        refusal = basis.refusal
        let length = Self.lengthChoices.first { $0.value == basis.refusal?.length }?.value ?? "2h"
        lengths = Self.lengthChoices.map {
            FrontPage.Choice(value: $0.value, text: $0.text, isChosen: $0.value == length)
        }
    }
}

/// The state of one domain as its row, its page and its badge show it.
struct DomainFace: Equatable, Sendable {
    let word: String
    let mark: String
    let tone: Tone

    /// `isChecked`: whether the daemon still checks; where it does not, nothing is called well.
    init(_ record: SummaryRecord, isChecked: Bool) {
        let level = record.summary?.level
        if !isChecked, level == nil || level == .ok {
            (word, mark, tone) = ("Not checked", DomainStatus.unknown.mark, .soft)
            return
        }
        // Edges that disagree do not all serve an old file, or none: phones get the one or the other. While a change is
        // young, that is how it arrives.
        let isMixed = record.summary?.comparison == .mixed && record.status < .propagating
        word = isMixed ? "Mixed" : record.status.word
        mark = record.status.mark
        tone = record.status.tone(level)
    }
}

/// One of several views that a page offers.
struct PageLink: Equatable, Sendable {
    let text: String
    let address: String
    let isChosen: Bool
}

/// The colour of a state. Colour never says it alone.
enum Tone: String, Sendable {
    case fail, warn, prog, ok, soft
}

extension DomainStatus {
    var tone: Tone {
        switch self {
        case .missing, .expectationFailed, .stale, .divergent, .unconfirmed, .originFailing: .fail
        case .atRisk: .warn
        case .propagating: .prog
        case .unknown, .waiting: .soft
        case .direct, .inSync: .ok
        }
    }

    /// The same of one domain: the status says what phones do, the level how bad it is.
    fileprivate func tone(_ level: Verdict.Level?) -> Tone {
        switch level {
        case .failing: .fail
        case .warning: .warn
        case .ok: self == .propagating ? .prog : .ok
        case .unknown, nil: .soft
        }
    }

    /// The symbol in `marks.mustache`.
    var mark: String { "m-\(rawValue)" }

    var word: String {
        switch self {
        case .missing: "Opens the website"
        case .expectationFailed: "Not as expected"
        case .stale: "Stale"
        case .divergent: "Divergent"
        case .unconfirmed: "Failing, not known"
        case .originFailing: "Origin failing"
        case .atRisk: "At risk"
        case .propagating: "Propagating"
        case .unknown: "Not known"
        case .waiting: "Waiting"
        case .direct: "Direct"
        case .inSync: "In sync"
        }
    }
}
