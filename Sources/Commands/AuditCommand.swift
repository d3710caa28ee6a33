import AASA
import ArgumentParser
import Evidence
import Foundation

/// `aasa-monitor audit --entitlements FILE...`: what apps claim, compared with what their domains serve.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Check that the domains which an app claims name the app.",
        discussion: """
            For each associated domain in the entitlements of apps: do the origin's file and Apple's copy name the app, \
            for that service? Each domain is asked once for each mode, lightly; `check` says why a file is missing.

            Only the entitlements of a signed app say its ID and have no build settings: \
            codesign -d --entitlements - --xml App.app > App.entitlements. For others name it with --app.

            Exit codes: 0 each place that devices read names the app, 1 at least one does not, 64 usage, 66 a file that \
            cannot be read, 78 configuration.
            """)

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("The entitlements of apps, a file each; - is standard input.", valueName: "file"),
        completion: .file(extensions: ["entitlements", "plist", "xcent"]))
    var entitlements: [String]

    @Option(
        help: ArgumentHelp(
            "The app's ID, where a file does not say it, such as ABCDE12345.com.example.app.", valueName: "app-id"))
    var app: String?

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

    @Option(help: "text or json.") var format = Format.text

    @OptionGroup var network: NetworkOptions
    @OptionGroup var configuration: ConfigurationOptions

    /// Domains under way at once; further ones wait.
    private static let maximumConcurrent = 32

    func validate() throws {
        if let app, let fault = Expectations.fault(ofApp: app) {
            throw ValidationError(
                "--app: '\(app.displayable.shortened(to: 200))' can be no app's ID: \(fault.displayable)")
        }
    }

    func run() async throws {
        try network.connections.checkFiles()
        let apps = try entitlements.map { path in
            let file = try Entitlements(at: path)
            return (path: path, id: try id(of: file, at: path), entries: file.entries)
        }
        let reports = try await reports(of: apps.flatMap(\.entries))
        let audits = apps.map { app in
            AppAudit(
                app: app.id, path: app.path,
                entries: app.entries.map { entry in AuditedEntry(entry, of: app.id) { reports[$0] } })
        }
        switch format {
        case .json: Console.print(AppAudit.json(of: audits).text(isPretty: true))
        case .text:
            let style = TextStyle.standardOutput
            Console.print(audits.map { $0.text(style: style) }.joined(separator: "\n\n"))
        }
        if !audits.allSatisfy(\.isNamed) { throw MonitorExit.found.code }
    }

    private func id(of file: Entitlements, at path: String) throws -> String {
        if let known = file.app ?? app { return known }
        throw CommandFailure(
            .usage,
            "\(path.displayable) does not say which app it is of; name it with --app, such as "
                + "ABCDE12345.com.example.app, or take the entitlements of the signed app")
    }

    /// Each domain and mode once, also where several entries name it.
    private func reports(of entries: [Entitlements.Entry]) async throws -> [Target: CheckReport] {
        let targets = Set(entries.compactMap { try? $0.meaning.get().target }).sorted {
            $0.domain.name < $1.domain.name
        }
        let checker = try OneShotChecker(
            connections: network.connections, timeout: network.timeout, asksCDN: false, targets: targets.count,
            configuration: try configuration.loadIfPresent())
        var reports: [Target: CheckReport] = [:]
        try await checker.close(after: {
            try await OrderedWork.run(targets, maximumConcurrent: Self.maximumConcurrent) { target in
                // The configuration's mode is of what it watches; here the entitlement decides.
                (target, try await checker.check(target, in: target.mode, depth: .light))
            } each: { target, report in
                reports[target] = report
            }
        })
        return reports
    }
}

/// One entry of an app's entitlements, and whether the places that devices read name the app.
struct AuditedEntry {
    /// What one place says of the app.
    enum Answer {
        case named
        case notNamed
        /// Why devices take nothing from it.
        case noFile(String)

        var words: String {
            switch self {
            case .named: "names the app"
            case .notNamed: "does not name the app"
            case .noFile(let why): why
            }
        }

        var isNamed: Bool { if case .named = self { true } else { false } }
    }

    enum Outcome {
        /// Devices make nothing of the entry.
        case faulty(why: String)
        /// `copy`: nil where devices do not read Apple's copy in this mode.
        case asked(Entitlements.Claim, origin: Answer, copy: Answer?, CheckReport)
    }

    let entry: Entitlements.Entry
    let app: String
    let outcome: Outcome

