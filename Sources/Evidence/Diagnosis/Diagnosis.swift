// What a check means, as a value: identifiers and arguments, never sentences. A catalogue renders it (Catalogue/).

import Foundation

/// What phones do now, why, and until when.
package struct Diagnosis: Codable, Equatable, Sendable {
    /// What phones do now. It follows from what was served alone, whatever the cause.
    package var effect: Effect
    package var cause: Cause
    /// Until when it stays so, as far as that can be said.
    package var outlook: Outlook?

    package init(effect: Effect, cause: Cause, outlook: Outlook? = nil) {
        self.effect = effect
        self.cause = cause
        self.outlook = outlook
    }
}

/// Why it is so. The area says which catalogue has the words.
package enum Cause: Codable, Equatable, Sendable {
    case origin(OriginCause)
    case access(AccessCause)
    case crawler(CrawlerCause)
    case copy(CopyCause)
    case file(FileCause)
    case monitor(MonitorCause)

    package var id: DiagnosisID {
        switch self {
        case .origin(let cause): cause.id
        case .access(let cause): cause.id
        case .crawler(let cause): cause.id
        case .copy(let cause): cause.id
        case .file(let cause): cause.id
        case .monitor(let cause): cause.id
        }
    }
}

extension Diagnosis {
    /// About the monitor itself.
    package static func monitor(_ cause: MonitorCause, _ effect: Effect.Links = .unaffected) -> Diagnosis {
        Diagnosis(effect: Effect(effect), cause: .monitor(cause))
    }

    package var id: DiagnosisID { cause.id }

    /// Whether a reader of one learns nothing new from the other: minutes and edges that count on are no news.
    package func saysTheSame(as other: Diagnosis) -> Bool {
        id == other.id && effect.kind == other.effect.kind && cause.rule == other.cause.rule
    }

    init(of context: DiagnosisContext) {
        let cause =
            Self.rows.lazy.compactMap { $0(context) }.first
            ?? context.findings.first.map { .file(.finding($0.rule)) } ?? .copy(.originFine)
        self.init(effect: Effect(of: context), cause: cause, outlook: Outlook(of: context))
    }

    typealias Row = @Sendable (DiagnosisContext) -> Cause?

    /// The first row that fits decides. What hides everything else comes first; then what Apple says together with what this
    /// machine sees; then what either of them says alone; then how old Apple's copy is; at the end, that all is well.
    static let rows: [Row] =
        nameRows + welcomeRows + absenceRows + handshakeRows + vantageRows + refusalRows + turnedAwayRows + crawlerRows
        + originRows + expectationRows + edgeRows + copyRows + privateHereRows + healthyRows
}
