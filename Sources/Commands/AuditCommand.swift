import AASA
import ArgumentParser
import Evidence
import Foundation
import Report

/// `aasa-monitor audit --entitlements FILE...`: what apps claim, compared with what their domains serve.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Check that the domains which an app claims name the app.",
        discussion: """
            For each associated domain in the entitlements of apps: do the origin's file and Apple's copy name the app, \
            for that service, and does its signing let devices read the entry? Each domain is asked once for each mode, \
            lightly; `check` says why a file is missing.

            Only the entitlements of a signed app say its ID and how it is signed, and have no build settings: \
            codesign -d --entitlements - --xml App.app > App.entitlements. For others name the ID with --app. Property \
            lists are read as XML, in binary, and out of a provisioning profile that lists domains.

            Exit codes: 0 each entry works, 1 at least one does not, 64 usage, 66 a file that cannot be read, \
            78 configuration.
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

    @Option(.text, .json) var format: OutputFormat

    @OptionGroup var color: ColorOption
    @OptionGroup var connections: ConnectionOptions
    @OptionGroup var timeLimit: TimeLimitOption
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
        try connections.checkFiles()
        let apps = try entitlements.map { path in
            let file = try Entitlements(at: path)
            if let app, let pattern = file.appPattern, !app.hasPrefix(pattern.dropLast()) {
                throw CommandFailure(
                    .usage,
                    "\(path.displayable) is for apps whose ID is \(pattern.displayable), and --app names "
                        + "\(app.displayable); name an app of that profile")
            }
            return (path: path, id: try id(of: file, at: path), file: file)
        }
        try checkNamedApp(apps.map { ($0.path, $0.file) })
        let reports = try await reports(of: apps.flatMap(\.file.entries))
        let audits = apps.map { app in
            AppAudit(
                app: app.id, path: app.path,
                entries: app.file.entries.map { entry in
                    AuditedEntry(entry, of: app.file, app.id) { reports[$0] }
                })
        }
        switch format {
        case .json: Console.print(AppAudit.json(of: audits).text(isPretty: true))
        default:
            let style = TextStyle.standardOutput
            Console.print(audits.map { $0.text(style: style) }.joined(separator: "\n\n"))
        }
        if !audits.allSatisfy(\.works) { throw MonitorExit.found.code }
    }

    private func id(of file: Entitlements, at path: String) throws -> String {
        if let known = file.app ?? app { return known }
        throw CommandFailure(
            .usage,
            "\(path.displayable) does not say which app it is of; name it with --app, such as "
                + "ABCDE12345.com.example.app, or take the entitlements of the signed app")
    }

    /// `--app` is for files that do not say their app. Beside files that all do, it can only be a mistake.
    private func checkNamedApp(_ files: [(path: String, file: Entitlements)]) throws {
        guard let app else { return }
        let known = files.compactMap { file in file.file.app.map { (path: file.path, id: $0) } }
        guard known.count == files.count, let other = known.first(where: { $0.id != app }) else { return }
        throw CommandFailure(
            .usage,
            "\(other.path.displayable) is of \(other.id), and --app names \(app.displayable); leave out --app, or name the "
                + "entitlements of that app")
    }

    /// Each domain and mode once, also where several entries name it.
    private func reports(of entries: [Entitlements.Entry]) async throws -> [Target: CheckReport] {
        let targets = Set(entries.compactMap { try? $0.meaning.get().target }).sorted {
            $0.domain.name < $1.domain.name
        }
        let checker = try OneShotChecker(
            connections: connections, timeout: timeLimit.timeout, asksCDN: false, targets: targets.count,
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

/// One entry of an app's entitlements, and whether it works: each place that devices read names the app, and its signing lets
/// them read the entry.
struct AuditedEntry {
    /// What one place says of the app.
    enum Answer {
        case named
        /// An App Clip of the app, which the app's own entry is for.
        case namedClip(String)
        /// None of its rules opens a URL.
        case opensNothing
        /// `others`: the IDs that stand there, the nearest first. `count`: how many there are.
        case notNamed(others: [NearbyAppID], count: Int)
        /// Why devices take nothing from it.
        case noFile(String)

        var words: String {
            switch self {
            case .named: "names the app"
            case .namedClip: "names its App Clip"
            case .opensNothing: "names the app, opens no URL"
            case .notNamed: "does not name the app"
            case .noFile(let why): why
            }
        }

        var isNamed: Bool {
            switch self {
            case .named, .namedClip: true
            case .opensNothing, .notNamed, .noFile: false
            }
        }
    }

    enum Outcome {
        /// Devices make nothing of the entry.
        case faulty(why: String)
        /// `copy`: nil where devices do not read Apple's copy in this mode.
        case asked(Entitlements.Claim, origin: Answer, copy: Answer?, CheckReport)
    }

    /// Why devices leave the entry alone, whatever the file says.
    private enum Unread {
        /// The app is signed for distribution, and no other entry covers the domain.
        case developerMode
        case browser
    }

    let entry: Entitlements.Entry
    let app: String
    let outcome: Outcome
    /// The App Clips of the app; nil where it is a Clip itself.
    private let clips: AppClips?
    private let unread: Unread?

    /// `report`: nil for an entry that is no associated domain.
    init(
        _ entry: Entitlements.Entry, of file: Entitlements, _ app: String, _ report: (Target) -> CheckReport?
    ) {
        self.entry = entry
        self.app = app
        let clips = file.isClip ? nil : AppClips(of: app, declared: file.clips)
        self.clips = clips
        let claim = try? entry.meaning.get()
        unread = claim.flatMap { Self.unread($0, in: file) }
        switch entry.meaning {
        case .failure(let fault): outcome = .faulty(why: fault.why)
        case .success(let claim):
            guard let report = report(claim.target) else {
                outcome = .faulty(why: "it was not asked")
                return
            }
            let readings = report.readings
            func answer(_ content: ContentReading?, _ retrieval: Retrieval) -> Answer {
                guard let document = content?.document else {
                    return .noFile(ServedCell(retrieval, in: readings).words())
                }
                let bytes = retrieval.answer?.body.decodedBytes ?? 0
                guard bytes <= AssociationFile.sizeLimit else {
                    return .noFile("\(bytes.grouped) bytes, above the limit")
                }
                return Self.answer(AssociationFile(document), claim.service, app, clips)
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

    private static func unread(_ claim: Entitlements.Claim, in file: Entitlements) -> Unread? {
        if file.isBrowser, claim.service == "applinks" { return .browser }
        guard file.signing == .distribution, claim.target.mode == .developer else { return nil }
        let others = file.entries.compactMap { try? $0.meaning.get() }
        return others.contains { $0.target.mode != .developer && $0.covers(claim) } ? nil : .developerMode
    }

    private static func answer(_ file: AssociationFile, _ name: String, _ app: String, _ clips: AppClips?) -> Answer {
        // Of a key that is given twice the last one counts, as in every other judgement.
        let ids = file.services.last { $0.name == name }?.appIDs ?? []
        if ids.contains(app) {
            let opensNothing =
                name == "applinks" && file.applinks?.opensNothing(for: app, meter: WorkMeter(.lint)) == true
            return opensNothing ? .opensNothing : .named
        }
        if name == "appclips", let clip = clips?.first(of: ids) { return .namedClip(clip) }
        return .notNamed(others: NearbyAppID.all(ids, near: app), count: Set(ids).count)
    }

    /// Whether devices find the app by it.
    var works: Bool {
        switch outcome {
        case .faulty: false
        case .asked(_, let origin, let copy, _): unread == nil && origin.isNamed && copy?.isNamed != false
        }
    }

    /// Why it does not work, and what to do; empty where it does.
    var trouble: [String] {
        var lines: [String] = []
        switch outcome {
        case .faulty(let why): return ["The entry is no associated domain: \(why)."]
        case .asked(let claim, let origin, let copy, let report):
            lines += unreadLines(claim)
            switch origin {
            case .notNamed(let others, let count): lines += missing(claim, others, count)
            case .opensNothing:
                lines += [
                    "The origin's file names the app, and no rule of its entry opens a URL.",
                    "Run `aasa-monitor lint \(claim.target.domain)`: it says why, and what to write.",
                ]
            case .named, .namedClip, .noFile:
                guard !origin.isNamed || copy?.isNamed == false else { break }
                let text = report.verdict.text(at: report.now)
                // The effect is about links.
                lines += [claim.service == "applinks" ? text.effect : nil, text.cause, text.action, text.outlook]
                    .compactMap(\.self)
            }
        }
        return lines
    }

    private func unreadLines(_ claim: Entitlements.Claim) -> [String] {
        switch unread {
        case nil: []
        case .browser:
            [
                "The app is a web browser (com.apple.developer.web-browser): the system ignores its universal links.",
                "Remove the applinks entries; links open other apps from it as before.",
            ]
        case .developerMode:
            [
                "The app is signed for distribution, and devices use ?mode=developer only for apps that are signed for "
                    + "development: links fail in TestFlight and the App Store.",
                "Add \(claim.service):\(claim.isWildcard ? "*." : "")\(claim.target.domain) to the entitlements, and keep "
                    + "?mode=developer for development builds.",
            ]
        }
    }

    private func missing(_ claim: Entitlements.Claim, _ others: [NearbyAppID], _ count: Int) -> [String] {
        let place = claim.service == "applinks" ? "an entry of 'applinks.details'" : "'\(claim.service).apps'"
        let named = others.map { other in
            let id = other.id.displayable.shortened(to: 120)
            return other.difference.map { "\(id) (\($0))" } ?? id
        }
        let more = count > named.count ? " and \((count - named.count).grouped) more" : ""
        let clip = claim.service == "appclips" ? clips : nil
        return [
            clip == nil
                ? "The origin's file does not name the app." : "The origin's file does not name the app's App Clip.",
            others.isEmpty ? nil : "Under '\(claim.service)' it names \(named.joined(separator: ", "))\(more).",
            "Add \(clip?.words ?? app) to \(place) of \(claim.target.domain)'s file"
                + (others.first?.difference == nil ? "." : ", or correct the ID that is there."),
        ].compactMap(\.self)
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
        var members: [(String, OrderedJSON)] = [("entry", .string(entry.text)), ("named", .bool(works))]
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

/// The App Clips of an app. It lists `appclips:` as its Clip does, and the file names the Clip.
/// https://developer.apple.com/documentation/appclip/associating-your-app-clip-with-your-website
private struct AppClips {
    let app: String
    /// As the app's signature names them; may be empty.
    let declared: [String]

    init(of app: String, declared: [String]) {
        self.app = app
        self.declared = declared
    }

    /// Without a declaration a Clip is known by its ID, which begins with the app's.
    func first(of ids: [String]) -> String? {
        ids.first { declared.isEmpty ? $0.hasPrefix(app + ".") : declared.contains($0) }
    }

    var words: String {
        declared.first?.displayable.shortened(to: 120) ?? "the ID of the App Clip, such as \(app).Clip,"
    }
}

/// All that one app claims.
struct AppAudit {
    let app: String
    let path: String
    let entries: [AuditedEntry]

    var works: Bool { entries.allSatisfy(\.works) }

    func text(style: TextStyle) -> String {
        let working = entries.count { $0.works }
        let domains = entries.count == 1 ? "associated domain" : "associated domains"
        var lines = [
            "\(style.bold(app.displayable))  \(style.verdict(works ? .ok : .failing))",
            "  \(path.displayable): \(working) of its \(entries.count) \(domains) \(working == 1 || entries.count == 1 ? "works" : "work")",
            "",
        ]
        let rows = [["entry", "origin's file", "Apple's copy"]] + entries.map(\.row)
        lines += TextTable(rows: rows).lines(indentation: 2, style: style)
        for entry in entries where !entry.works {
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
                            ("named", .bool(audit.works)), ("entries", .array(audit.entries.map(\.json))),
                        ])
                    })
            ),
        ])
    }
}