    /// `report`: nil for an entry that is no associated domain.
    init(_ entry: Entitlements.Entry, of app: String, _ report: (Target) -> CheckReport?) {
        self.entry = entry
        self.app = app
        switch entry.meaning {
        case .failure(let fault): outcome = .faulty(why: fault.why)
        case .success(let claim):
            guard let report = report(claim.target) else {
                outcome = .faulty(why: "it was not asked")
                return
            }
            let readings = report.readings
            func answer(_ file: ContentReading?, _ retrieval: Retrieval) -> Answer {
                guard let document = file?.document else {
                    return .noFile(ServedCell(retrieval, in: readings).words())
                }
                let bytes = retrieval.answer?.body.decodedBytes ?? 0
                guard bytes <= AssociationFile.sizeLimit else {
                    return .noFile("\(bytes.grouped) bytes, above the limit")
                }
                // Of a key that is given twice the last one counts, as in every other judgement.
                let service = AssociationFile(document).services.last { $0.name == claim.service }
                return service?.appIDs.contains(app) == true ? .named : .notNamed
            }
            let copy: Answer? =
                switch readings.observation.cdn {
                case .asked(let retrieval): answer(readings.cdnFile, retrieval)
                case .notAsked(.originHasNoFile): .noFile("not asked")
                case .notAsked(.mode): nil
                }
            outcome = .asked(
                claim, origin: answer(readings.originFile, readings.observation.origin), copy: copy, report)
        }
    }

    /// Whether each place that devices read names the app.
    var isNamed: Bool {
        switch outcome {
        case .faulty: false
        case .asked(_, let origin, let copy, _): origin.isNamed && copy?.isNamed != false
        }
    }

    /// Why it is not, and what to do; empty where it is.
    var trouble: [String] {
        if isNamed { return [] }
        switch outcome {
        case .faulty(let why): return ["The entry is no associated domain: \(why)."]
        case .asked(let claim, .notNamed, _, _):
            let place = claim.service == "applinks" ? "an entry of 'applinks.details'" : "'\(claim.service).apps'"
            return [
                "The origin's file does not name the app. Add \(app) to \(place) of \(claim.target.domain)'s file."
            ]
        case .asked(let claim, _, _, let report):
            let text = report.verdict.text(at: report.now)
            // The effect is about links.
            return [claim.service == "applinks" ? text.effect : nil, text.cause, text.action, text.outlook]
                .compactMap(\.self)
        }
    }

    fileprivate var row: [String] {
        let name = entry.text.displayable.shortened(to: 60)
        func words(_ answer: Answer) -> String { answer.words.displayable.shortened(to: 40) }
        switch outcome {
        case .faulty: return [name, "not asked", "not asked"]
        case .asked(_, let origin, let copy, _):
            return [name, words(origin), copy.map(words) ?? "not read in this mode"]
        }
    }

    fileprivate var json: OrderedJSON {
        func json(_ answer: Answer) -> OrderedJSON {
            .object([("named", .bool(answer.isNamed)), ("seen", .string(answer.words.displayable))])
        }
        var members: [(String, OrderedJSON)] = [("entry", .string(entry.text)), ("named", .bool(isNamed))]
        switch outcome {
        case .faulty: members += ["service", "domain", "mode", "origin", "cdn"].map { ($0, .null) }
        case .asked(let claim, let origin, let copy, _):
            members += [
                ("service", .string(claim.service)), ("domain", .string(claim.target.domain.name)),
                ("mode", .string(claim.target.mode.rawValue)), ("origin", json(origin)),
                ("cdn", copy.map(json) ?? .null),
            ]
        }
        return .object(members + [("trouble", .array(trouble.map(OrderedJSON.string)))])
    }
}

/// All that one app claims.
struct AppAudit {
    let app: String
    let path: String
    let entries: [AuditedEntry]

    var isNamed: Bool { entries.allSatisfy(\.isNamed) }

    func text(style: TextStyle) -> String {
        let named = entries.count { $0.isNamed }
        let domains = entries.count == 1 ? "associated domain" : "associated domains"
        var lines = [
            "\(style.bold(app.displayable))  \(style.verdict(isNamed ? .ok : .failing))",
            "  \(path.displayable): the app is named for \(named) of its \(entries.count) \(domains)", "",
        ]
        let rows = [["entry", "origin's file", "Apple's copy"]] + entries.map(\.row)
        lines += TextTable(rows: rows).lines(indentation: 2, style: style)
        for entry in entries where !entry.isNamed {
            lines += ["", "  \(style.bold(entry.entry.shown))"]
            for part in entry.trouble {
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
                            ("named", .bool(audit.isNamed)), ("entries", .array(audit.entries.map(\.json))),
                        ])
                    })
            ),
        ])
    }
}
