// What an app claims, held against what its domains serve.

import AASA
import Evidence
import Foundation

/// One entry of an app's entitlements.
struct Claim {
    /// One place that devices read.
    struct Place {
        let isNamed: Bool
        let seen: String

        static let named = Place(isNamed: true, seen: "names the app")
        static let notNamed = Place(isNamed: false, seen: "does not name the app")
    }

    enum Finding {
        /// Devices ignore the entry.
        case noDomain(why: String)
        /// `copy`: nil where devices do not read Apple's copy in this mode.
        case served(service: String, target: Target, origin: Place, copy: Place?, CheckReport)
    }

    let entry: Entitlements.Entry
    let finding: Finding

    init(_ entry: Entitlements.Entry, of app: String, in reports: [Target: CheckReport]) {
        self.entry = entry
        switch entry.meaning {
        case .failure(let fault): finding = .noDomain(why: fault.why)
        case .success(let target):
            guard let service = entry.service, let report = reports[target] else {
                finding = .noDomain(why: "it names no service; write applinks:\(target.domain)")
                return
            }
            func place(_ file: ContentReading?, _ retrieval: Retrieval) -> Place {
                guard let document = file?.document else {
                    return Place(isNamed: false, seen: Serving(retrieval, in: report.readings).words())
                }
                let named = AssociationFile(document).services.first { $0.name == service }?.appIDs ?? []
                return named.contains(app) ? .named : .notNamed
            }
            let readings = report.readings
            let copy: Place? =
                switch report.observation.cdn {
                case .asked(let retrieval): place(readings.cdnFile, retrieval)
                case .notAsked(.originHasNoFile): Place(isNamed: false, seen: "not asked: the origin has no file")
                case .notAsked(.mode): nil
                }
            finding = .served(
                service: service, target: target, origin: place(readings.originFile, report.observation.origin),
                copy: copy, report)
        }
    }

    /// Whether each place that devices read names the app.
    var isKept: Bool {
        switch finding {
        case .noDomain: false
        case .served(_, _, let origin, let copy, _): origin.isNamed && copy?.isNamed != false
        }
    }

    /// What stands in the way, and what to do.
    func trouble(of app: String) -> [String] {
        guard !isKept else { return [] }
        switch finding {
        case .noDomain(let why): return ["Devices ignore the entry: \(why)."]
        case .served(let service, let target, let origin, _, let report):
            guard origin.seen == Place.notNamed.seen else { return report.verdict.text.parts }
            let place = service == "applinks" ? "an entry of 'applinks.details'" : "'\(service).apps'"
            return ["The origin's file does not name the app. Add \(app) to \(place) of \(target.domain)'s file."]
        }
    }

    fileprivate func row() -> [String] {
        switch finding {
        case .noDomain: [entry.shown, "no domain", "-"]
        case .served(_, _, let origin, let copy, _):
            [entry.shown, origin.seen.displayable, copy?.seen.displayable ?? "not read in this mode"]
        }
    }

    fileprivate func json(of app: String) -> OrderedJSON {
        var members: [(String, OrderedJSON)] = [("entry", .string(entry.shown)), ("kept", .bool(isKept))]
        func place(_ place: Place) -> OrderedJSON {
            .object([("named", .bool(place.isNamed)), ("seen", .string(place.seen.displayable))])
        }
        switch finding {
        case .noDomain:
            members += [("service", .null), ("domain", .null), ("mode", .null), ("origin", .null), ("cdn", .null)]
        case .served(let service, let target, let origin, let copy, _):
            members += [
                ("service", .string(service)), ("domain", .string(target.domain.name)),
                ("mode", .string(target.mode.rawValue)), ("origin", place(origin)), ("cdn", copy.map(place) ?? .null),
            ]
        }
        members.append(("trouble", .array(trouble(of: app).map(OrderedJSON.string))))
        return .object(members)
    }
}

/// What one app claims.
struct AppAudit {
    let app: String
    let path: String
    let claims: [Claim]

    var isKept: Bool { claims.allSatisfy(\.isKept) }

    func text(style: TextStyle) -> String {
        let kept = claims.count { $0.isKept }
        var lines = [
            "\(style.bold(app.displayable))  \(style.verdict(isKept ? .ok : .failing))",
            "  \(path.displayable): the app is named for \(kept) of its \(claims.count) associated "
                + (claims.count == 1 ? "domain" : "domains"),
        ]
        guard !claims.isEmpty else { return lines.joined(separator: "\n") }
        let rows = [["entry", "origin's file", "Apple's copy"]] + claims.map { $0.row() }
        lines += [""] + TextTable(rows: rows).lines(indentation: 2, style: style)
        for claim in claims where !claim.isKept {
            lines += ["", "  \(style.bold(claim.entry.shown))"]
            for part in claim.trouble(of: app) {
                lines += style.breaksDiagnosis ? style.wrapped(part, indentation: 4) : ["    " + part]
            }
        }
        return lines.joined(separator: "\n")
    }

    static func json(of audits: [AppAudit]) -> OrderedJSON {
        .object([
            ("schema", .string("aasa-monitor/audit/v1")),
            (
                "apps",
                .array(
                    audits.map { audit in
                        .object([
                            ("app", .string(audit.app)), ("entitlements", .string(audit.path)),
                            ("kept", .bool(audit.isKept)),
                            ("claims", .array(audit.claims.map { $0.json(of: audit.app) })),
                        ])
                    })
            ),
        ])
    }
}
